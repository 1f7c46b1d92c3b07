"""Alice's project, which Bob edits, Dana views and Charlie knows nothing of."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.cache import cache
from django.test import Client

from accounts.models import User
from conversations.models import Project
from knowledge.documents.lifecycle import add_text
from knowledge.ingest import ingest
from knowledge.models import Document, KnowledgeBase
from tests.api.private_documents import confirm
from tests.remembered import remembered

SETTLEMENT = "# Settlement\n\nMarrow Ltd pays nineteen thousand pounds within thirty days of signature."


@pytest.fixture(autouse=True)
def nobody_has_searched_yet() -> None:
    """Searches are counted by person."""
    cache.clear()


@pytest.fixture
def dana(db: None) -> User:
    return User.objects.create_user("dana@example.org", "correct horse battery", display_name="Dana")


@pytest.fixture
@remembered
def project(alice: User) -> Project:
    made = Project.objects.create_with_base(owner=alice, name="Marrow", description="The dispute.")
    read_text(made.knowledge_base, "Settlement", SETTLEMENT)
    return made


@pytest.fixture
def shared(project: Project, bob: User, dana: User, charlie: User) -> Project:
    confirm(bob, dana, charlie)
    project.set_member(bob.email, "editor")
    project.set_member(dana.email, "viewer")
    return project


@pytest.fixture
def browse() -> Callable[[User], Client]:
    def as_person(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return as_person


def read_text(base: KnowledgeBase, title: str, text: str) -> Document:
    """The text as a document of the base, which has been read."""
    added = add_text(knowledge_base=base, title=title, text=text, enqueue=False)
    ingest(added.document.pk)
    added.document.refresh_from_db()
    return added.document
