"""`/api/plugins`: a plugin is made, listed, changed and deleted through the API."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rest_framework.test import APIClient

from accounts.models import User
from evaluation.models import GoldenQuestion
from knowledge.models import KnowledgeBase
from plugins.models import Plugin, Release
from querying.models import Query
from tests.api.people import code_of, keyed, signed_in
from tests.remembered import remembered

pytestmark = pytest.mark.django_db
FINITE = st.floats(allow_nan=False, allow_infinity=False)
EASY = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])

WHOLE = {
    "name": "Site safety",
    "slug": "site-safety",
    "tagline": "What is worn where",
    "description": "For those on site.",
    "domain": "safety",
    "tags": ["boots", "sites"],
    "systemPrompt": "You are a safety officer.",
    "audience": "site engineers",
    "tone": "brief",
    "limits": "Never guess.",
    "disclaimer": "For information.",
    "citationMode": "optional",
    "topK": 5,
    "threshold": 0.25,
    "evidenceThreshold": 0.5,
    "synonyms": [["w/c", "water-cement ratio"]],
    "goldenGate": "block",
    "goldenShare": 0.8,
    "chunkStrategy": "tokens",
    "chunkSize": 900,
    "isShared": True,
    "sharesGolden": False,
    "publicChat": True,
}


@pytest.fixture
@remembered
def cover(alice: User) -> Plugin:
    """A draft that knows nothing: enough where nobody asks it."""
    return Plugin.objects.create(
        owner=alice, name="Concrete cover", slug="cover", domain="structures", system_prompt="You are an engineer."
    )


@pytest.fixture
def viewer(cover: Plugin, bob: User) -> APIClient:
    cover.viewers.add(bob)
    return signed_in(bob)


@pytest.fixture
def editor(cover: Plugin, bob: User) -> APIClient:
    cover.editors.add(bob)
    return signed_in(bob)


def released(plugin: Plugin, version: str = "1.0.0") -> Release:
    release = Release.objects.create(plugin=plugin, version=version, system_prompt=plugin.system_prompt)
    plugin.set_live_release(release)
    return release


def put(client: APIClient, plugin: Plugin, *, status: int = 200, etag: str | None = None, **fields: Any) -> Any:
    headers = {"HTTP_IF_MATCH": etag} if etag else {}
    response = client.patch(f"/api/plugins/{plugin.pk}", fields, format="json", **headers)
    assert response.status_code == status, response.content[:300]
    return response.json()


# --- Making one ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("enter", [signed_in, keyed], ids=["session", "key"])
def test_everything_that_is_sent_is_kept_and_shown(alice: User, enter: Any) -> None:
    response = enter(alice).post("/api/plugins", WHOLE, format="json")
    assert response.status_code == 201, response.content
    shown = response.json()
    assert {name: shown[name] for name in WHOLE} == WHOLE
    assert (shown["isPublished"], shown["version"], shown["role"]) == (False, "1.0.0", "owner")
    assert shown["creatorId"] == str(alice.pk)
    plugin = Plugin.objects.get()
    assert (plugin.owner, plugin.system_prompt, plugin.synonyms) == (
        alice,
        WHOLE["systemPrompt"],
        WHOLE["synonyms"],
    )
    assert KnowledgeBase.objects.get().plugin == plugin
    assert response["Location"] == "/api/plugins/site-safety"
    assert signed_in(alice).get(response["Location"])["ETag"] == response["ETag"]


def test_a_name_and_a_field_are_enough(alice: User) -> None:
    shown = signed_in(alice).post("/api/plugins", {"name": "Lifting", "domain": "safety"}, format="json").json()
    assert shown["slug"] == "lifting"
    assert shown["systemPrompt"].startswith("You are a safety officer in the field of safety.")
    assert shown["limits"]
    assert shown["citationMode"] == "mandatory"


def test_nothing_is_added_to_words_that_were_sent(alice: User) -> None:
    said = {"name": "Lifting", "domain": "safety", "systemPrompt": "You are a rigger."}
    shown = signed_in(alice).post("/api/plugins", said, format="json").json()
    assert (shown["systemPrompt"], shown["disclaimer"], shown["limits"]) == ("You are a rigger.", "", "")


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"name": ""}, "name"),
    ({"name": None}, "name"),
    ({"name": 5}, "name"),
    ({"name": "x" * 121}, "name"),
    ({"name": "a\x00b"}, ""),
    ({"domain": ["x"]}, "domain"),
    ({"slug": "not a slug"}, "slug"),
    ({"slug": "0c7a9bbd-39c8-4a8f-a76d-5a86a3b9d3a1"}, "slug"),
    ({"tags": "boots"}, "tags"),
    ({"tags": [1]}, "tags.0"),
    ({"tags": ["x"] * 51}, "tags"),
    ({"citationMode": "always"}, "citationMode"),
    ({"citationMode": 1}, "citationMode"),
    ({"topK": 0}, "topK"),
    ({"topK": 10**400}, "topK"),
    ({"topK": "5"}, "topK"),
    ({"topK": True}, "topK"),
    ({"topK": 1.5}, "topK"),
    ({"threshold": 2}, "threshold"),
    ({"evidenceThreshold": "0.5"}, "evidenceThreshold"),
    ({"synonyms": [["alone"]]}, "synonyms.0"),
    ({"synonyms": [["same", "Same"]]}, "synonyms"),
    ({"isShared": "yes"}, "isShared"),
    ({"isPublished": True}, "isPublished"),
    ({"systemPromt": "A slip of the pen."}, "systemPromt"),
    ({"limits": {"a": 1}}, "limits"),
]


@pytest.mark.parametrize(("said", "about"), WRONG)
def test_what_is_wrong_is_named_and_nothing_is_made(alice: User, said: dict[str, Any], about: str) -> None:
    body = {"name": "Lifting", "domain": "safety", **said}
    response = signed_in(alice).post("/api/plugins", body, format="json")
    code_of(response, 400)
    assert response.json()["error"].startswith(f"{about}:" if about else "The request holds a null character")
    assert not Plugin.objects.exists()


@EASY
@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(max_size=20),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(sorted(WHOLE)), inner, max_size=6),
        max_leaves=12,
    )
)
def test_no_body_breaks_it(alice: User, body: Any) -> None:
    Plugin.objects.all().delete()
    response = signed_in(alice).post("/api/plugins", body, format="json")
    assert response.status_code in (201, 400, 409)


def test_a_slug_that_is_taken_is_a_conflict(alice: User, cover: Plugin) -> None:
    said = {"name": "Cover", "slug": "cover", "domain": "x"}
    refused = signed_in(alice).post("/api/plugins", said, format="json")
    assert code_of(refused, 409) == "slug_taken"
    assert "such as “cover-1”" in refused.json()["hint"]
    shown = signed_in(alice).post("/api/plugins", {"name": "Cover", "domain": "x"}, format="json").json()
    assert shown["slug"] == "cover-1"


def test_no_plugin_is_called_like_an_address_of_the_api(alice: User) -> None:
    """A plugin called so could not be had, changed or deleted by its slug."""
    client = signed_in(alice)
    made = client.post("/api/plugins", {"name": "Import", "domain": "trade"}, format="json").json()
    assert made["slug"] == "plugin-import"
    assert client.get(f"/api/plugins/{made['slug']}").status_code == 200
    refused = client.post("/api/plugins", {"name": "Trade", "domain": "trade", "slug": "import"}, format="json")
    assert (refused.status_code, refused.json()["code"]) == (409, "slug_taken")
    assert "such as “plugin-import-1”" in refused.json()["hint"]


def test_a_slug_says_nothing_of_the_plugin_that_has_it(cover: Plugin, charlie: User) -> None:
    """A slug is a name in one name space, so that it is taken cannot be hidden; whose it is, and what it is, is."""
    body = {"name": "Other", "domain": "x"}
    said = []
    for slug in ("cover", "import"):
        refused = signed_in(charlie).post("/api/plugins", {**body, "slug": slug}, format="json")
        free = re.search("“(.*?)”", refused.json()["hint"])
        assert free
        said.append((refused.status_code, refused.content.decode().replace(free[1], "FREE")))
    assert said[0] == said[1]
    assert "private" in Path("docs/operations.md").read_text().split("## What strangers can find out")[1]


def test_a_key_that_is_limited_makes_none(alice: User, cover: Plugin) -> None:
    client = keyed(alice, "author", plugins=[cover])
    response = client.post("/api/plugins", {"name": "New", "domain": "x"}, format="json")
    assert code_of(response, 403) == "key_is_limited"


def test_who_is_no_author_is_told_how_to_become_one(db: None) -> None:
    dora = User.objects.create_user("dora@example.org", "correct horse battery")
    assert code_of(signed_in(dora).get("/api/plugins"), 403) == "not_an_author"


def test_a_session_needs_the_token_against_forged_requests(alice: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)
    response = client.post("/api/plugins", {"name": "x", "domain": "x"}, content_type="application/json")
    code_of(response, 403)
    assert not Plugin.objects.exists()


# --- Seeing and changing one -----------------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["slug", "pk"])
def test_lx_015_it_is_called_by_slug_or_by_id(alice: User, cover: Plugin, by: str) -> None:
    assert signed_in(alice).get(f"/api/plugins/{getattr(cover, by)}").json()["id"] == str(cover.pk)


def test_what_was_got_can_be_put_back(alice: User, cover: Plugin) -> None:
    client = signed_in(alice)
    shown = client.get("/api/plugins/cover").json()
    response = client.put("/api/plugins/cover", {**shown, "name": "Cover"}, format="json")
    assert response.status_code == 200, response.content
    assert response.json() == {**shown, "name": "Cover", "updatedAt": response.json()["updatedAt"]}


def test_lx_016_what_is_left_out_stays(alice: User, cover: Plugin) -> None:
    for change in (signed_in(alice).put, signed_in(alice).patch):
        assert change("/api/plugins/cover", {"tagline": "Short"}, format="json").status_code == 200
    cover.refresh_from_db()
    assert (cover.tagline, cover.system_prompt) == ("Short", "You are an engineer.")


def test_nobodys_change_is_overwritten(alice: User, cover: Plugin, editor: APIClient) -> None:
    etag = signed_in(alice).get("/api/plugins/cover")["ETag"]
    editor.patch("/api/plugins/cover", {"tagline": "Bob’s"}, format="json")
    shown = put(signed_in(alice), cover, etag=etag, tagline="Alice’s", status=412)
    assert shown["code"] == "precondition_failed"
    cover.refresh_from_db()
    assert cover.tagline == "Bob’s"
    fresh = signed_in(alice).get("/api/plugins/cover")["ETag"]
    put(signed_in(alice), cover, etag=fresh, tagline="Alice’s")
    assert code_of(signed_in(alice).delete("/api/plugins/cover", HTTP_IF_MATCH=etag), 412)


@pytest.mark.parametrize("tag", ["*", "W/{}", '"other", {}'])
def test_other_ways_to_name_the_version_one_has(alice: User, cover: Plugin, tag: str) -> None:
    etag = signed_in(alice).get("/api/plugins/cover")["ETag"]
    put(signed_in(alice), cover, etag=tag.format(etag), tagline="x")


def test_who_has_it_already_gets_no_body(alice: User, cover: Plugin) -> None:
    client = signed_in(alice)
    response = client.get("/api/plugins/cover", HTTP_IF_NONE_MATCH=client.get("/api/plugins/cover")["ETag"])
    assert (response.status_code, response.content) == (304, b"")
    assert client.get("/api/plugins/cover", HTTP_IF_NONE_MATCH='"other"').status_code == 200


def test_the_slug_is_fixed_by_the_first_release(alice: User, cover: Plugin) -> None:
    put(signed_in(alice), cover, slug="concrete-cover")
    released(cover)
    assert put(signed_in(alice), cover, slug="other", status=409)["code"] == "slug_is_fixed"
    put(signed_in(alice), cover, slug="concrete-cover", tagline="The same slug is no change.")


def test_a_change_does_not_publish_or_withdraw(alice: User, cover: Plugin) -> None:
    assert put(signed_in(alice), cover, isPublished=True, status=400)["error"].startswith("isPublished: ")
    released(cover)
    put(signed_in(alice), cover, isPublished=False, status=400)
    put(signed_in(alice), cover, isPublished=True)


def test_an_editor_changes_it_and_does_not_delete_it(editor: APIClient, cover: Plugin) -> None:
    assert put(editor, cover, tagline="Bob’s")["role"] == "editor"
    assert code_of(editor.delete("/api/plugins/cover"), 403) == "only_its_owner"


def test_a_viewer_looks_and_changes_nothing(viewer: APIClient, bob: User, cover: Plugin) -> None:
    assert viewer.get("/api/plugins/cover").json()["role"] == "viewer"
    for client in (viewer, keyed(bob, "author")):
        assert put(client, cover, tagline="x", status=403)["code"] == "read_only"
        assert code_of(client.delete("/api/plugins/cover"), 403) == "read_only"


def test_lx_023_its_owner_deletes_it_and_what_was_asked_stays(alice: User, cover: Plugin) -> None:
    released(cover)
    KnowledgeBase.objects.create(plugin=cover, owner=alice, name="base")
    Query.objects.create(plugin=cover, question="Why?", outcome="answered")
    assert keyed(alice).delete("/api/plugins/cover").status_code == 204
    assert not Plugin.objects.exists()
    assert not KnowledgeBase.objects.exists()
    assert Query.objects.get().plugin is None
    assert code_of(keyed(alice).delete("/api/plugins/cover"), 404) == "unknown_plugin"


@pytest.mark.parametrize("garbage", ["nothing", "%00", "a%00b", "%ff", "%F0%9F%92%A9", "..", "a" * 500, "cover%20"])
def test_what_names_no_plugin_is_not_found(alice: User, cover: Plugin, garbage: str) -> None:
    for call in (signed_in(alice).get, keyed(alice).delete):
        code_of(call(f"/api/plugins/{garbage}"), 404)


# --- Who may come in ---------------------------------------------------------------------------------------------


def test_lx_006_charlie_finds_nothing(cover: Plugin, charlie: User) -> None:
    released(cover)
    for client in (signed_in(charlie), keyed(charlie, "author"), keyed(charlie, "read")):
        assert code_of(client.get("/api/plugins/cover"), 404) == "unknown_plugin"
        assert client.get("/api/plugins").json()["results"] == []
    assert code_of(signed_in(charlie).patch("/api/plugins/cover", {"name": "x"}, format="json"), 404)


def test_a_key_that_reads_changes_nothing(alice: User, cover: Plugin) -> None:
    client = keyed(alice, "read")
    assert client.get("/api/plugins/cover").status_code == 200
    assert put(client, cover, tagline="x", status=403)["code"] == "missing_capability"
    assert code_of(client.post("/api/plugins", {"name": "x", "domain": "x"}, format="json"), 403)


def test_a_key_that_only_asks_sees_nothing(alice: User, cover: Plugin) -> None:
    assert code_of(keyed(alice, "query").get("/api/plugins/cover"), 403) == "missing_capability"


def test_a_key_for_one_plugin_knows_no_other(alice: User, cover: Plugin) -> None:
    other = Plugin.objects.create(owner=alice, name="Other", domain="x", system_prompt="x")
    client = keyed(alice, "author", plugins=[other])
    assert code_of(client.get("/api/plugins/cover"), 404) == "unknown_plugin"
    assert [one["slug"] for one in client.get("/api/plugins").json()["results"]] == ["other"]


def test_lx_003_007_sp_15_nobody_comes_in_without_anything(cover: Plugin) -> None:
    assert code_of(APIClient().get("/api/plugins"), 401) == "not_authenticated"
    assert code_of(APIClient().delete("/api/plugins/cover"), 401) == "not_authenticated"


# --- The list ------------------------------------------------------------------------------------------------------


def slugs(client: APIClient, **asked: Any) -> list[str]:
    response = client.get("/api/plugins", asked)
    assert response.status_code == 200, response.content
    return [one["slug"] for one in response.json()["results"]]


@pytest.fixture
def three(alice: User, bob: User, cover: Plugin) -> APIClient:
    steel = Plugin.objects.create(
        owner=bob,
        name="Steel joints",
        slug="steel",
        domain="Structures",
        tags=["steel", "bolts"],
        system_prompt="x",
    )
    steel.editors.add(alice)
    law = Plugin.objects.create(owner=bob, name="Law", slug="law", domain="legal", tagline="bolts and nuts")
    law.viewers.add(alice)
    released(steel)
    return signed_in(alice)


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({}, ["law", "steel", "cover"]),
        ({"domain": "structures"}, ["steel", "cover"]),
        ({"tag": "bolts"}, ["steel"]),
        ({"published": "true"}, ["steel"]),
        ({"published": "false"}, ["law", "cover"]),
        ({"role": "owner"}, ["cover"]),
        ({"role": "editor"}, ["steel"]),
        ({"role": "viewer"}, ["law"]),
        ({"q": "bolts"}, ["law"]),
        ({"q": "joints STEEL"}, ["steel"]),
        ({"q": "%"}, []),
    ],
)
def test_the_list_is_narrowed(three: APIClient, asked: dict[str, str], found: list[str]) -> None:
    assert slugs(three, **asked) == found


@pytest.mark.parametrize(
    "asked",
    [
        {"published": "perhaps"},
        {"publised": "true"},
        {"role": "boss"},
        {"q": "a\x00"},
        {"limit": "0"},
        {"limit": "many"},
        {"limit": "201"},
        {"cursor": "nonsense"},
        {"cursor": "cD1ub25zZW5zZQ=="},
        {"cursor": "cD0lMDA="},
    ],
)
def test_what_the_list_does_not_know_is_refused(three: APIClient, asked: dict[str, str]) -> None:
    code_of(three.get("/api/plugins", asked), 400)


def test_the_pages_together_are_the_list(three: APIClient) -> None:
    seen, address = [], "/api/plugins?limit=1"
    while address:
        page = three.get(address).json()
        seen += [one["slug"] for one in page["results"]]
        address = page["next"]
    assert seen == ["law", "steel", "cover"]


def test_each_says_how_much_there_is_of_it(plugin: Plugin, alice: User) -> None:
    GoldenQuestion.objects.create(plugin=plugin, question="Why?")
    shown = signed_in(alice).get("/api/plugins").json()["results"][0]
    assert shown["counts"] == {
        "documents": 1,
        "documentsReady": 1,
        "documentsFailed": 0,
        "pages": 0,
        "trees": 1,
        "goldenQuestions": 1,
        "goldenShare": None,
    }
    assert "systemPrompt" not in shown


def test_a_longer_list_takes_no_more_statements(alice: User) -> None:
    client = signed_in(alice)
    taken = []
    for total in (1, 3):
        while Plugin.objects.count() < total:
            plugin = Plugin.objects.create(owner=alice, name="One", domain="x", system_prompt="x")
            KnowledgeBase.objects.create(plugin=plugin, owner=alice, name="base")
            GoldenQuestion.objects.create(plugin=plugin, question="Why?")
        with CaptureQueriesContext(connection) as statements:
            assert len(client.get("/api/plugins").json()["results"]) == total
        taken.append(len(statements))
    assert taken == [8, 8]


def test_lx_011_lx_013_a_free_object_is_kept_and_given_back(alice: User, charlie: User) -> None:
    client = signed_in(alice)
    made = client.post("/api/plugins", {"name": "Boots", "domain": "safety"}, format="json").json()
    assert made["config"] == {}
    config = {"crm": {"id": 7, "tags": ["a", None]}, "on": True}
    assert client.patch("/api/plugins/boots", {"config": config}, format="json").json()["config"] == config
    assert client.get("/api/plugins/boots").json()["config"] == config
    for wrong in ([1], "text", {"x": "\0"}, {"x": "y" * 16_000}, None):
        code_of(client.patch("/api/plugins/boots", {"config": wrong}, format="json"), 400)
    assert Plugin.objects.get().config == config
    code_of(signed_in(charlie).get("/api/plugins/boots"), 404)


def test_who_can_see_it_is_written_and_its_page_is_named(cover: Plugin, alice: User) -> None:
    client, url = signed_in(alice), f"/api/plugins/{cover.slug}"

    def change(**fields: Any) -> Any:
        return client.patch(url, fields, format="json")

    assert (client.get(url).json()["visibility"], client.get(url).json()["pageAddress"]) == ("marketplace", "")
    Plugin.objects.update(is_published=True)
    assert client.get(url).json()["pageAddress"].endswith(f"/marketplace/{cover.slug}")
    unlisted = change(visibility="unlisted").json()["pageAddress"]
    assert re.search(r"/marketplace/unlisted-[a-z2-7]{26}$", unlisted)
    assert change(publicChat=True).status_code == 200
    assert code_of(change(visibility="key"), 409) == "chat_without_page"
    assert change(visibility="key", publicChat=False).json()["pageAddress"] == ""
    assert code_of(change(publicChat=True), 409) == "chat_without_page"
    assert change(visibility="everybody").status_code == 400
    cover.refresh_from_db()
    assert (cover.visibility, cover.public_chat) == ("key", False)
