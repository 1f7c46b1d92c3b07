"""What a run cites stays as it was for as long as the run does."""

from __future__ import annotations

from datetime import timedelta

import pytest

from accounts.models import User
from conversations.retention import delete_private_conversation
from knowledge.models import Page, PinKind, RevisionPin
from knowledge.personal_knowledge_base import personal_knowledge_base
from knowledge.prune import prune_knowledge_base
from plugins.models import Plugin
from privacy.document_deletion import delete_private_document
from privacy.storage_sweep import sweep_storage
from tests.agents.working import answer_of, ask
from tests.conversations.layered import QUESTION, give

pytestmark = pytest.mark.django_db


def test_a_cited_page_outlives_its_document_until_the_conversation_is_deleted(published: Plugin, bob: User) -> None:
    base = personal_knowledge_base(bob)
    document = give(base)
    run = ask(published, bob, QUESTION)
    assert "75 mm" in answer_of(run).content
    cited = Page.objects.get(document=document)
    assert RevisionPin.objects.filter(kind=PinKind.RUN, holder=run.pk, document=document).exists()
    Page.objects.filter(pk=cited.pk).update(removed_in=cited.added_in + 1)  # as by its next version
    document.chunks.update(removed_in=cited.added_in + 1)
    base.revisions.create(number=cited.added_in + 1, chunk_count=0, term_total=0)
    prune_knowledge_base(base, older_than=timedelta(0))
    assert Page.objects.filter(pk=cited.pk).exists()
    delete_private_conversation(run.session)
    sweep_storage()
    assert not RevisionPin.objects.exists()
    prune_knowledge_base(base, older_than=timedelta(0))
    assert not Page.objects.filter(pk=cited.pk).exists()


def test_its_deletion_wins(published: Plugin, bob: User) -> None:
    document = give(personal_knowledge_base(bob))
    run = ask(published, bob, QUESTION)
    delete_private_document(document)
    assert not RevisionPin.objects.filter(document=document).exists()
    assert "75 mm" not in answer_of(run).content
