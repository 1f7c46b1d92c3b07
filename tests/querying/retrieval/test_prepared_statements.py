"""Searches by statements that PostgreSQL has prepared, as in the web processes of a site with the built-in database."""

from __future__ import annotations

import pytest
from django.db import connection

from accounts.models import ApiKey, User
from knowledge.search.passages import Passage
from plugins.models import Plugin
from querying import releases
from querying.retrieval import retriever
from querying.types.question import Caller, Question

WEATHER = "What is the minimum cover for a beam exposed to weather?"


@pytest.mark.django_db(transaction=True)
def test_a_search_finds_the_same(published: Plugin, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    _, secret = ApiKey.objects.issue(owner=alice, name="search")
    plain = search(published, secret)
    connection.close()
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "prepare_threshold", 0)
    assert plain
    assert [search(published, secret) for _ in range(8)] == [plain] * 8
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement FROM pg_prepared_statements")
        prepared = " ".join(statement for (statement,) in cursor.fetchall())
    connection.close()
    for table in ("accounts_apikey", "plugins_release", "knowledge_termcount", "knowledge_page"):
        assert table in prepared


def search(plugin: Plugin, secret: str) -> list[Passage]:
    key = ApiKey.objects.for_secret(secret)
    assert key
    release = releases.resolve(plugin.slug, principal=key)
    return retriever.retrieve(Question(text=WEATHER, release=release, caller=Caller(name="test")))
