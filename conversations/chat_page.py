"""The chat's page: a conversation as it stands, the form to go on with it, and the visitor's other conversations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse

from accounts.models import User
from conversations.exchanges import Exchange, exchanges_of
from conversations.expert_request_form import RefusedRequest
from conversations.models import ChatSession
from conversations.public_questions import latest_release
from conversations.visitor import Visitor
from lexic.errors import LexicError
from plugins.models import Plugin
from querying.models import AnswerLink, ExpertRequest, Feedback
from querying.presentation.answer import AnswerPresentation, StoredAnswer, present_answers
from querying.presentation.web_requests import questions_left_text
from querying.query_log.shared_answers import link_url
from querying.question import document_access
from querying.question.planning.matching_documents import documents_in_release

MAX_LISTED, MAX_SAMPLES = 30, 4


@dataclass(frozen=True, kw_only=True)
class TurnPresentation:
    """An exchange as it is shown. `chosen_reply` is what the visitor replied to the question back; `is_closed` says
    that it can no longer be answered, because another exchange follows."""

    id: UUID
    question: str
    is_reply: bool
    answer: AnswerPresentation | None
    is_withdrawn: bool
    chosen_reply: str
    is_closed: bool
    rating: str = ""  # what the visitor called it: "up", "down" or nothing
    link: str = ""  # the address at which the visitor has shared the answer
    expert: ExpertRequest | None = None  # that it was put to the expert


def present_turns(exchanges: Sequence[Exchange], *, viewer: User | None) -> list[TurnPresentation]:
    """The exchanges as this viewer sees them. Two statements, however many there are."""
    stored = {
        exchange.id: StoredAnswer(
            question=exchange.question.content, answer=exchange.answer.metadata, seconds=exchange.answer.seconds
        )
        for exchange in exchanges
        if exchange.answer and not exchange.is_withdrawn
    }
    followers = [*exchanges[1:], None] if exchanges else []
    answers = dict(zip(stored, present_answers(list(stored.values()), viewer=viewer), strict=True))
    return [
        TurnPresentation(
            id=exchange.id,
            question=exchange.question.content,
            is_reply=exchange.question.is_reply,
            answer=answers.get(exchange.id),
            is_withdrawn=exchange.is_withdrawn,
            chosen_reply=following.question.content if following and following.question.is_reply else "",
            is_closed=following is not None,
        )
        for exchange, following in zip(exchanges, followers, strict=True)
    ]


def _with_what_followed(turns: list[TurnPresentation]) -> list[TurnPresentation]:
    """With what visitors, who have no name, called each answer, and what else they did with it. Three statements."""
    ids = [turn.id for turn in turns]
    said = Feedback.objects.filter(query__in=ids, user=None).values_list("query", "verdict")
    verdicts = dict(said)
    links = {link.query_id: link_url(link) for link in AnswerLink.objects.live().filter(query__in=ids)}
    put = {request.query_id: request for request in ExpertRequest.objects.filter(query__in=ids)}
    return [
        replace(turn, rating=verdicts.get(turn.id, ""), link=links.get(turn.id, ""), expert=put.get(turn.id))
        for turn in turns
    ]


def render_turn(request: HttpRequest, session: ChatSession, query_id: UUID) -> str:
    """The HTML of one exchange, for when the request is over; a question back has a form of its own."""
    [turn] = present_turns(exchanges_of(session, only=query_id), viewer=Visitor.from_request(request).user)
    assert session.plugin is not None
    context = {
        "turn": turn,
        "session": session,
        "ask_url": reverse("ask_chat", args=[session.plugin.address]),
        "rate_url": reverse("rate_chat", args=[session.plugin.address, session.pk]),
        "csrf_token": get_token(request),
        "user": request.user,
    }
    return render_to_string("conversations/_turn.html", context)


def render_chat_page(
    request: HttpRequest,
    plugin: Plugin,
    session: ChatSession | None,
    *,
    question: str = "",
    error: LexicError | None = None,
    refused: RefusedRequest | None = None,
) -> HttpResponse:
    """The conversation, or the beginning of one (None). `error` says why a question was not asked; `question` stands in
    the box, and `refused` in the form that puts an answer to the expert."""
    visitor = Visitor.from_request(request)
    owner = plugin.owner
    assert isinstance(owner, User)
    release = latest_release(plugin)
    # Whether there is no public document, so that nobody can get an answer.
    is_empty = not session and not documents_in_release(document_access.public_filters().documents(), release).exists()
    samples = plugin.golden_questions.offered_to_visitors().values_list("question", flat=True)[:MAX_SAMPLES]
    others = ChatSession.objects.of_visitor(visitor, plugin)
    context = {
        "section": "marketplace",
        "plugin": plugin,
        "release": release,
        "author": owner.public_name,
        "measured": _evaluation_summary(plugin),
        "is_empty": is_empty,
        "session": session,
        "ask_url": reverse("ask_chat", args=[plugin.address]),
        "rate_url": reverse("rate_chat", args=[plugin.address, session.pk]) if session else "",
        "turns": _with_what_followed(present_turns(exchanges_of(session), viewer=visitor.user)) if session else [],
        "others": (others.exclude(pk=session.pk) if session else others)[:MAX_LISTED],
        "samples": [] if session else samples,
        "question": question,
        "error": error,
        "refused": refused,
        "left": questions_left_text(request, plugin),
        "kept_days": plugin.retention_days("chats"),
    }
    return render(request, "conversations/chat_page.html", context)


def _evaluation_summary(plugin: Plugin) -> dict[str, Any]:
    """`label`, and how many of its golden questions passed: `right` of `total`, both 0 where none was measured."""
    listing = getattr(plugin, "listing", None)  # there is none in the moments before it is computed
    if listing is None:
        return {}
    right = (listing.answered_right or 0) + (listing.refused_right or 0)
    total = (listing.to_answer or 0) + (listing.to_refuse or 0)
    return {"label": listing.label, "is_mostly_right": listing.is_mostly_right, "right": right, "total": total}
