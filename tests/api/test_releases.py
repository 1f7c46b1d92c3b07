"""Publishing through the API, and the releases that it makes."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from evaluation.models import GoldenQuestion
from knowledge.models import KnowledgeBase
from marketplace.publishing.publish import publish
from plugins.models import GoldenGate, Plugin, Release
from tests.api.people import code_of, keyed, signed_in
from tests.remembered import remembered
from trees.models import DecisionTree

pytestmark = pytest.mark.django_db


def post(person: User, address: str, body: Any = None, *, plugin: str = "cover") -> Any:
    return signed_in(person).post(f"/api/plugins/{plugin}/{address}", body or {}, format="json")


def bare(owner: User, slug: str = "bare") -> Plugin:
    return Plugin.objects.create(owner=owner, name="Bare", slug=slug, domain="x", system_prompt="")


@pytest.fixture
@remembered
def two(published: Plugin, alice: User) -> Plugin:
    """Two releases; the second has another tone."""
    published.tone = "brief"
    published.save()
    publish(published, by=alice, notes="Shorter answers.")
    return published


# --- Publishing ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("enter", [signed_in, keyed], ids=["session", "key"])
def test_publishing_makes_a_release(plugin: Plugin, alice: User, enter: Any) -> None:
    response = enter(alice).post("/api/plugins/cover/publish", {"notes": "The first."}, format="json")
    assert response.status_code == 201, response.content
    shown = response.json()
    assert (shown["release"]["version"], shown["release"]["notes"]) == ("1.0.0", "The first.")
    assert (shown["isNew"], shown["warning"], shown["release"]["createdBy"]) == (True, "", "Alice")
    assert signed_in(alice).get("/api/plugins/cover").json()["isPublished"] is True


def test_publishing_the_same_again_makes_none(published: Plugin, alice: User) -> None:
    response = post(alice, "publish")
    assert (response.status_code, response.json()["isNew"]) == (200, False)
    assert Release.objects.count() == 1


def test_a_version_is_the_authors_to_choose(published: Plugin, alice: User) -> None:
    assert post(alice, "publish", {"version": "2.0.0"}).json()["release"]["version"] == "2.0.0"
    assert code_of(post(alice, "publish", {"version": "1.5.0"}), 409) == "version_not_new"
    for version in ("two", "1.0", "v1.0.0", "1.0.0 "):
        assert code_of(post(alice, "publish", {"version": version + "x"}), 400) == "invalid_version"
    for wrong in ({"version": 2}, {"notes": None}, {"note": "x"}, [1]):
        code_of(post(alice, "publish", wrong), 400)


def test_what_is_missing_is_listed(alice: User) -> None:
    bare(alice)
    response = post(alice, "publish", plugin="bare")
    assert code_of(response, 409) == "not_ready"
    assert response.json()["missing"] == ["It has no persona.", "None of its documents is ready."]


def test_a_gate_that_warns_says_so_and_one_that_blocks_does(plugin: Plugin, alice: User) -> None:
    GoldenQuestion.objects.create(plugin=plugin, question="Who was Caesar?", expectation="answer")
    assert post(alice, "publish").json()["warning"] == "0 of its 1 golden questions pass; 1 have to."
    Plugin.objects.update(golden_gate=GoldenGate.BLOCK, tone="brief")
    response = post(alice, "publish")
    assert code_of(response, 409) == "not_ready"
    assert "golden questions pass" in response.json()["missing"][0]


def test_off_the_air_and_on_again(published: Plugin, alice: User) -> None:
    assert post(alice, "unpublish").json()["isPublished"] is False
    published.refresh_from_db()
    assert not published.is_published
    assert post(alice, "publish").json()["isNew"] is False
    code_of(post(alice, "unpublish", {"surely": True}), 400)


def test_readiness_says_what_stands_in_the_way_and_what_would_change(published: Plugin, alice: User) -> None:
    shown = signed_in(alice).get("/api/plugins/cover/readiness").json()
    assert shown == {
        "isReady": True,
        "missing": [],
        "warning": "",
        "nextVersion": "1.1.0",
        "latestVersion": "1.0.0",
        "changes": [],
        "golden": {"policy": "warn", "questions": 0, "needed": 0, "passed": None, "isMet": True},
        "unsupportedEnds": [],
    }
    Plugin.objects.update(tone="brief", system_prompt="")
    shown = signed_in(alice).get("/api/plugins/cover/readiness").json()
    assert (shown["isReady"], shown["missing"]) == (False, ["It has no persona."])
    assert "The tone is now “brief”." in shown["changes"]
    tree = DecisionTree.objects.get()
    tree.tree_data["nodes"]["cover_severe"]["action"] = {"recommendation": "Call Professor Quillfeather"}
    tree.save()
    (end,) = signed_in(alice).get("/api/plugins/cover/readiness").json()["unsupportedEnds"]
    assert (end["tree"], end["recommendation"]) == (str(tree.pk), "Call Professor Quillfeather")
    assert end["why"]


# --- Releases -----------------------------------------------------------------------------------------------


def test_releases_are_listed_newest_first(two: Plugin, alice: User) -> None:
    shown = keyed(alice, "read").get("/api/plugins/cover/releases").json()["results"]
    assert [(one["version"], one["notes"]) for one in shown] == [("1.1.0", "Shorter answers."), ("1.0.0", "")]
    assert "systemPrompt" not in shown[0]


def test_a_longer_list_takes_no_more_statements(alice: User) -> None:
    plugin, client, taken = bare(alice), signed_in(alice), []
    for number in range(3):
        Release.objects.create(plugin=plugin, version=f"1.{number}.0", created_by=alice)
        with CaptureQueriesContext(connection) as statements:
            assert len(client.get("/api/plugins/bare/releases").json()["results"]) == number + 1
        taken.append(len(statements))
    assert taken == [4, 4, 4]


def test_a_release_shows_all_that_decides_its_answers(two: Plugin, alice: User) -> None:
    shown = signed_in(alice).get("/api/plugins/cover/releases/1.0.0").json()
    assert (shown["systemPrompt"], shown["tone"]) == ("You are an engineer.", "")
    tree = DecisionTree.objects.get()
    assert [(one["id"], one["treeData"]) for one in shown["trees"]] == [(str(tree.pk), tree.tree_data)]
    base = KnowledgeBase.objects.get()
    assert shown["knowledge"] == [{"knowledgeBase": base.pk, "revision": base.revision}]
    assert signed_in(alice).get("/api/plugins/cover/releases/latest").json()["version"] == "1.1.0"


def test_only_its_notes_may_change(two: Plugin, alice: User) -> None:
    client, address = signed_in(alice), "/api/plugins/cover/releases/1.0.0"
    etag = client.get(address)["ETag"]
    assert client.patch(address, {"notes": "The first."}, format="json").json()["notes"] == "The first."
    stale = client.patch(address, {"notes": "x"}, format="json", HTTP_IF_MATCH=etag)
    assert code_of(stale, 412) == "precondition_failed"
    code_of(client.patch(address, {"tone": "x"}, format="json"), 400)
    code_of(client.put(address, {"notes": "x"}, format="json"), 405)
    code_of(client.delete(address), 405)


def test_going_back_publishes_the_same_content_anew(two: Plugin, alice: User) -> None:
    response = post(alice, "releases/1.0.0/rollback")
    assert (response.status_code, response.json()["isNew"]) == (201, True)
    assert response.json()["release"]["version"] == "1.2.0"
    assert Release.objects.get(version="1.2.0").tone == ""
    again = post(alice, "releases/1.2.0/rollback")
    assert (again.status_code, again.json()["release"]["version"]) == (200, "1.2.0")
    two.refresh_from_db()
    assert two.tone == "brief"


def test_going_back_needs_the_knowledge_of_then(two: Plugin, alice: User) -> None:
    KnowledgeBase.objects.all().delete()
    assert code_of(post(alice, "releases/1.0.0/rollback"), 409) == "knowledge_gone"


@pytest.mark.parametrize("version", ["9.9.9", "draft", "%00", "1.0.0%20", "é", "1"])
def test_what_is_no_release_of_it_is_not_found(published: Plugin, alice: User, version: str) -> None:
    client = signed_in(alice)
    assert code_of(client.get(f"/api/plugins/cover/releases/{version}"), 404) == "unknown_release"
    code_of(client.post(f"/api/plugins/cover/releases/{version}/rollback"), 404)


def test_a_release_of_another_plugin_is_not_found(published: Plugin, alice: User) -> None:
    bare(alice)
    code_of(signed_in(alice).get("/api/plugins/bare/releases/1.0.0"), 404)
    code_of(signed_in(alice).get("/api/plugins/bare/releases/latest"), 404)


# --- Who may --------------------------------------------------------------------------------------------------

READ = ["releases", "releases/1.0.0", "readiness"]
CHANGE = ["publish", "unpublish", "releases/1.0.0/rollback"]


def test_an_editor_publishes(plugin: Plugin, bob: User) -> None:
    plugin.editors.add(bob)
    assert post(bob, "publish").json()["release"]["createdBy"] == "Bob"


def test_a_viewer_looks_and_publishes_nothing(published: Plugin, bob: User) -> None:
    published.viewers.add(bob)
    for address in READ:
        response = signed_in(bob).get(f"/api/plugins/cover/{address}")
        assert response.status_code == 200, address
    for address in CHANGE:
        assert code_of(post(bob, address), 403) == "read_only"
    response = signed_in(bob).patch("/api/plugins/cover/releases/1.0.0", {"notes": "x"}, format="json")
    assert code_of(response, 403) == "read_only"


def test_charlie_finds_no_release(published: Plugin, charlie: User) -> None:
    for address in READ:
        assert code_of(signed_in(charlie).get(f"/api/plugins/cover/{address}"), 404) == "unknown_plugin"
    for address in CHANGE:
        assert code_of(post(charlie, address), 404) == "unknown_plugin"


def test_a_key_that_reads_publishes_nothing(published: Plugin, alice: User) -> None:
    client = keyed(alice, "read")
    for address in READ:
        response = client.get(f"/api/plugins/cover/{address}")
        assert response.status_code == 200, address
    for address in CHANGE:
        assert code_of(client.post(f"/api/plugins/cover/{address}"), 403) == "missing_capability"
