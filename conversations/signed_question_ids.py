"""Signed question ids: an anonymous visitor proves with one that a question was theirs."""

from __future__ import annotations

from uuid import UUID

from django.core import signing

from lexic.errors import NotFound
from plugins.models import Plugin
from querying.models import AnswerLink, Query

_ASKED, _MADE = "conversations.asked", "conversations.made_link"
_ASKED_SECONDS = 86_400


class UnknownAnswer(NotFound):
    """This answer is not kept any more, or the page is more than a day old."""

    code = "unknown_answer"
    hint = "Ask the question again."


def sign_asked(query_id: UUID) -> str:
    """For the page of whoever asked: good for a day."""
    return signing.dumps(str(query_id), salt=_ASKED)


def asked_query(proof: str, *, plugin: Plugin) -> Query:
    """The question that this visitor asked of this plugin. Raises `UnknownAnswer`."""
    try:
        pk = signing.loads(proof, salt=_ASKED, max_age=_ASKED_SECONDS)
    except signing.BadSignature:
        raise UnknownAnswer from None
    query = Query.objects.filter(pk=pk, plugin=plugin, erased_at=None).first()
    if query is None:
        raise UnknownAnswer
    return query


def sign_made(link: AnswerLink) -> str:
    """For the page by which a visitor revokes the link; good as long as the link has this address."""
    return signing.dumps(link.token, salt=_MADE)


def is_maker(proof: str, link: AnswerLink) -> bool:
    try:
        return bool(signing.loads(proof, salt=_MADE) == link.token)
    except signing.BadSignature:
        return False
