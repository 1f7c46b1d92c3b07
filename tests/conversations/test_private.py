"""A conversation about notes, some of which are closed while it goes on: what is closed is said no more."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import User
from conversations.models import ChatSession
from knowledge.models import Document
from plugins.models import Planner, Plugin
from querying.models import Query
from tests.querying.question.planning.notebook import MARK, OPEN, notebook

pytestmark = pytest.mark.django_db
# A word of each note's text that no question has.
TELLING = {"Oak bench": "hide glue", "Shed roof": "new felt", "Autumn run": "eighteen kilometres"}
QUESTIONS = [
    "What is the oak bench glued with?",
    "What did the roof of the shed get?",
    "How long was the long run along the canal?",
    "notes tagged woodwork",
    "What did the doctor advise for the knee?",
    "And in March 2026?",
    "What did I finish?",
]
CLOSING: list[dict[str, Any]] = [{"is_public": False}, {"is_template": True}, {"superseded_on": "2026-01-01"}]
steps = st.lists(
    st.tuples(
        st.sampled_from(QUESTIONS), st.none() | st.tuples(st.sampled_from(sorted(OPEN)), st.sampled_from(CLOSING))
    ),
    min_size=1,
    max_size=4,
)


@pytest.fixture
def notes(alice: User, settings: Any) -> Plugin:
    settings.VISITOR_PER_MINUTE = settings.VISITOR_PER_DAY = settings.VISITORS_PER_DAY = 100_000
    return notebook(alice, public_chat=True, planner=Planner.RULES)


@settings(
    max_examples=15,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=steps)
def test_pk_018_a_conversation_says_nothing_that_is_closed(notes: Plugin, steps: list[Any]) -> None:
    Document.objects.filter(title__in=OPEN).update(is_public=True, is_template=False, superseded_on=None)
    client, closed, session = Client(), set[str](), ""
    for question, closing in steps:
        if closing:
            title, marks = closing
            Document.objects.filter(title=title).update(**marks)
            closed.add(title)
        page = client.post("/chat/notes/ask", {"question": question, "session": session}, follow=True)
        session = str(ChatSession.objects.latest("last_used_at").pk)
        row = Query.objects.latest("created_at")
        told = json.dumps([row.answer, row.citations, row.context, row.plan])
        for said in (page.content.decode(), client.get("/chat/notes").content.decode(), told):
            assert MARK not in said
            assert [TELLING[title] for title in closed if TELLING[title] in said] == []
