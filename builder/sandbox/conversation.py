"""A conversation is a list of queries: what was said before is read off the audit rows, never off the browser."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from accounts.models import User
from builder.sandbox.forms import AskForm
from plugins.models import Plugin
from querying import releases
from querying.answering.citation_styles import render_sentence
from querying.models import Query
from querying.question.resolve import resume_from_token
from querying.types import Caller, CitationStyle, Options, Outcome, Question, Turn

_CONTEXT_OUTCOMES = (Outcome.ANSWERED.value, Outcome.REFUSED.value)


def own_queries(ids: Sequence[UUID], *, plugin: Plugin, user: User) -> list[Query]:
    """Those that this person asked of this plugin, in the given order."""
    found = Query.objects.filter(user=user, plugin=plugin, api_key=None).in_bulk(list(ids))
    return [found[pk] for pk in ids if pk in found]


def make_question(form: AskForm, *, plugin: Plugin, user: User, version: str) -> Question:
    """The valid form as a question to one version. Raises `UnknownRelease`, `InvalidResumeToken`."""
    said = form.cleaned_data
    question = Question(
        text=said["question"],
        release=releases.release_at(plugin, version=version),
        caller=Caller(name=f"user:{user.pk}", user_id=user.pk),
        context=_context_turns(own_queries(said["earlier"], plugin=plugin, user=user)),
        facts=said["facts"],
        options=Options(filters=form.filters),
    )
    if said["token"]:
        return resume_from_token(question, token=said["token"], answer=said["answer"])
    return question


def _context_turns(queries: Sequence[Query]) -> tuple[Turn, ...]:
    return tuple(turn for query in queries if query.outcome in _CONTEXT_OUTCOMES for turn in _query_turns(query))


def _query_turns(query: Query) -> tuple[Turn, Turn]:
    answer = render_sentence(query.answer, style=CitationStyle.OFF)
    return Turn(role="user", content=query.question), Turn(role="assistant", content=answer)
