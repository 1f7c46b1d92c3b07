"""A key that is limited to one plugin: for every tool, every other plugin does not exist."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import ApiKey, User
from plugins.models import Plugin
from tests.api.mcp.clients import CURRENT, PREVIOUS, WEATHER, call, data_of, error_of, over_http

pytestmark = pytest.mark.django_db(transaction=True)

CAPABILITIES = ["query", "read", "author"]


@pytest.fixture
def limited(alice: User) -> str:
    """To a plugin of Alice's that is not the one on cover, which is hers as well, and published."""
    other = Plugin.objects.create(owner=alice, name="Other", slug="other", domain="x")
    return ApiKey.objects.issue(owner=alice, name="limited", plugins=[other], capabilities=CAPABILITIES)[1]


ASKING: dict[str, dict[str, Any]] = {
    "ask_expert": {"question": WEATHER},
    "search_sources": {"query": WEATHER},
    "walk_tree": {},
    "review_text": {"document": "Spacers stand at most two metres apart."},
}


@pytest.mark.parametrize("mode", [CURRENT, PREVIOUS])
@pytest.mark.parametrize("tool", ASKING)
def test_no_tool_knows_the_other_plugin(published: Plugin, server: str, limited: str, mode: str, tool: str):
    references = ["cover", "cover@1.0.0", "cover@latest", "cover@draft", str(published.pk), "no-such-plugin"]

    async def use(client):
        return [await client.call_tool(tool, {"plugin": name, **ASKING[tool]}) for name in references]

    told = [error_of(result) for result in over_http(server, limited, use, mode=mode)]
    assert [error["code"] for error in told] == ["unknown_plugin"] * len(references)
    assert all(error == told[-1] for error in told)


def test_every_tool_that_takes_a_plugin_is_tried_here(db: None):
    from api.mcp.server import TOOLS

    assert {name for name, tool in TOOLS.items() if "plugin" in tool.arguments.model_fields} == set(ASKING)


def test_a_room_with_the_other_plugin_is_not_held(published: Plugin, server: str, limited: str) -> None:
    error = error_of(call(server, limited, "ask_experts", experts=["other", "cover"], question=WEATHER))
    assert (error["code"], error["error"]) == ("unknown_plugin", "No plugin “cover” can be asked with this key.")


def test_the_other_plugin_is_not_listed(published: Plugin, server: str, limited: str):
    assert [one["slug"] for one in data_of(call(server, limited, "list_experts"))["experts"]] == ["other"]
    assert data_of(call(server, limited, "list_experts", query="cover"))["total"] == 0


def test_no_source_of_the_other_plugin_opens(published: Plugin, server: str, limited: str, reader: str):
    answer = data_of(call(server, reader, "ask_expert", plugin="cover", question=WEATHER))
    passage = data_of(call(server, reader, "search_sources", plugin="cover", query=WEATHER))["passages"][0]
    addresses = [
        answer["citations"][0]["url"],
        passage["uri"],
        passage["url"],
        f"lexic://answers/{answer['queryId']}/src_1",
    ]
    assert [error_of(call(server, limited, "get_source", source=address))["code"] for address in addresses] == [
        "unknown_source"
    ] * 4


def test_nor_does_it_as_a_resource(published: Plugin, server: str, limited: str, reader: str):
    from mcp.shared.exceptions import MCPError

    passage = data_of(call(server, reader, "search_sources", plugin="cover", query=WEATHER))["passages"][0]

    async def use(client):
        with pytest.raises(MCPError) as refused:
            await client.read_resource(passage["uri"])
        return refused.value.error.data["code"]

    assert over_http(server, limited, use) == "unknown_source"


def test_what_was_cited_closes_when_the_key_is_limited_later(published: Plugin, server: str, alice: User):
    key, secret = ApiKey.objects.issue(owner=alice, name="narrowed", capabilities=CAPABILITIES)
    answer = data_of(call(server, secret, "ask_expert", plugin="cover", question=WEATHER))
    key.plugins.add(Plugin.objects.create(owner=alice, name="Other", slug="other", domain="x"))
    closed = call(server, secret, "get_source", source=f"lexic://answers/{answer['queryId']}/src_1")
    assert error_of(closed)["code"] == "unknown_source"
