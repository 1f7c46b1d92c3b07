"""A topic is asked again as those who asked it would be answered, and closes where they get an answer now."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse

from accounts.signed_in_request import SignedInRequest
from builder.history import errors_as_messages
from builder.inbox.views import dismiss, named_queries, named_question, redirect_to_inbox
from evaluation.ask_draft import ask_as_outsider, ask_draft, is_sure
from evaluation.eval_types import PipelineOutcome
from knowledge.models import Document
from marketplace.publishing.publish import has_same_content
from plugins.models import Plugin, Release
from querying import releases
from querying.question import document_access

_MAX_TITLES = 3
_STAYS_OPEN = "The topic stays open."


def ask_again(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """Nothing is logged. An answer with low confidence leaves the topic open. What people tried themselves is asked of
    the draft, as they did."""
    question = named_question(request, plugin)
    undo = None
    if not question:
        messages.warning(request, "Nothing was asked: this question is not in the inbox any more.")
        return redirect_to_inbox(request, plugin)
    with errors_as_messages(request, "Nothing was asked."):
        is_own_try = request.POST.get("from") == "sandbox"
        said = _ask_draft_again(plugin, question) if is_own_try else _ask_for_others(request, plugin, question)
        if said:
            messages.warning(request, said)
        else:
            undo = dismiss(request, named_queries(request, plugin))
            messages.success(request, f"“{question}” is answered {'by the draft ' if is_own_try else ''}now.")
    return redirect_to_inbox(request, plugin, undo=undo, is_answered=True)


def _ask_draft_again(plugin: Plugin, question: str) -> str:
    """Why the topic stays open; empty where the draft answers it."""
    is_answered = is_sure(ask_draft(plugin, question))
    return "" if is_answered else f"The draft still does not answer “{question}”. {_STAYS_OPEN}"


def _ask_for_others(request: SignedInRequest, plugin: Plugin, question: str) -> str:
    """Why the topic stays open for those who asked; empty where the published release answers them. Where visitors are
    among them, it is asked as they are answered: that is the least that anybody gets."""
    has_visitors = named_queries(request, plugin).by_visitors().exists()
    draft, live = releases.snapshot(plugin), plugin.latest_release() if plugin.is_published else None
    only_public = document_access.shows_public_only(live or draft, is_visitor=has_visitors)
    if live and is_sure(ask_as_outsider(live, question, only_public=only_public)):
        if only_public and (titles := _private_titles(plugin, question)):
            messages.info(
                request, f"Your own answer would differ: it also quotes {titles}, which those who asked do not read."
            )
        return ""
    return _explain_open(plugin, question, draft=draft, live=live, has_visitors=has_visitors)


def _explain_open(plugin: Plugin, question: str, *, draft: Release, live: Release | None, has_visitors: bool) -> str:
    only_public = document_access.shows_public_only(draft, is_visitor=has_visitors)
    is_new = live is None or not has_same_content(draft, live)
    if is_new and is_sure(ask_as_outsider(draft, question, only_public=only_public)):
        return (
            f"The draft answers “{question}”, but what is published does not. Publish, and those who ask get the"
            f" answer. {_STAYS_OPEN}"
        )
    if only_public and (titles := _private_titles(plugin, question)):
        who = "Visitors" if has_visitors else "Those who asked"
        return (
            f"You get an answer to “{question}” from what is not public: {titles}. {who} do not. Mark it public under"
            f" Knowledge, and publish. {_STAYS_OPEN}"
        )
    return f"Neither the draft nor what is published answers “{question}”. {_STAYS_OPEN}"


def _private_titles(plugin: Plugin, question: str) -> str:
    """The documents, not public, that the author is answered from; empty where there are none, or no answer."""
    given: PipelineOutcome = ask_draft(plugin, question)
    if not is_sure(given):
        return ""
    cited = {span.document for span in given.citations}
    public = set(document_access.public_filters().documents().filter(pk__in=cited).values_list("pk", flat=True))
    return _titles_of(cited - public)


def _titles_of(documents: Iterable[UUID]) -> str:
    titles = Document.objects.filter(pk__in=documents).order_by("title").values_list("title", flat=True)
    return ", ".join(f"“{title}”" for title in titles[:_MAX_TITLES])
