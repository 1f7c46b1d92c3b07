"""Projects on their pages: made, shown by role, changed, shared and deleted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from conversations.models import ChatSession, Project
from knowledge.models import BaseMember, Document
from plugins.models import Plugin
from tests.api.private_documents import confirm
from tests.security.world import everything

pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]


def page_of(client: Client, address: str, status: int = 200) -> str:
    response = client.get(address)
    assert response.status_code == status
    return response.content.decode()


def test_whoever_has_not_signed_in_is_asked_to(client: Client) -> None:
    for address in ("/projects", "/knowledge"):
        response = client.get(address)
        assert response.status_code == 302
        assert response["Location"] == f"/accounts/login/?next={address}"


def test_a_project_is_made_and_listed(alice: User, browse: Browse) -> None:
    client = browse(alice)
    assert "No projects." in page_of(client, "/projects")
    response = client.post("/projects", {"name": " Marrow  Ltd ", "description": "The dispute."})
    project = Project.objects.get()
    assert response["Location"] == f"/projects/{project.pk}"
    assert (project.name, project.owner, project.knowledge_base.name) == ("Marrow Ltd", alice, "Marrow Ltd")
    assert f'<a href="/projects/{project.pk}"><bdi>Marrow Ltd</bdi></a>' in page_of(client, "/projects")
    assert "No documents." in page_of(client, f"/projects/{project.pk}")


@pytest.mark.parametrize("fields", [{}, {"name": "  "}, {"name": "x" * 121}, {"name": "\u202e"}])
def test_a_wrong_form_makes_nothing(alice: User, browse: Browse, fields: dict[str, str]) -> None:
    response = browse(alice).post("/projects", {"description": "kept words", **fields})
    assert response.status_code == 400
    assert "kept words" in response.content.decode()
    assert not Project.objects.exists()


def test_its_plugin_is_one_that_the_person_may_ask(alice: User, bob: User, project: Project, browse: Browse) -> None:
    plugin = Plugin.objects.create(owner=bob, name="Bobs", slug="bobs", domain="x", system_prompt="x")
    client, address = browse(alice), f"/projects/{project.pk}"
    fields = {"name": "Marrow", "plugin": "bobs"}
    assert client.post(address, fields).status_code == 400
    Plugin.objects.update(is_published=True)
    assert client.post(address, fields).status_code == 302
    project.refresh_from_db()
    assert project.plugin == plugin
    # One that can no longer be asked is not named, and a new name does not take it away.
    Plugin.objects.update(is_published=False)
    assert "bobs" not in page_of(client, address)
    client.post(address, {"name": "Marrow v. Stone"})
    project.refresh_from_db()
    assert (project.name, project.plugin) == ("Marrow v. Stone", plugin)


def test_each_role_sees_what_it_may_use(alice: User, bob: User, dana: User, shared: Project, browse: Browse) -> None:
    address = f"/projects/{shared.pk}"
    owners, editors, viewers = (page_of(browse(person), address) for person in (alice, bob, dana))
    for page in (owners, editors, viewers):
        assert "The dispute." in page
        assert "Settlement" in page
    for page, count in ((owners, "all"), (editors, "files"), (viewers, "none")):
        assert ("Add member" in page) == ("Delete project" in page) == ("dana@example.org" in page) == (count == "all")
        assert ("Paste text" in page) == (">Save<" in page) == (count != "none")
    assert 'method="post"' not in viewers
    assert 'name="plugin"' not in editors


def test_what_a_role_may_not_do_is_refused(bob: User, dana: User, shared: Project, browse: Browse) -> None:
    document = Document.objects.get()
    root = f"/projects/{shared.pk}"
    below = ["", "/files", "/text", "/addresses", f"/documents/{document.pk}/retry", f"/documents/{document.pk}/delete"]
    owners = ["/delete", "/members", "/members/remove"]
    before = everything()
    fields = {
        "name": "Taken",
        "title": "x",
        "text": "x",
        "addresses": "https://example.org",
        "email": "dana@example.org",
    }
    for person, addresses in ((dana, below + owners), (bob, owners)):
        for address in addresses:
            assert browse(person).post(root + address, fields).status_code == 403, address
    refused = browse(dana).get(f"{root}/documents/{document.pk}/delete")
    assert refused.status_code == 403
    assert "You may read these documents, and not change them. Ask the owner of the project" in refused.text
    assert everything() == before


def test_strangers_and_operators_find_nothing(charlie: User, shared: Project, browse: Browse) -> None:
    operator = User.objects.create_superuser("olga@example.org", "correct horse battery")
    document = Document.objects.get()
    own = Project.objects.create_with_base(owner=charlie, name="Own")
    before = everything()
    for person in (charlie, operator):
        client = browse(person)
        for root in (f"/projects/{shared.pk}", f"/projects/{own.pk}", "/knowledge"):
            for address in (f"{root}/documents/{document.pk}/retry", f"{root}/documents/{document.pk}/delete"):
                assert client.post(address).status_code == 404
        for address in ("", "/delete", "/documents"):
            assert client.get(f"/projects/{shared.pk}{address}").status_code == 404
        for address in ("", "/delete", "/members", "/members/remove", "/files", "/text", "/addresses"):
            assert client.post(f"/projects/{shared.pk}{address}", {"name": "x"}).status_code == 404
        assert "Marrow" not in page_of(client, "/projects")
    assert everything() == before


def test_members_come_change_and_go(alice: User, bob: User, project: Project, browse: Browse) -> None:
    client, address = browse(alice), f"/projects/{project.pk}/members"
    assert client.post(address, {"email": "Bob@Example.org", "role": "viewer"}).status_code == 302
    assert client.post(address, {"email": "bob@example.org", "role": "editor"}).status_code == 302
    assert list(BaseMember.objects.values_list("email", "role")) == [("bob@example.org", "editor")]
    for wrong in ({"email": "nobody", "role": "viewer"}, {"email": "a@b.org", "role": "owner"}, {"email": alice.email}):
        assert client.post(address, wrong).status_code == 400
    client.post(f"{address}/remove", {"email": "bob@example.org"})
    assert not BaseMember.objects.exists()


def test_a_project_has_no_more_members_than_its_quota(
    alice: User, project: Project, browse: Browse, settings: Any
) -> None:
    settings.QUOTAS = {**settings.QUOTAS, "project_people": 1}
    client, address = browse(alice), f"/projects/{project.pk}/members"
    client.post(address, {"email": "one@example.org", "role": "viewer"})
    response = client.post(address, {"email": "two@example.org", "role": "viewer"})
    assert (response.status_code, "Remove somebody first." in response.content.decode()) == (400, True)
    # Another role is no other person.
    assert client.post(address, {"email": "one@example.org", "role": "editor"}).status_code == 302


def test_whoever_is_taken_off_finds_it_no_more(alice: User, bob: User, shared: Project, browse: Browse) -> None:
    assert "Marrow" in page_of(browse(bob), "/projects")
    browse(alice).post(f"/projects/{shared.pk}/members/remove", {"email": bob.email})
    assert "Marrow" not in page_of(browse(bob), "/projects")
    page_of(browse(bob), f"/projects/{shared.pk}", status=404)


def test_a_member_leaves_once_that_is_confirmed(bob: User, dana: User, shared: Project, browse: Browse) -> None:
    ChatSession.objects.begin_private(user=bob, project=shared, title="Bob's question")
    client, address = browse(bob), f"/projects/{shared.pk}/leave"
    assert f'href="{address}"' in page_of(client, f"/projects/{shared.pk}")
    assert "Your 1 conversation in it stays yours" in page_of(client, address)
    assert shared.knowledge_base.members.count() == 2
    assert client.post(address)["Location"] == "/projects"
    assert list(shared.knowledge_base.members.values_list("email", flat=True)) == [dana.email]
    page_of(client, f"/projects/{shared.pk}", status=404)


def test_its_owner_does_not_leave(alice: User, shared: Project, browse: Browse) -> None:
    client, address = browse(alice), f"/projects/{shared.pk}/leave"
    assert address not in page_of(client, f"/projects/{shared.pk}")
    assert (client.get(address).status_code, client.post(address).status_code) == (403, 403)
    assert Project.objects.visible_to(alice).exists()


def test_the_page_says_who_opens_the_project_and_what_a_role_may_do(
    alice: User, bob: User, dana: User, project: Project, browse: Browse
) -> None:
    address = f"/projects/{project.pk}"
    assert "Only you can open it" in page_of(browse(alice), address)
    confirm(bob, dana)
    for person, role in ((bob, "editor"), (dana, "viewer")):
        project.set_member(person.email, role)
    owners, editors, viewers = (page_of(browse(person), address) for person in (alice, bob, dana))
    assert "2 people</a>" in owners
    assert "A viewer reads the documents and reviews" in owners
    assert ("You are an editor" in editors, "You are a viewer" in viewers) == (True, True)
    assert "You also add and delete documents" in editors
    assert "You also add" not in viewers


def test_plugins_are_chosen_among_those_that_the_person_may_ask(
    alice: User, bob: User, project: Project, browse: Browse
) -> None:
    Plugin.objects.create(owner=alice, name="Cover", slug="cover", domain="x", system_prompt="x")
    Plugin.objects.create(owner=bob, name="Bobs", slug="bobs", domain="x", system_prompt="x")
    page = page_of(browse(alice), f"/projects/{project.pk}")
    assert '<option value="cover">Cover</option>' in page
    assert "bobs" not in page
    assert browse(alice).post(f"/projects/{project.pk}", {"name": "Marrow", "plugin": "cover"}).status_code == 302
    page = page_of(browse(alice), f"/projects/{project.pk}")
    assert '<option value="cover" selected>Cover</option>' in page
    assert "asks Cover</p>" in page  # a draft has no page
    Plugin.objects.filter(slug="cover").update(is_published=True)
    assert '<a href="/marketplace/cover">Cover</a>' in page_of(browse(alice), f"/projects/{project.pk}")


def test_plugins_of_one_name_are_told_apart(alice: User, project: Project, browse: Browse) -> None:
    for slug in ("cover", "cover-1"):
        Plugin.objects.create(owner=alice, name="Cover", slug=slug, domain="x", system_prompt="x")
    page = page_of(browse(alice), f"/projects/{project.pk}")
    assert ("Cover (cover)</option>" in page, "Cover (cover-1)</option>" in page) == (True, True)


def test_a_project_is_deleted_once_what_is_lost_was_shown(
    alice: User, bob: User, shared: Project, browse: Browse
) -> None:
    ChatSession.objects.begin_private(user=bob, project=shared, title="Bob's question")
    address = f"/projects/{shared.pk}/delete"
    page = page_of(browse(alice), address)
    for loss in ("1 document,", "1 conversation in it", "the access of 2 members"):
        assert loss in page
    assert Project.objects.exists()
    assert browse(alice).post(address)["Location"] == "/projects"
    assert not Project.objects.exists()
    assert not ChatSession.objects.exists()
    assert not Document.objects.exists()


@pytest.mark.parametrize("address", ["/projects", "/knowledge"])
def test_the_number_of_statements_does_not_grow(alice: User, browse: Browse, address: str) -> None:
    client, counts = browse(alice), []
    for number in (1, 2):
        for _ in range(number):
            Project.objects.create_with_base(owner=alice, name=f"Matter {number}")
        with CaptureQueriesContext(connection) as asked:
            page_of(client, address)
        counts.append(len(asked))
    assert counts[0] == counts[1] <= 12
