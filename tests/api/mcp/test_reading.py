"""The tools that read: passages, pages, trees, experts. Who may see text is decided as for people."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import ApiKey, User
from knowledge.models import Page
from plugins.models import Plugin
from querying.models import Query
from querying.presentation.page_excerpts import word_end, word_start
from tests.api.mcp.clients import WEATHER, call, data_of, error_of, over_http, text_of
from tests.cover import TREE
from trees.models import DecisionTree

pytestmark = pytest.mark.django_db(transaction=True)

SPACERS = {"plugin": "cover", "query": "spacers made of mortar"}


def resource(server: str, key: str, uri: str) -> Any:
    """Its text, or the code of the error."""
    from mcp.shared.exceptions import MCPError

    async def use(client):
        try:
            return (await client.read_resource(uri)).contents[0].text
        except MCPError as refused:
            return refused.error.data["code"]

    return over_http(server, key, use)


@pytest.fixture
def charlies_reader(charlie: User) -> str:
    return ApiKey.objects.issue(owner=charlie, name="reader", capabilities=["query", "read"])[1]


# --- search_sources ---------------------------------------------------------------------------------------


def test_who_may_read_the_documents_gets_their_passages(published: Plugin, server: str, reader: str):
    found = data_of(call(server, reader, "search_sources", **SPACERS))
    passage = found["passages"][0]
    assert passage["document"] == "Cover handbook"
    assert "Spacers made of mortar" in passage["excerpt"]
    assert 0 < passage["score"] <= 1
    assert found["textShown"] is True
    assert found["release"] == "cover@1.0.0"
    opened = call(server, reader, "get_source", source=passage["uri"], characters=0)
    assert data_of(opened)["excerpt"] == passage["excerpt"]
    assert "Spacers" in resource(server, reader, passage["uri"])


def test_a_plugin_that_is_merely_published_shows_strangers_places_and_no_text(
    published: Plugin, server: str, charlies_reader: str
):
    found = call(server, charlies_reader, "search_sources", **SPACERS)
    passage, *others = data_of(found)["passages"]
    assert not any("excerpt" in one for one in (passage, *others))
    assert data_of(found)["textShown"] is False
    assert "mortar" not in text_of(found)
    for address in (passage["uri"], passage["url"]):
        refused = call(server, charlies_reader, "get_source", source=address)
        assert error_of(refused)["code"] == "unknown_source"
        assert resource(server, charlies_reader, address) == "unknown_source"


def test_sharing_copies_does_not_open_the_original(published: Plugin, server: str, charlies_reader: str):
    Plugin.objects.update(is_shared=True)
    found = data_of(call(server, charlies_reader, "search_sources", **SPACERS))
    assert found["textShown"] is False


def test_a_key_that_may_only_ask_gets_places(published: Plugin, server: str, key: str):
    found = data_of(call(server, key, "search_sources", **SPACERS))
    assert found["textShown"] is False
    refused = call(server, key, "get_source", source=found["passages"][0]["uri"])
    assert error_of(refused)["code"] == "missing_capability"


def test_as_many_passages_as_are_asked_for_at_most(published: Plugin, server: str, reader: str):
    assert len(data_of(call(server, reader, "search_sources", **SPACERS, limit=1))["passages"]) == 1
    assert error_of(call(server, reader, "search_sources", **SPACERS, limit=0))["code"] == "invalid"


# --- get_source -------------------------------------------------------------------------------------------


def asked(server: str, key: str) -> dict[str, Any]:
    return data_of(call(server, key, "ask_expert", plugin="cover", question=WEATHER))


def test_the_text_around_a_citation_is_the_page_itself(published: Plugin, server: str, reader: str):
    answer = asked(server, reader)
    cited = answer["citations"][0]
    for address in (cited["url"], f"lexic://answers/{answer['queryId']}/src_1"):
        read = data_of(call(server, reader, "get_source", source=address, characters=30))
        assert read["excerpt"] == cited["excerpt"]
        # They begin and end at whole words.
        assert 20 < len(read["before"]) <= 30
        assert 20 < len(read["after"]) <= 30
        page = published.knowledge_base.documents.get().pages.get()
        assert read["before"] + read["excerpt"] + read["after"] in page.text
        assert "page" not in read


def test_a_stranger_may_read_again_what_was_cited_to_them_and_no_more(
    published: Plugin, server: str, charlies_reader: str, charlies_key: str
):
    answer = asked(server, charlies_reader)
    address = f"lexic://answers/{answer['queryId']}/src_1"
    read = data_of(call(server, charlies_reader, "get_source", source=address))
    assert read["excerpt"] == answer["citations"][0]["excerpt"]
    assert {"before", "after", "uri"} & set(read) == set()
    assert read["excerpt"] in resource(server, charlies_reader, address)
    # Another key, even of the same person, was not given it.
    assert resource(server, charlies_key, address) == "unknown_source"


def test_a_stranger_is_told_the_lines_of_code_again_that_were_cited_to_them(
    published: Plugin, server: str, charlies_reader: str
):
    Page.objects.update(repository_path="docs/cover.md", source_sha256="ab" * 32)
    answer = asked(server, charlies_reader)
    [cited, *_] = answer["citations"]
    read = data_of(
        call(server, charlies_reader, "get_source", source=f"lexic://answers/{answer['queryId']}/{cited['id']}")
    )
    place = ("path", "startLine", "endLine", "fileHash")
    assert cited["path"] == "docs/cover.md"
    assert [read[name] for name in place] == [cited[name] for name in place]


def test_a_citation_is_closed_again_when_its_plugin_is(published: Plugin, server: str, charlies_reader: str):
    answer = asked(server, charlies_reader)
    Plugin.objects.update(is_published=False)
    assert resource(server, charlies_reader, f"lexic://answers/{answer['queryId']}/src_1") == "unknown_source"


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("", "invalid_source"),
        ("https://example.com/source/1", "invalid_source"),
        ("/source/1", "invalid_source"),
        ("file:///etc/passwd", "invalid_source"),
        ("lexic://pages/../1", "invalid_source"),
        ("lexic://answers/" + "-" * 36 + "/src_1", "invalid_source"),
        (f"lexic://answers/{uuid.UUID(int=1)}/src_1", "unknown_source"),
        ("lexic://pages/999999999999999999", "unknown_source"),
        ("http://localhost:8000/source/99999999", "unknown_source"),
    ],
)
def test_other_addresses_open_nothing(published: Plugin, server: str, reader: str, address: str, code: str):
    assert error_of(call(server, reader, "get_source", source=address))["code"] == code


def test_a_document_out_of_force_says_so(published: Plugin, server: str, reader: str):
    published.knowledge_base.documents.update(superseded_on=timezone.localdate())
    answer = data_of(call(server, reader, "search_sources", **SPACERS))
    read = data_of(call(server, reader, "get_source", source=answer["passages"][0]["uri"]))
    assert read["standing"].startswith("superseded on")


# --- walk_tree --------------------------------------------------------------------------------------------


def test_a_tree_is_followed_to_what_it_recommends(published: Plugin, server: str, key: str):
    walked = data_of(call(server, key, "walk_tree", plugin="cover", facts={"exposure": "coastal", "colour": "red"}))
    assert walked["outcome"] == "decided"
    assert walked["action"] == {"recommendation": "45 mm nominal cover", "severity": None}
    assert [step["node"] for step in walked["path"]] == ["exposure_check", "cover_severe"]
    assert walked["unknownFacts"] == ["colour"]


def test_a_missing_fact_is_the_next_question(published: Plugin, server: str, key: str):
    walked = call(server, key, "walk_tree", plugin="cover")
    assert data_of(walked)["outcome"] == "fact_missing"
    assert data_of(walked)["question"] == {
        "question": "How is the member exposed?",
        "options": ["mild", "severe"],
        "field": "exposure",
    }
    assert "- severe" in text_of(walked)


def test_the_trees_and_their_facts_are_told(published: Plugin, server: str, key: str):
    (tree,) = data_of(call(server, key, "walk_tree", plugin="cover"))["trees"]
    assert tree["name"] == "Nominal cover of a member"
    assert tree["facts"] == [
        {
            "name": "exposure",
            "type": "choice",
            "options": ["mild", "severe"],
            "question": "How is the member exposed?",
        }
    ]


def test_of_several_trees_one_has_to_be_named(published: Plugin, server: str, key: str):
    DecisionTree.objects.create(plugin=published, name="Another", tree_data=TREE)
    several = {"plugin": "cover@draft"}
    assert data_of(call(server, key, "walk_tree", **several))["outcome"] == "tree_missing"
    named = data_of(call(server, key, "walk_tree", **several, tree="another", facts={"exposure": "mild"}))
    assert (named["tree"], named["outcome"]) == ("Another", "decided")
    refused = error_of(call(server, key, "walk_tree", **several, tree="third"))
    assert refused["code"] == "unknown_tree"
    assert "“Another”" in refused["hint"]


def test_a_walk_leaves_no_question_in_the_log(published: Plugin, server: str, key: str):
    call(server, key, "walk_tree", plugin="cover")
    assert not Query.objects.exists()


# --- list_experts -----------------------------------------------------------------------------------------


def test_published_experts_and_own_drafts_are_listed(
    published: Plugin, server: str, key: str, charlies_key: str, alice: User
):
    Plugin.objects.create(
        owner=alice, name="Draft", slug="draft-of-alice", domain="x", tagline="About ![x](http://e) loads"
    )
    mine = data_of(call(server, key, "list_experts"))
    assert [(one["slug"], one["published"]) for one in mine["experts"]] == [
        ("cover", True),
        ("draft-of-alice", False),
    ]
    assert "http" not in mine["experts"][1]["tagline"]
    assert [one["slug"] for one in data_of(call(server, charlies_key, "list_experts"))["experts"]] == ["cover"]


def test_experts_are_found_by_words(published: Plugin, server: str, key: str):
    assert data_of(call(server, key, "list_experts", query="CONCRETE structures"))["total"] == 1
    assert data_of(call(server, key, "list_experts", query="concrete medicine")) == {"experts": [], "total": 0}


@pytest.mark.parametrize("count", [1, 3])
def test_listing_takes_as_many_statements_for_many_as_for_one(alice: User, count: int, django_assert_num_queries):
    from api.mcp.handlers import list_experts

    for number in range(count):
        Plugin.objects.create(owner=alice, name=f"P{number}", slug=f"p{number}", domain="x")
    key, _ = ApiKey.objects.issue(owner=alice, name="k")
    with django_assert_num_queries(2):  # the page, the count
        list_experts.find_experts(list_experts.ExpertsArguments(), key=key)


@pytest.mark.parametrize("characters", [0, 1, 7, 20, 55, 100, 5000])
def test_the_text_around_a_source_begins_and_ends_with_whole_words(characters: int):
    text = "".join(f"alpha{number} beta{number}, gamma\n" for number in range(40))
    words = set(text.split())
    start = text.index("gamma", 300)
    begin = word_start(text, max(0, start - characters), limit=start)
    end = word_end(text, start + 5 + characters, limit=start + 5)
    around = f"{text[begin:start]}{text[start : start + 5]}{text[start + 5 : end]}"
    assert set(around.split()) <= words
    assert len(around) <= 2 * characters + 5


def test_text_without_spaces_is_not_lost():
    text = "コンクリート" * 100
    assert word_start(text, 100, limit=300) == 100
    assert word_end(text, 400, limit=310) == 400
