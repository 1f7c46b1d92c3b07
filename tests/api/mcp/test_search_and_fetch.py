"""`search` and `fetch`, as research connectors call them: with one text each, and reading the text as JSON."""

from __future__ import annotations

import json

import pytest

from accounts.models import ApiKey, User
from api.mcp.handlers import search
from plugins.models import Plugin
from tests.api.mcp.clients import call, data_of, error_of, text_of
from tests.cover import give_document

pytestmark = pytest.mark.django_db(transaction=True)

MORTAR = "spacers made of mortar"


def found(server: str, key: str, query: str) -> list[dict[str, str]]:
    result = call(server, key, "search", query=query)
    assert json.loads(text_of(result)) == data_of(result)
    return data_of(result)["results"]


@pytest.fixture
def loads(alice: User) -> Plugin:
    """Another plugin of Alice's, a draft."""
    plugin = Plugin.objects.create(owner=alice, name="Loads", slug="loads", domain="structural-engineering")
    give_document(plugin, title="Wind handbook", text="# Wind\n\nThe basic wind speed on the coast is 30 m/s.\n")
    return plugin


def test_all_documents_of_a_key_are_searched_and_read(
    published: Plugin, loads: Plugin, server: str, reader: str
) -> None:
    best = found(server, reader, MORTAR)[0]
    assert best.keys() == {"id", "title", "url"}
    assert best["title"].startswith("Cover handbook")
    wind = found(server, reader, "basic wind speed on the coast")[0]
    assert wind["title"].startswith("Wind handbook")
    fetched = call(server, reader, "fetch", id=wind["id"])
    assert json.loads(text_of(fetched)) == data_of(fetched)
    body = data_of(fetched)
    assert body.keys() == {"id", "title", "text", "url", "metadata"}
    assert (body["id"], body["url"]) == (wind["id"], wind["url"])
    assert "The basic wind speed on the coast is 30 m/s." in body["text"]
    assert body["metadata"]["document"] == "Wind handbook"


def test_charlie_finds_and_reads_nothing(published: Plugin, loads: Plugin, server: str, reader: str, charlie: User):
    strangers = ApiKey.objects.issue(owner=charlie, name="reader", capabilities=["query", "read"])[1]
    assert found(server, strangers, MORTAR) == []
    assert found(server, strangers, "basic wind speed on the coast") == []
    for query in (MORTAR, "basic wind speed on the coast"):
        address = found(server, reader, query)[0]["id"]
        assert error_of(call(server, strangers, "fetch", id=address))["code"] == "unknown_source"


def test_a_key_that_is_limited_to_one_plugin_finds_nothing_of_another(
    published: Plugin, loads: Plugin, server: str, reader: str, alice: User
) -> None:
    _, limited = ApiKey.objects.issue(owner=alice, name="limited", plugins=[loads], capabilities=["query", "read"])
    assert {one["title"].split(",")[0] for one in found(server, limited, MORTAR)} <= {"Wind handbook"}
    address = found(server, reader, MORTAR)[0]["id"]
    assert error_of(call(server, limited, "fetch", id=address))["code"] == "unknown_source"


def test_a_key_that_may_only_ask_is_told_what_it_lacks(published: Plugin, server: str, key: str) -> None:
    for tool, arguments in (("search", {"query": MORTAR}), ("fetch", {"id": "lexic://pages/1"})):
        error = error_of(call(server, key, tool, **arguments))
        assert error["code"] == "missing_capability"
        assert "read" in error["hint"]


def test_of_many_plugins_those_are_searched_that_speak_of_the_words(alice: User, monkeypatch: pytest.MonkeyPatch):
    for name, tagline in (("Apples", ""), ("Bridges", "Loads of wind"), ("Cover", ""), ("Wind loads", "")):
        Plugin.objects.create(owner=alice, name=name, tagline=tagline, domain="x")
    monkeypatch.setattr(search, "MAX_PLUGINS", 3)
    key, _ = ApiKey.objects.issue(owner=alice, name="k")
    chosen = [plugin.name for plugin in search.plugins_to_search("the load of wind", key=key)]
    assert chosen == ["Bridges", "Wind loads", "Apples"]
