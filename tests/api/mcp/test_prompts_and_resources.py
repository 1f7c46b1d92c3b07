"""Plugins as prompts, resources and completions: those that the key may ask, and nothing of any other."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import ApiKey, User
from api.mcp.handlers import expert_listings
from plugins.models import Plugin
from tests.api.mcp.clients import CURRENT, PREVIOUS, WEATHER, child, over_http, over_stdio

pytestmark = pytest.mark.django_db(transaction=True)

TEMPLATE = "lexic://experts/{expert}"
MODES = [CURRENT, PREVIOUS]


async def offers(client: Any) -> dict[str, Any]:
    """What a client is shown before it asks anything."""
    from mcp.types import ResourceTemplateReference

    reference = ResourceTemplateReference(type="ref/resource", uri=TEMPLATE)
    return {
        "prompts": (await client.list_prompts()).prompts,
        "resources": (await client.list_resources()).resources,
        "slugs": (await client.complete(reference, {"name": "expert", "value": ""})).completion.values,
    }


async def refused(request: Any) -> dict[str, Any]:
    from mcp.shared.exceptions import MCPError

    with pytest.raises(MCPError) as caught:
        await request
    return caught.value.error.data


@pytest.fixture
def draft(alice: User) -> Plugin:
    described = {"tagline": "About ![x](http://e) loads", "description": "Loads of wind and snow."}
    return Plugin.objects.create(owner=alice, name="Draft", slug="draft-of-alice", domain="loads", **described)


@pytest.mark.parametrize("mode", MODES)
def test_each_plugin_of_a_key_is_a_prompt_a_resource_and_a_completion(
    published: Plugin, draft: Plugin, server: str, key: str, mode: str
) -> None:
    shown = over_http(server, key, offers, mode=mode)
    assert [prompt.name for prompt in shown["prompts"]] == ["cover", "draft-of-alice"]
    assert all([one.name for one in prompt.arguments] == ["question"] for prompt in shown["prompts"])
    assert "http" not in shown["prompts"][1].description
    addresses = [str(resource.uri) for resource in shown["resources"]]
    assert addresses == ["lexic://experts/cover", "lexic://experts/draft-of-alice"]
    assert shown["slugs"] == ["cover", "draft-of-alice"]


@pytest.mark.parametrize("mode", MODES)
def test_charlie_sees_nothing_of_a_draft(draft: Plugin, server: str, charlies_key: str, mode: str) -> None:
    async def use(client: Any) -> Any:
        names = ["draft-of-alice", str(draft.pk), "no-such-plugin"]
        prompts = [await refused(client.get_prompt(name, {"question": WEATHER})) for name in names]
        resources = [await refused(client.read_resource(f"lexic://experts/{name}")) for name in names]
        return await offers(client), prompts, resources

    shown, prompts, resources = over_http(server, charlies_key, use, mode=mode)
    assert shown == {"prompts": [], "resources": [], "slugs": []}
    assert {error["code"] for error in [*prompts, *resources]} == {"unknown_plugin"}
    assert prompts[0] == prompts[2]


def test_a_key_that_is_limited_to_one_plugin_is_shown_that_one(
    published: Plugin, draft: Plugin, server: str, alice: User
) -> None:
    limited = ApiKey.objects.issue(owner=alice, name="limited", plugins=[draft])[1]
    shown = over_http(server, limited, offers)
    assert [prompt.name for prompt in shown["prompts"]] == shown["slugs"] == ["draft-of-alice"]
    assert len(shown["resources"]) == 1


def test_a_prompt_asks_its_expert_the_question(published: Plugin, server: str, key: str) -> None:
    async def use(client: Any) -> Any:
        return (await client.get_prompt("cover", {"question": WEATHER})).messages

    (message,) = over_http(server, key, use)
    assert message.role == "user"
    assert "ask_expert" in message.content.text
    assert "“cover”" in message.content.text
    assert message.content.text.endswith(WEATHER)


@pytest.mark.parametrize("arguments", [{}, {"question": "  "}, {"question": "x" * 5000}, {"question": "x", "a": "b"}])
def test_a_prompt_without_a_question_is_refused(
    published: Plugin, server: str, key: str, arguments: dict[str, str]
) -> None:
    error = over_http(server, key, lambda client: refused(client.get_prompt("cover", arguments)))
    assert error["code"] == "invalid"
    assert "question" in error["error"]


@pytest.mark.parametrize("typed", ["a\0", "\0"])
def test_characters_that_no_text_has_are_refused(published: Plugin, server: str, key: str, typed: str) -> None:
    from mcp.types import ResourceTemplateReference

    async def use(client: Any) -> list[Any]:
        reference = ResourceTemplateReference(type="ref/resource", uri=TEMPLATE)
        requests = [
            client.get_prompt(typed, {"question": "x"}),
            client.get_prompt("cover", {"question": typed}),
            client.list_prompts(cursor=typed),
            client.list_resources(cursor=typed),
            client.complete(reference, {"name": "expert", "value": typed}),
            client.read_resource(f"lexic://experts/{typed}"),
        ]
        return [await refused(request) for request in requests]

    assert {error["code"] for error in over_http(server, key, use)} == {"invalid_text"}


def test_who_may_read_the_documents_is_told_their_titles(
    published: Plugin, server: str, key: str, reader: str, charlie: User
) -> None:
    strangers = ApiKey.objects.issue(owner=charlie, name="reader", capabilities=["query", "read"])[1]

    async def use(client: Any) -> str:
        return (await client.read_resource("lexic://experts/cover")).contents[0].text

    assert "Cover handbook" in over_http(server, reader, use)
    for secret in (key, strangers):
        told = over_http(server, secret, use)
        assert "(cover), version 1.0.0" in told
        assert "Cover handbook" not in told


def test_slugs_are_completed_from_their_letters_those_that_begin_with_them_first(
    published: Plugin, alice: User, server: str, key: str
) -> None:
    from mcp.types import PromptReference, ResourceTemplateReference

    for slug in ("bridge-cover", "cover-of-slabs", "loads", "percent"):
        Plugin.objects.create(owner=alice, name=slug, slug=slug, domain="x")

    async def use(client: Any) -> list[list[str]]:
        expert = ResourceTemplateReference(type="ref/resource", uri=TEMPLATE)
        page = ResourceTemplateReference(type="ref/resource", uri="lexic://pages/{page}{?start,end}")
        asked = [
            (expert, "expert", "CoV"),
            (expert, "expert", "%"),
            (page, "page", ""),
            (PromptReference(type="ref/prompt", name="cover"), "question", ""),
        ]
        return [
            (await client.complete(reference, {"name": name, "value": value})).completion.values
            for reference, name, value in asked
        ]

    assert over_http(server, key, use) == [["cover", "cover-of-slabs", "bridge-cover"], [], [], []]


def test_long_lists_come_in_pages(published: Plugin, alice: User, server: str, key: str, monkeypatch: Any) -> None:
    for number in range(4):
        Plugin.objects.create(owner=alice, name=f"P{number}", slug=f"p{number}", domain="x")
    monkeypatch.setattr(expert_listings, "PAGE_SIZE", 2)

    async def use(client: Any) -> list[list[str]]:
        pages, cursor = [], None
        while True:
            page = await client.list_prompts(cursor=cursor)
            pages.append([prompt.name for prompt in page.prompts])
            cursor = page.next_cursor
            if not cursor:
                return pages

    assert over_http(server, key, use) == [["cover", "p0"], ["p1", "p2"], ["p3"]]


@pytest.mark.parametrize("count", [1, 3])
def test_a_list_takes_as_many_statements_for_many_as_for_one(
    alice: User, count: int, django_assert_num_queries: Any
) -> None:
    for number in range(count):
        Plugin.objects.create(owner=alice, name=f"P{number}", slug=f"p{number}", domain="x")
    key, _ = ApiKey.objects.issue(owner=alice, name="k")
    with django_assert_num_queries(1):  # the page, of the key's plugins
        expert_listings.list_prompts(key=key, after="")


def test_lists_cost_a_key_nothing_and_are_not_kept_for_others(published: Plugin, server: str, alice: User) -> None:
    secret = ApiKey.objects.issue(owner=alice, name="few", per_minute=1)[1]

    async def use(client: Any) -> Any:
        for _ in range(3):
            shown = await offers(client)
        return shown, await client.list_prompts(cache_mode="bypass")

    shown, listed = over_http(server, secret, use)
    assert shown["slugs"] == ["cover"]
    assert listed.cache_scope == "private"


def test_on_the_standard_streams_too(published: Plugin, key: str) -> None:
    assert over_stdio(child(key), offers)["slugs"] == ["cover"]
