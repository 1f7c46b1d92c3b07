"""A message that cannot be answered leaves nothing behind."""

from __future__ import annotations

from uuid import uuid4

import pytest

from accounts.models import User
from agents.message_attachments import UnknownAttachment
from agents.messages.begin_run import ConversationFull
from agents.messages.send_message import SentMessage, SentText, send_message
from agents.models import AgentRun
from conversations.models import ChatSession
from knowledge.models import Document
from lexic.errors import LexicError
from plugins.models import Plugin

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
