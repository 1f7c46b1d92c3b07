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
from conversations.asking import latest_release
from conversations.exchanges import Exchange, exchanges_of
from conversations.form import MOST_CHARACTERS
from conversations.models import ChatSession
from conversations.visitor import Visitor
from lexic.errors import LexicError
from plugins.models import Plugin, Release
from querying import audience, listing
from querying.pace import left_today
from querying.shown import Kept, Shown, shown_together

MOST_LISTED, MOST_SAMPLES = 30, 4


@dataclass(frozen=True, kw_only=True)
class Turn:
    """An exchange as it is shown. `picked` is what was replied to the question back; `is_open`: it can still be."""

    id: UUID
    said: str
    is_reply: bool
    answer: Shown | None
    is_withdrawn: bool
    picked: str = ""
    is_open: bool = False


def turns_of(exchanges: Sequence[Exchange], *, viewer: User | None) -> list[Turn]:
    """Two statements, however many there are."""
    answered = [one for one in exchanges if one.answer and not one.is_withdrawn]
    together = shown_together([_kept(one) for one in answered], viewer=viewer)
    shown = {one.said.pk: answer for one, answer in zip(answered, together, strict=True)}
    following = [*exchanges[1:], None]
    return [
        _turn(one, after, shown.get(one.said.pk), is_last=after is None)
        for one, after in zip(exchanges, following, strict=True)
    ]


def _kept(one: Exchange) -> Kept:
    assert one.answer is not None
    return Kept(question=one.said.content, answer=one.answer.answer, seconds=one.answer.seconds)


def _turn(one: Exchange, after: Exchange | None, shown: Shown | None, *, is_last: bool) -> Turn:
    return Turn(
        id=one.said.query_id,
        said=one.said.content,
        is_reply=one.said.is_reply,
        answer=shown,
        is_withdrawn=one.is_withdrawn,
        picked=after.said.content if after and after.said.is_reply else "",
        is_open=is_last,
    )


def rendered(request: HttpRequest, session: ChatSession, query_id: UUID) -> str:
    """The one exchange, when the request is over; what it asks back may be answered in a form of its own."""
    [turn] = turns_of(exchanges_of(session, only=query_id), viewer=Visitor.of(request).user)
    context = {"turn": turn, "plugin": session.plugin, "session": session, "csrf_token": get_token(request)}
    return render_to_string("conversations/_turn.html", context)


def page(
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
        "measured": _measured(plugin),
        "is_empty": not session and _is_empty(release),
        "session": session,
        "turns": turns_of(exchanges_of(session), viewer=visitor.user) if session else [],
        "others": list((others.exclude(pk=session.pk) if session else others)[:MOST_LISTED]),
        "samples": [] if session else _samples(plugin),
        "question": question,
        "error": error,
        "left": left_of(request, plugin),
        "most_characters": MOST_CHARACTERS,
    }
    return render(request, "conversations/page.html", context, status=error.status if error else 200)


def left_of(request: HttpRequest, plugin: Plugin) -> int | None:
    return left_today(visitors.name_of(request), plugin=plugin)


def _is_empty(release: Release) -> bool:
    """Whether there is nothing that anybody may be answered from."""
    return not listing.of_release(audience.of_anybody().documents(), release).exists()


def _measured(plugin: Plugin) -> dict[str, Any]:
    """`label`, and where it was measured how many of its golden questions went as they should: `right` of `total`."""
    listed = getattr(plugin, "listing", None)  # there is none in the moments before it is computed
    if listed is None:
        return {}
    right = (listed.answered_right or 0) + (listed.refused_right or 0)
    total = (listed.to_answer or 0) + (listed.to_refuse or 0)
    return {"label": listed.label, "right": right, "total": total}


def _samples(plugin: Plugin) -> list[Any]:
    """Golden questions that their author shows to visitors, without those that went wrong when last run."""
    offered = plugin.golden_questions.filter(is_public=True).exclude(last_passed=False).order_by("pk")
    return list(offered.values_list("question", flat=True)[:MOST_SAMPLES])
