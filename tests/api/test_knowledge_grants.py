"""Which plugins use a knowledge base of another one: asked for, agreed to and ended over the API as in the builder."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from accounts.models import User
from knowledge.models import KnowledgeBase, KnowledgeGrant
from lexic.database import release_connections
from plugins.models import Plugin
from tests.api.callers import assert_error, by_key, signed_in
from tests.remembered import remembered

pytestmark = pytest.mark.django_db


@pytest.fixture
@remembered
def base(alice: User, bob: User) -> KnowledgeBase:
    """Of Alice's private plugin, which Bob edits."""
    tower = Plugin.objects.create(owner=alice, name="Tower", slug="tower", domain="x", system_prompt="x")
    tower.editors.add(bob)
    return KnowledgeBase.objects.create(owner=alice, plugin=tower, name="Tower")


@pytest.fixture
@remembered
def formwork(bob: User) -> Plugin:
    return Plugin.objects.create(owner=bob, name="Formwork", slug="formwork", domain="x", system_prompt="x")


def test_an_editor_asks_and_the_owner_agrees_and_ends_it(
    alice: User, bob: User, base: KnowledgeBase, formwork: Plugin
) -> None:
    asking, owner = by_key(bob), signed_in(alice)
    (seen,) = asking.get("/api/knowledge-bases").json()["results"]
    assert (seen["id"], seen["plugin"], seen["documents"], seen["isEditable"]) == (base.pk, "tower", 0, True)
    asked = asking.post("/api/plugins/formwork/knowledge-grants", {"knowledgeBase": base.pk}, format="json")
    assert (asked.status_code, asked.json()["state"], asked.json()["grantedBy"]) == (201, "requested", None)
    (request,) = owner.get("/api/knowledge-grants").json()["results"]
    assert request == asked.json()
    assert request["plugin"] == {"slug": "formwork", "name": "Formwork", "owner": "Bob"}
    url = f"/api/knowledge-grants/{request['id']}"
    given = owner.patch(url, {"consent": "published"}, format="json").json()
    assert (given["state"], given["consent"], given["grantedBy"]) == ("granted", "published", "Alice")
    assert owner.get(url).json() == given
    assert KnowledgeBase.objects.open_to(formwork, least="published").filter(pk=base.pk).exists()
    assert asking.get("/api/plugins/formwork/knowledge-grants").json()["results"] == [given]
    assert owner.delete(url).status_code == 204
    assert not KnowledgeBase.objects.open_to(formwork).exists()
    for client, address in [(owner, "/api/knowledge-grants"), (asking, "/api/plugins/formwork/knowledge-grants")]:
        assert client.get(address).json()["results"] == []
    assert_error(owner.delete(url), 404, "unknown_grant")


def test_an_owner_of_both_attaches_at_once_and_detaches(alice: User, base: KnowledgeBase) -> None:
    roof = Plugin.objects.create(owner=alice, name="Roof", slug="roof", domain="x", system_prompt="x")
    client = by_key(alice)
    url = "/api/plugins/roof/knowledge-grants"
    made = client.post(url, {"knowledgeBase": base.pk}, format="json").json()
    assert (made["state"], made["consent"], made["isAttached"]) == ("granted", "shared", True)
    assert_error(client.post(url, {"knowledgeBase": base.pk}, format="json"), 404, "unknown_knowledge_base")
    assert client.delete(f"{url}/{made['id']}").status_code == 204
    assert not KnowledgeBase.objects.of_plugin(roof).exists()
    (left,) = client.get(url).json()["results"]
    assert (left["state"], left["isAttached"]) == ("granted", False)  # for releases that read it
    assert_error(client.delete(f"{url}/{made['id']}"), 404, "unknown_grant")


def test_a_grant_lapses_with_the_access_of_its_person(
    alice: User, bob: User, base: KnowledgeBase, formwork: Plugin
) -> None:
    KnowledgeGrant.objects.attach(base, formwork, by=bob).give(by=alice, consent="draft")
    base.plugin.editors.remove(bob)
    (shown,) = signed_in(alice).get("/api/knowledge-grants").json()["results"]
    assert shown["state"] == "lapsed"


def test_nobody_but_the_owner_decides(
    alice: User, bob: User, charlie: User, base: KnowledgeBase, formwork: Plugin
) -> None:
    grant = KnowledgeGrant.objects.attach(base, formwork, by=bob)
    for person in (bob, charlie):
        for client in (signed_in(person), by_key(person)):
            assert client.get("/api/knowledge-grants").json()["results"] == []
            assert_error(
                client.patch(f"/api/knowledge-grants/{grant.pk}", {"consent": "shared"}, format="json"),
                404,
                "unknown_grant",
            )
    charlies = Plugin.objects.create(owner=charlie, name="Hats", slug="hats", domain="x", system_prompt="x")
    client = by_key(charlie)
    assert client.get("/api/knowledge-bases").json()["results"] == []
    assert_error(
        client.post("/api/plugins/hats/knowledge-grants", {"knowledgeBase": base.pk}, format="json"),
        404,
        "unknown_knowledge_base",
    )
    assert_error(client.delete(f"/api/plugins/hats/knowledge-grants/{grant.pk}"), 404, "unknown_grant")
    assert not charlies.knowledge_grants.exists()
    grant.refresh_from_db()
    assert (grant.granted_at, grant.ended_at) == (None, None)


def test_a_key_for_one_plugin_decides_on_that_plugins_base_alone(
    alice: User, bob: User, base: KnowledgeBase, formwork: Plugin
) -> None:
    grant = KnowledgeGrant.objects.attach(base, formwork, by=bob)
    roof = Plugin.objects.create(owner=alice, name="Roof", slug="roof", domain="x", system_prompt="x")
    url, body = f"/api/knowledge-grants/{grant.pk}", {"consent": "draft"}
    narrow = by_key(alice, plugins=[roof])
    assert narrow.get("/api/knowledge-grants").json()["results"] == []
    assert narrow.get("/api/knowledge-bases").json()["results"] == []
    assert_error(narrow.patch(url, body, format="json"), 404, "unknown_grant")
    asked = narrow.post("/api/plugins/roof/knowledge-grants", {"knowledgeBase": base.pk}, format="json")
    assert_error(asked, 404, "unknown_knowledge_base")
    assert by_key(alice, plugins=[base.plugin]).patch(url, body, format="json").json()["state"] == "granted"


def test_a_reading_key_looks_and_decides_nothing(alice: User, bob: User, base: KnowledgeBase, formwork: Plugin) -> None:
    grant = KnowledgeGrant.objects.attach(base, formwork, by=bob)
    client = by_key(alice, "read")
    assert len(client.get("/api/knowledge-grants").json()["results"]) == 1
    url = f"/api/knowledge-grants/{grant.pk}"
    assert_error(client.patch(url, {"consent": "draft"}, format="json"), 403, "missing_capability")
    assert_error(client.delete(url), 403, "missing_capability")


@pytest.mark.parametrize("body", [{}, {"consent": "all"}, {"consent": ["draft"]}, {"consent": "draft", "end": True}])
def test_what_is_no_consent_is_refused(
    alice: User, bob: User, base: KnowledgeBase, formwork: Plugin, body: dict[str, object]
) -> None:
    grant = KnowledgeGrant.objects.attach(base, formwork, by=bob)
    assert_error(by_key(alice).patch(f"/api/knowledge-grants/{grant.pk}", body, format="json"), 400, "invalid")


@pytest.mark.django_db(transaction=True)
def test_two_who_ask_at_once_make_one_request(bob: User, base: KnowledgeBase, formwork: Plugin) -> None:
    def ask(_: int) -> int:
        with release_connections():
            return KnowledgeGrant.objects.attach(base, formwork, by=bob).pk

    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(ask, range(4)))
    assert len(made) == 4
    assert KnowledgeGrant.objects.open().count() == 1
