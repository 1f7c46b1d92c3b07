"""A conversation is a list of queries: what was asked before is read from the query log, never from the browser."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from accounts.models import User
from builder.sandbox.forms import AskForm
from plugins.models import Plugin
from querying import releases
from querying.answering.citation_styles import render_sentence
from querying.models import Query
from querying.question.resume import resume_from_token
from querying.types.answer import Outcome
from querying.types.question import Caller, CitationStyle, Options, Question, Turn


def own_queries(ids: Sequence[UUID], *, plugin: Plugin, user: User) -> list[Query]:
    """The queries that this person asked of this plugin, in the given order."""
    found = Query.objects.filter(user=user, plugin=plugin, api_key=None).in_bulk(list(ids))
    return [found[pk] for pk in ids if pk in found]


def make_question(form: AskForm, *, plugin: Plugin, user: User, version: str) -> Question:
    """The valid form as a question to one version. Raises `UnknownRelease`, `InvalidResumeToken`."""
    fields = form.cleaned_data
    question = Question(
        text=fields["question"],
        release=releases.release_at(plugin, version=version),
        caller=Caller(name=f"user:{user.pk}", user_id=user.pk),
        context=_context_turns(own_queries(fields["earlier"], plugin=plugin, user=user)),
        facts=fields["facts"],
        options=Options(filters=form.filters),
    )
    if not fields["token"]:
        return question
    return resume_from_token(question, token=fields["token"], answer=fields["answer"])


def _context_turns(queries: Sequence[Query]) -> tuple[Turn, ...]:
    turns: list[Turn] = []
    for query in queries:
        if query.outcome in (Outcome.ANSWERED, Outcome.REFUSED):
            answer = render_sentence(query.answer, style=CitationStyle.OFF)
            turns += [Turn(role="user", content=query.question), Turn(role="assistant", content=answer)]
    return tuple(turns)
