"""The chat's page: a conversation as it stands, the box to go on with it, and the visitor's other conversations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.template.loader import render_to_string

from accounts import visitors
from accounts.models import User
from conversations.exchanges import Exchange, exchanges_of
from conversations.forms import MAX_QUESTION_CHARACTERS
from conversations.models import ChatSession
from conversations.questions import latest_release
from conversations.visitor import Visitor
from lexic.errors import LexicError
from plugins.models import Plugin, Release
from querying.presentation.answer import AnswerPresentation, StoredAnswer, present_answers
from querying.question import access
from querying.question.planning.matching_documents import documents_in_release
from querying.question.rate_limits import visitor_questions_left

MAX_LISTED, MAX_SAMPLES = 30, 4


@dataclass(frozen=True, kw_only=True)
class TurnPresentation:
    """An exchange as it is shown. `picked` is what was replied to the question back; `is_open`: it can still be."""

    id: UUID
    said: str
    is_reply: bool
    answer: AnswerPresentation | None
    is_withdrawn: bool
    picked: str = ""
    is_open: bool = False


def present_turns(exchanges: Sequence[Exchange], *, viewer: User | None) -> list[TurnPresentation]:
    """Two statements, however many there are."""
    answered = [one for one in exchanges if one.answer and not one.is_withdrawn]
    together = present_answers([_stored_answer(one) for one in answered], viewer=viewer)
    shown = {one.said.pk: answer for one, answer in zip(answered, together, strict=True)}
    following = [*exchanges[1:], None]
    return [
        _present_turn(one, after, shown.get(one.said.pk), is_last=after is None)
        for one, after in zip(exchanges, following, strict=True)
    ]


def _stored_answer(one: Exchange) -> StoredAnswer:
    assert one.answer is not None
    return StoredAnswer(question=one.said.content, answer=one.answer.answer, seconds=one.answer.seconds)


def _present_turn(
    one: Exchange, after: Exchange | None, shown: AnswerPresentation | None, *, is_last: bool
) -> TurnPresentation:
    return TurnPresentation(
        id=one.said.query_id,
        said=one.said.content,
        is_reply=one.said.is_reply,
        answer=shown,
        is_withdrawn=one.is_withdrawn,
        picked=after.said.content if after and after.said.is_reply else "",
        is_open=is_last,
    )


def render_turn(request: HttpRequest, session: ChatSession, query_id: UUID) -> str:
    """The one exchange, when the request is over; what it asks back may be answered in a form of its own."""
    [turn] = present_turns(exchanges_of(session, only=query_id), viewer=Visitor.of(request).user)
    context = {"turn": turn, "plugin": session.plugin, "session": session, "csrf_token": get_token(request)}
    return render_to_string("conversations/_turn.html", context)


def render_chat_page(
    request: HttpRequest,
    plugin: Plugin,
    session: ChatSession | None,
    *,
    question: str = "",
    error: LexicError | None = None,
) -> HttpResponse:
    """The conversation, or the beginning of one (None), with what came of a question that was not asked."""
    visitor = Visitor.of(request)
    owner = plugin.owner
    assert isinstance(owner, User)
    release = latest_release(plugin)
    others = ChatSession.objects.visible_to(visitor).of_plugin(plugin)
    context = {
        "section": "marketplace",
        "plugin": plugin,
        "release": release,
        "author": owner.public_name,
        "measured": _evaluation_summary(plugin),
        "is_empty": not session and _has_no_public_documents(release),
        "session": session,
        "turns": present_turns(exchanges_of(session), viewer=visitor.user) if session else [],
        "others": list((others.exclude(pk=session.pk) if session else others)[:MAX_LISTED]),
        "samples": [] if session else _sample_questions(plugin),
        "question": question,
        "error": error,
        "left": questions_left(request, plugin),
        "most_characters": MAX_QUESTION_CHARACTERS,
    }
    return render(request, "conversations/chat_page.html", context, status=error.status if error else 200)


def questions_left(request: HttpRequest, plugin: Plugin) -> int | None:
    return visitor_questions_left(visitors.visitor_id(request), plugin=plugin)


def _has_no_public_documents(release: Release) -> bool:
    """Whether there is nothing that anybody may be answered from."""
    return not documents_in_release(access.public_filters().documents(), release).exists()


def _evaluation_summary(plugin: Plugin) -> dict[str, Any]:
    """`label`, and where it was measured how many of its golden questions went as they should: `right` of `total`."""
    listed = getattr(plugin, "listing", None)  # there is none in the moments before it is computed
    if listed is None:
        return {}
    right = (listed.answered_right or 0) + (listed.refused_right or 0)
    total = (listed.to_answer or 0) + (listed.to_refuse or 0)
    return {"label": listed.label, "right": right, "total": total}


def _sample_questions(plugin: Plugin) -> list[Any]:
    """Golden questions that their author shows to visitors, without those that went wrong when last run."""
    offered = plugin.golden_questions.filter(is_public=True).exclude(last_passed=False).order_by("pk")
    return list(offered.values_list("question", flat=True)[:MAX_SAMPLES])
