"""Projects over the API: whose they are, what members may do, and that nobody else sees anything of them."""

from __future__ import annotations

import os
import zipfile
from typing import Any
from uuid import uuid4

import pytest
from allauth.account.models import EmailAddress

from accounts.models import User
from conversations.models import Project
from knowledge.models import BaseMember, Document, KnowledgeBase
from plugins.models import Plugin
from privacy.account_deletion import delete_account
from privacy.data_export import export_personal_data
from privacy.tasks import delete_files
from tests.api.callers import assert_error, by_key, signed_in
from tests.api.private_documents import add, confirm, make_project
from tests.stored_files import stored_path

pytestmark = pytest.mark.django_db
TEXT = "The settlement with Marrow Ltd is nineteen thousand pounds."


def set_members(client: Any, project: str, *, editors: Any = (), viewers: Any = ()) -> Any:
    return client.put(f"{project}/members", {"editors": [*editors], "viewers": [*viewers]}, format="json")


def test_jl_005_a_project_is_made_shown_changed_and_listed(alice: User) -> None:
    client = signed_in(alice)
    project = make_project(client, description="The dispute.")
    shown = client.get(project).json()
    assert (shown["name"], shown["description"], shown["role"], shown["documents"]) == (
        "Marrow",
        "The dispute.",
        "owner",
        0,
    )
    assert shown["members"] == {"editors": [], "viewers": []}
    assert client.patch(project, {"name": "Marrow v. Stone"}, format="json").json()["name"] == "Marrow v. Stone"
    listed = client.get("/api/projects").json()
    assert [one["id"] for one in listed["results"]] == [shown["id"]]
    assert listed["next"] is None


def test_lists_go_by_cursor(alice: User) -> None:
    client = signed_in(alice)
    for number in range(3):
        make_project(client, name=f"Matter {number}")
    first = client.get("/api/projects?limit=2").json()
    rest = client.get(first["next"]).json()
    names = [one["name"] for one in [*first["results"], *rest["results"]]]
    assert names == ["Matter 2", "Matter 1", "Matter 0"]


@pytest.mark.parametrize(
    "body", [{}, {"name": ""}, {"name": 7}, {"name": "x", "owner": "me"}, {"name": "x" * 121}, {"description": "x"}]
)
def test_bodies_are_strict(alice: User, body: dict[str, Any]) -> None:
    assert_error(signed_in(alice).post("/api/projects", body, format="json"), 400, "invalid")
    assert not KnowledgeBase.objects.exists()


def test_its_plugin_is_one_that_the_caller_may_ask(alice: User, bob: User) -> None:
    Plugin.objects.create(owner=bob, name="Bobs", slug="bobs", domain="x", system_prompt="x")
    client = signed_in(alice)
    body = {"name": "x", "plugin": "bobs"}
    assert_error(client.post("/api/projects", body, format="json"), 404, "unknown_plugin")
    Plugin.objects.update(is_published=True)
    assert client.post("/api/projects", body, format="json").json()["plugin"] == "bobs"
    Plugin.objects.update(is_published=False)
    assert client.get("/api/projects").json()["results"][0]["plugin"] is None


def test_jl_005_members_read_and_editors_change(alice: User, bob: User, charlie: User) -> None:
    owner = signed_in(alice)
    project = make_project(owner)
    document = f"{project}/documents/{add(owner, f'{project}/documents', 'Settlement', TEXT)}"
    confirm(bob, charlie)
    answer = set_members(owner, project, editors=[bob.email.upper()], viewers=[charlie.email])
    assert answer.json()["members"] == {"editors": [bob.email], "viewers": [charlie.email]}
    for person, role in ((bob, "editor"), (charlie, "viewer")):
        shown = signed_in(person).get(project).json()
        assert (shown["role"], shown["members"]) == (role, None)
        assert signed_in(person).get(document).json()["mayChange"] is (role == "editor")
    add(signed_in(bob), f"{project}/documents", "Annex", "Bob adds an annex.")
    assert signed_in(bob).patch(project, {"description": "Ours."}, format="json").status_code == 200
    viewer = signed_in(charlie)
    refusals = [
        viewer.patch(project, {"name": "Mine"}, format="json"),
        viewer.delete(project),
        viewer.post(f"{project}/documents", {"title": "x", "text": "x"}, format="json"),
        viewer.patch(document, {"title": "x"}, format="json"),
        viewer.delete(document),
        set_members(viewer, project),
    ]
    for refusal in refusals:
        assert_error(refusal, 403, "read_only")
    for refusal in (signed_in(bob).delete(project), set_members(signed_in(bob), project)):
        assert_error(refusal, 403, "only_its_owner")
    assert Document.objects.present().count() == 2


def test_whoever_is_taken_off_sees_nothing_any_more(alice: User, bob: User) -> None:
    owner = signed_in(alice)
    project = make_project(owner)
    document = f"{project}/documents/{add(owner, f'{project}/documents', 'Settlement', TEXT)}"
    confirm(bob)
    set_members(owner, project, viewers=[bob.email])
    assert signed_in(bob).get(document).status_code == 200
    set_members(owner, project)
    assert signed_in(bob).get(document).status_code == signed_in(bob).get(project).status_code == 404
    assert signed_in(bob).get("/api/projects").json()["results"] == []


def test_jl_007_jl_008_strangers_operators_and_keys_find_no_project(alice: User, bob: User) -> None:
    owner = signed_in(alice)
    project = make_project(owner)
    document = f"{project}/documents/{add(owner, f'{project}/documents', 'Settlement', TEXT)}"
    plugin = Plugin.objects.create(owner=alice, name="Cover", domain="x", system_prompt="x")
    operator = User.objects.create_superuser("olga@example.org", "correct horse battery")
    for client in (signed_in(bob), signed_in(operator), by_key(bob), by_key(alice, plugins=[plugin])):
        assert client.get("/api/projects").json()["results"] == []
        for address in (project, document, f"{project}/documents"):
            assert_error(client.get(address), 404, "unknown_project")
            assert client.delete(address).status_code in (404, 405)
        assert_error(set_members(client, project, editors=[bob.email]), 404, "unknown_project")
        body = {"query": "settlement", "projectId": project.rpartition("/")[2]}
        assert_error(client.post("/api/knowledge/search", body, format="json"), 404, "unknown_project")


def test_a_key_needs_to_ask_and_read_and_to_change_something_to_author(alice: User) -> None:
    project = make_project(signed_in(alice))
    assert by_key(alice, "query", "read").get(project).status_code == 200
    for capabilities in (["query"], ["read"], ["author"], ["query", "author"]):
        assert_error(by_key(alice, *capabilities).get(project), 403, "missing_capability")
    assert_error(by_key(alice, "query", "read").delete(project), 403, "missing_capability")
    assert by_key(alice).patch(project, {"name": "By key"}, format="json").json()["name"] == "By key"


def test_a_key_that_is_limited_to_plugins_makes_nothing_private(alice: User) -> None:
    plugin = Plugin.objects.create(owner=alice, name="Cover", domain="x", system_prompt="x")
    client = by_key(alice, plugins=[plugin])
    assert_error(client.post("/api/projects", {"name": "x"}, format="json"), 403, "limited_key")
    body = {"title": "x", "text": "x"}
    assert_error(client.post("/api/knowledge/documents", body, format="json"), 403, "limited_key")
    assert_error(client.post("/api/knowledge/search", {"query": "x"}, format="json"), 403, "limited_key")
    assert not KnowledgeBase.objects.exists()


def test_one_is_told_the_same_of_every_address(alice: User, bob: User) -> None:
    confirm(bob)
    client = signed_in(alice)
    project = make_project(client)
    told = []
    for email in (bob.email, "nobody@example.org"):
        answer = set_members(client, project, viewers=[email])
        told.append(answer.content.decode().replace(email, "…"))
        told.append(client.get(project).content.decode().replace(email, "…"))
    # Only the moment of the change is another one.
    before = [one.partition('"updatedAt"')[0] for one in told]
    assert before[:2] == before[2:]


@pytest.mark.parametrize("email", ["not an address", "", 7])
def test_a_member_is_an_address_that_stands_there_once(alice: User, email: Any) -> None:
    client = signed_in(alice)
    project = make_project(client)
    assert_error(set_members(client, project, viewers=[email]), 400, "invalid")
    twice = set_members(client, project, editors=["a@example.org"], viewers=["A@example.org"])
    assert_error(twice, 400, "invalid")
    assert not BaseMember.objects.exists()


def test_quotas_hold(alice: User, settings: Any) -> None:
    settings.QUOTAS = settings.QUOTAS | {"account_projects": 1, "project_people": 1}
    client = signed_in(alice)
    project = make_project(client)
    assert_error(client.post("/api/projects", {"name": "x"}, format="json"), 409, "too_many_projects")
    people = ["a@example.org", "b@example.org"]
    assert_error(set_members(client, project, viewers=people), 409, "too_many_people")


def test_a_document_of_another_project_is_not_found_in_this_one(alice: User) -> None:
    client = signed_in(alice)
    one, other = make_project(client), make_project(client, name="Other")
    document = add(client, f"{one}/documents", "Settlement", TEXT)
    assert_error(client.get(f"{other}/documents/{document}"), 404, "unknown_document")
    assert_error(client.get(f"{other}/documents/{uuid4()}"), 404, "unknown_document")
    assert_error(client.get(f"/api/knowledge/documents/{document}"), 404, "unknown_document")


@pytest.mark.parametrize("whole_account", [False, True])
def test_jl_008_nothing_is_left_of_a_deleted_project(
    alice: User, whole_account: bool, django_capture_on_commit_callbacks: Any, settings: Any
) -> None:
    client = signed_in(alice)
    project = make_project(client)
    add(client, f"{project}/documents", "Settlement", TEXT)
    set_members(client, project, viewers=["x@example.org"])
    stored = Document.objects.get().sha256
    assert stored_path(stored).exists()
    with django_capture_on_commit_callbacks():
        if whole_account:
            delete_account(alice)
        else:
            assert client.delete(project).status_code == 204
    for model in (Project, KnowledgeBase, Document, BaseMember):
        assert not model._default_manager.exists()
    _make_old(stored)
    delete_files(hashes=[stored])
    assert not stored_path(stored).exists()


def _make_old(sha256: str) -> None:
    os.utime(stored_path(sha256), (0, 0))


def test_the_export_of_a_person_holds_their_projects(alice: User) -> None:
    client = signed_in(alice)
    document = add(client, f"{make_project(client)}/documents", "Settlement", TEXT)
    with export_personal_data(alice) as file, zipfile.ZipFile(file) as archive:
        assert b'"name": "Marrow"' in archive.read("projects.jsonl")
        assert b'"kind": "project"' in archive.read("knowledge_bases.jsonl")
        [name] = [name for name in archive.namelist() if name.startswith(f"documents/{document}/")]
        assert archive.read(name).decode() == TEXT


def test_an_unconfirmed_address_opens_nothing(alice: User, bob: User) -> None:
    project = make_project(signed_in(alice))
    confirm(bob)
    EmailAddress.objects.update(verified=False)
    set_members(signed_in(alice), project, editors=[bob.email])
    assert signed_in(bob).get(project).status_code == 404


def test_an_address_that_grows_in_lower_case_is_too_long(alice: User) -> None:
    client = signed_in(alice)
    project = make_project(client)
    address = f"a@{'İ' * 40}.{'b' * 60}.{'c' * 60}.{'d' * 60}.org"
    assert len(address) <= 254 < len(address.lower())
    assert_error(set_members(client, project, viewers=[address]), 400, "invalid")


def test_a_new_name_is_shown_with_its_documents_too(alice: User) -> None:
    client = signed_in(alice)
    project = make_project(client)
    document = add(client, f"{project}/documents", "Settlement", TEXT)
    assert client.patch(project, {"name": "Harbour"}, format="json").status_code == 200
    assert client.get(f"{project}/documents/{document}").json()["knowledgeBase"] == "Harbour"


def test_only_its_owner_changes_whom_a_project_asks(alice: User, bob: User) -> None:
    project = make_project(signed_in(alice))
    confirm(bob)
    set_members(signed_in(alice), project, editors=[bob.email])
    assert_error(signed_in(bob).patch(project, {"plugin": None}, format="json"), 403, "only_its_owner")
    assert signed_in(bob).patch(project, {"description": "New"}, format="json").status_code == 200


def test_what_is_deleted_meanwhile_is_not_changed(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    client = signed_in(alice)
    project = make_project(client)
    monkeypatch.setattr(Project, "change", lambda self, **fields: False)
    assert_error(client.patch(project, {"name": "Harbour"}, format="json"), 404, "unknown_project")


def test_whoever_has_not_confirmed_an_address_takes_no_membership_along(alice: User) -> None:
    client = signed_in(alice)
    project = make_project(client)
    set_members(client, project, editors=["victim@example.org"])
    stranger = User.objects.create_user("victim@example.org", "correct horse battery")
    EmailAddress.objects.create(user=stranger, email=stranger.email, verified=False, primary=True)
    delete_account(stranger)
    assert BaseMember.objects.get().email == "victim@example.org"


# --- Versions ---------------------------------------------------------------------------------------------------------


def test_a_project_has_a_version(alice: User, bob: User) -> None:
    client = signed_in(alice)
    project = make_project(client)
    first = client.get(project)
    assert client.get(project, headers={"If-None-Match": first["ETag"]}).status_code == 304
    changed = client.patch(project, {"description": "x"}, format="json", headers={"If-Match": first["ETag"]})
    assert (changed.status_code, changed.json()["description"]) == (200, "x")
    assert changed["ETag"] == client.get(project)["ETag"] != first["ETag"]
    stale = client.patch(project, {"description": "y"}, format="json", headers={"If-Match": first["ETag"]})
    assert_error(stale, 412, "precondition_failed")
    assert_error(client.delete(project, headers={"If-Match": first["ETag"]}), 412, "precondition_failed")
    assert client.get(project).json()["description"] == "x"
    assert client.delete(project, headers={"If-Match": changed["ETag"]}).status_code == 204


def test_two_owners_tabs_do_not_undo_each_others_members(alice: User, bob: User, charlie: User) -> None:
    client = signed_in(alice)
    project = make_project(client)
    seen = client.get(project)["ETag"]
    first = set_members(client, project, viewers=[bob.email])
    assert first["ETag"] == client.get(project)["ETag"] != seen
    body = {"editors": [], "viewers": [charlie.email]}
    stale = client.put(f"{project}/members", body, format="json", headers={"If-Match": seen})
    assert_error(stale, 412, "precondition_failed")
    assert client.get(project).json()["members"]["viewers"] == [bob.email]
    again = client.put(f"{project}/members", body, format="json", headers={"If-Match": first["ETag"]})
    assert again.json()["members"]["viewers"] == [charlie.email]


def test_the_version_changes_with_the_documents_and_what_one_may_see(alice: User, bob: User) -> None:
    confirm(bob)
    client = signed_in(alice)
    project = make_project(client)
    set_members(client, project, editors=[bob.email])
    before = client.get(project)["ETag"]
    assert signed_in(bob).get(project)["ETag"] != before, "an editor sees no members"
    add(client, f"{project}/documents", "Note", TEXT)
    assert client.get(project)["ETag"] != before
