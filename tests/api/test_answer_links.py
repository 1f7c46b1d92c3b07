"""Links to answers by the API: made by the caller, revoked by the caller and by whoever edits the plugin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import ApiKey, User
from plugins.models import Plugin
from querying.answer_links import LinkRevokedByAuthor
from querying.models import AnswerLink, Query
from querying.query_log.shared_answers import make_link
from tests.two_transactions import wait_in_turn

pytestmark = pytest.mark.django_db


@pytest.fixture
def plugin(alice: User) -> Plugin:
    return Plugin.objects.create(
        owner=alice, name="Boots", slug="boots", domain="x", system_prompt="x", is_published=True
    )


def client_of(user: User, *capabilities: str) -> APIClient:
    _, secret = ApiKey.objects.issue(owner=user, name="x", capabilities=list(capabilities) or ["query"])
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client


def asked(plugin: Plugin, user: User, **columns: Any) -> str:
    key = ApiKey.objects.get(owner=user)
    private = {} if columns.get("is_private") else {"plugin": plugin}
    given = {"outcome": "answered", "citations": [{"documentId": "x", "excerpt": "y"}], **private} | columns
    row = Query.objects.create(question="?", release_name="boots@1.0.0", api_key=key, user=user, **given)
    return f"/api/queries/{row.pk}/link"


def test_the_caller_shares_and_revokes(plugin: Plugin, bob: User, charlie: User) -> None:
    client = client_of(bob)
    address = asked(plugin, bob)
    made = client.post(address)
    assert made.status_code == 200
    assert made.json()["url"].endswith(f"/answers/{AnswerLink.objects.get().token}")
    assert client.post(address).json() == made.json()
    for method in ("post", "delete"):
        assert getattr(client_of(charlie, "query", "author"), method)(address).status_code == 404
    assert AnswerLink.objects.live().exists()
    assert client.delete(address).status_code == 204
    assert not AnswerLink.objects.live().exists()
    assert client.post(address).json()["url"] != made.json()["url"]


def test_what_an_editor_revokes_is_not_shared_again(plugin: Plugin, alice: User, bob: User) -> None:
    client = client_of(bob)
    address = asked(plugin, bob)
    client.post(address)
    assert client_of(alice).delete(address).status_code == 404  # a key that may only ask is no author
    assert client_of(alice, "author").delete(address).status_code == 204
    refused = client.post(address)
    assert (refused.status_code, refused.json()["code"]) == (409, "link_revoked_by_author")


def test_what_an_editor_revokes_at_the_same_moment_stays_revoked(plugin: Plugin, bob: User) -> None:
    client = client_of(bob)
    address = asked(plugin, bob)
    client.post(address)
    as_bob_read_it = AnswerLink.objects.get()
    AnswerLink.objects.get().revoke(by_author=True)
    as_bob_read_it.revoke()
    assert client.post(address).json()["code"] == "link_revoked_by_author"


@pytest.mark.django_db(transaction=True)
def test_a_link_is_not_opened_again_while_an_editor_revokes_it(plugin: Plugin, bob: User) -> None:
    client_of(bob)
    asked(plugin, bob)
    query = Query.objects.get()
    make_link(query).revoke()

    def revoke(hold: Callable[[], None]) -> None:
        with transaction.atomic():
            AnswerLink.objects.get().revoke(by_author=True)
            hold()

    def share_again() -> None:
        with pytest.raises(LinkRevokedByAuthor):
            make_link(query)

    wait_in_turn(revoke, share_again)
    assert not AnswerLink.objects.live().exists()


def test_a_link_that_was_erased_meanwhile_is_revoked_without_an_error(plugin: Plugin, bob: User) -> None:
    client_of(bob)
    asked(plugin, bob)
    link = make_link(Query.objects.get())
    Query.objects.all().erase_content(now=timezone.now())
    link.revoke()
    assert not AnswerLink.objects.exists()


def test_private_answers_and_those_without_sources_have_none(plugin: Plugin, bob: User) -> None:
    client = client_of(bob)
    for columns in ({"citations": []}, {"outcome": "refused"}, {"is_private": True}):
        refused = client.post(asked(plugin, bob, **columns))
        assert (refused.status_code, refused.json()["code"]) == (409, "answer_not_shareable")


def test_the_author_finds_and_revokes_links_in_the_builder(plugin: Plugin, alice: User, bob: User) -> None:
    client = client_of(bob)
    address = asked(plugin, bob)
    client.post(address)
    builder = Client()
    User.objects.filter(pk=alice.pk).update(is_staff=True)
    builder.force_login(alice)
    page = f"/admin/plugins/plugin/{plugin.pk}/sharing/links/"
    assert f"/answers/{AnswerLink.objects.get().token}" in builder.get(page).content.decode()
    query = AnswerLink.objects.get().query_id
    assert builder.post(f"{page}{query}/revoke/").status_code == 302
    assert "No answer is shared." in builder.get(page).content.decode()
    assert client.post(address).status_code == 409
