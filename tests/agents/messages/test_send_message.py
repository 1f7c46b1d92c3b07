"""A message that cannot be answered leaves nothing behind, and one that is sent twice at once is answered once."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID, uuid4

import pytest
from django.db import transaction

from accounts.models import User
from agents.message_attachments import UnknownAttachment
from agents.messages.begin_run import ConversationFull, begin_run
from agents.messages.send_message import SentMessage, SentText, send_message
from agents.models import AgentRun
from conversations.models import ChatSession
from knowledge.models import Document
from lexic.errors import LexicError
from plugins.models import Plugin
from tests.agents.working import new_message
from tests.two_transactions import wait_in_turn

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("most", "error"), [(100, UnknownAttachment), (0, ConversationFull)], ids=["a stranger's document", "full"]
)
def test_no_text_becomes_a_document_where_no_run_begins(
    published: Plugin,
    bob: User,
    session: ChatSession,
    most: int,
    error: type[LexicError],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("agents.messages.begin_run.MAX_QUESTIONS", most)
    sent = SentMessage(
        text="What does it say?",
        plugin=published.slug,
        conversation=session.pk,
        documents=(uuid4(),),
        texts=(SentText(name="Note", text="The footings get 75 mm of cover."),),
    )
    with pytest.raises(error):
        send_message(sent, principal=bob)
    assert not Document.objects.filter(title="Note").exists()
    assert not AgentRun.objects.exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("is_new", [True, False])
def test_a_message_that_is_sent_twice_at_once_is_one_run(
    published: Plugin, session: ChatSession, bob: User, is_new: bool
) -> None:
    message = new_message(published, bob, session=None if is_new else session, request_key="once")

    def first(hold: Callable[[], None]) -> UUID:
        with transaction.atomic():
            run, _ = begin_run(message, principal=bob)
            hold()
        return run.pk

    begun, (again, is_another) = wait_in_turn(first, lambda: begin_run(message, principal=bob))
    assert (again.pk, is_another) == (begun, False)
    assert AgentRun.objects.count() == 1
