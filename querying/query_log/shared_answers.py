"""Links to single answers: which can have one, and who may read what it opens.

A link shows the query row of the answer: its words, citations, release and date as they were logged. It shows all of
that or nothing, and asks each time: what an answer quotes may have been closed since.
"""

from __future__ import annotations

from django.conf import settings
from django.db import transaction
from django.urls import reverse

from accounts.models import User
from lexic.errors import Conflict, NotFound
from querying.models import AnswerLink, Query
from querying.query_log.quotations import withhold_quotations
from querying.question import document_access
from querying.types.answer import Outcome


class NotShareable(Conflict):
    """Only an answer that cites its sources can have a link, and no private one."""

    code = "answer_not_shareable"
    hint = "Ask the plugin outside of your conversations, and share an answer that it gives."


class UnknownAnswerLink(NotFound):
    """This link does not work any more."""

    code = "unknown_answer_link"
    hint = "Ask the person who sent it for a new one."


class ClosedAnswer(NotFound):
    """This answer quotes documents that you may not read."""

    code = "closed_answer"
    hint = "If you work on the plugin or may ask it, sign in and open the link again."


def link_url(link: AnswerLink) -> str:
    return settings.PUBLIC_URL + reverse("shared_answer", args=[link.token])


def make_link(query: Query) -> AnswerLink:
    """The link to the answer, the same each time. Whoever calls this knows that its asker wants it.

    Raises `NotShareable` and `LinkRevokedByAuthor`.
    """
    is_kept = not query.is_private and query.plugin_id is not None and query.erased_at is None
    if not is_kept or query.outcome != Outcome.ANSWERED.value or not query.citations:
        raise NotShareable
    with transaction.atomic():
        if Query.objects.lock_kept(query.pk) is None:
            raise NotShareable
        link, _ = AnswerLink.objects.select_for_update(of=("self",)).get_or_create(query=query)
        link.renew()
    return link


def find_link(token: str) -> AnswerLink:
    """The link that opens. Raises `UnknownAnswerLink`."""
    rows = AnswerLink.objects.live().select_related("query__plugin__owner")
    found = rows.filter(token=token, query__plugin__isnull=False).first()
    if found is None:
        raise UnknownAnswerLink
    return found


def readable_query(link: AnswerLink, *, viewer: User | None) -> Query:
    """The query row, where the viewer, or anybody (None), may read all that it quotes. Raises `ClosedAnswer`."""
    query = link.query
    if _is_open_to_anybody(query):
        return query
    if viewer is not None:
        [shown] = withhold_quotations([query], viewer=viewer)
        if not any(citation.get("isWithheld") for citation in shown.citations):
            return shown
    raise ClosedAnswer


def _is_open_to_anybody(query: Query) -> bool:
    """Whether a visitor could get this answer today from the plugin's page or chat. Never an answer of a draft, which
    may quote what no release reads."""
    plugin = query.plugin
    is_asked = plugin is not None and plugin.is_published and (plugin.has_page or plugin.public_chat)
    if plugin is None or not is_asked or query.release_name.endswith("@draft"):
        return False
    only_public = plugin.public_only or plugin.public_chat
    quoted = {str(citation.get("documentId")) for citation in query.citations}
    # An answer that was given before a document was superseded stays as it was: it says of which day it is.
    return quoted <= document_access.publicly_quoted(
        quoted, plugin=plugin, only_public=only_public, in_force=False, with_templates=False
    )
