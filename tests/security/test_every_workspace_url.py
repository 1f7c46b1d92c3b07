"""Every address of the workspace, read off the URLconf, asked by people who have no business there."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import URLPattern, reverse

from agents.models import AgentRun
from conversations.models import ChatSession, Project
from knowledge.models import BaseKind, Document
from tests.security.routes import EVERYWHERE
from tests.security.world import MARK, World, everything, leaks
from workspace.urls import urlpatterns

pytestmark = pytest.mark.django_db
# What an id in an address stands for, by its name there.
KINDS = {**EVERYWHERE, "run": "agents.AgentRun", "review": "contracts.ContractReview"}
KINDS |= {
    "organisation": "organisations.Organisation",
    "person": "accounts.User",
    "invitation": "organisations.MembershipInvitation",
    "plugin": "plugins.Plugin",
}
# Whoever has signed in gets these, with nothing of Alice's in them; what they send here is theirs.
OF_EVERYBODY = {"projects", "knowledge", "chats", "organisations"}
REFUSED = {302, 403, 404, 405}


@pytest.fixture
def private(world: World) -> World:
    """Alice's conversation and document are private ones, in her project."""
    project = Project.objects.get(pk=world["conversations.Project"].pk)
    session = ChatSession.objects.begin_private(user=world.alice, project=project, title=f"{MARK} chat")
    Document.objects.filter(pk=world["knowledge.Document"].pk).update(knowledge_base=project.knowledge_base)
    message = session.messages.create(role="user", content=MARK, query_id=uuid4())
    run = AgentRun.objects.begin(session=session, message=message, release_name="alices-plugin@1.0.0")
    objects = {**world.objects, "conversations.ChatSession": session, "agents.AgentRun": run}
    return World(alice=world.alice, plugin=world.plugin, objects=objects)


def _id(name: str, world: World) -> Any:
    if name == "token":
        return "nobody-has-this-one"
    return 1 if name == "number" else world[KINDS[name]].pk


def filled(pattern: URLPattern, world: World) -> str:
    values: dict[str, Any] = {name: _id(name, world) for name in pattern.pattern.converters}
    return reverse(pattern.name, kwargs=values)


def test_no_address_shows_or_changes_anything_of_somebody_else(private: World, stranger: Client) -> None:
    before = _without_own_base(everything())
    for pattern in urlpatterns:
        url = filled(pattern, private)
        for answer in (stranger.get(url), stranger.post(url, {"email": "x@example.org", "role": "editor"})):
            is_open = pattern.name in OF_EVERYBODY or not pattern.pattern.converters
            assert answer.status_code in REFUSED | ({200, 400} if is_open else set()), url
            assert not leaks(answer), url
    assert _without_own_base(everything()) == before


def test_the_owner_finds_what_strangers_do_not(private: World) -> None:
    client = Client()
    client.force_login(private.alice)
    for name in ("projects", "project", "delete_project", "project_documents", "chats", "conversation"):
        pattern = next(one for one in urlpatterns if one.name == name)
        assert leaks(client.get(filled(pattern, private))), name


def _without_own_base(rows: dict[str, Any]) -> dict[str, Any]:
    """All but the base that a person gets with the first document that they want to add."""
    bases = [row for row in rows["knowledge.KnowledgeBase"] if row["kind"] != BaseKind.PERSONAL]
    return {**rows, "knowledge.KnowledgeBase": bases}
