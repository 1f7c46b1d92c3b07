"""A topic is asked of the draft again, and closes where its documents answer it now."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse

from accounts.signed_in_request import SignedInRequest
from builder.history import errors_as_messages
from builder.inbox.views import dismiss, named_queries, named_question, redirect_to_inbox
from evaluation.ask_draft import ask_draft
from plugins.models import Plugin
from querying.types import Confidence, Outcome


def ask_again(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """Nothing is logged. An answer with low confidence leaves the topic open."""
    question = named_question(request, plugin)
    undo = None
    if not question:
        messages.warning(request, "Nothing was asked: this question is not in the inbox any more.")
        return redirect_to_inbox(request, plugin)
    with errors_as_messages(request, "Nothing was asked."):
        given = ask_draft(plugin, question)
        if given.outcome == Outcome.ANSWERED and given.confidence != Confidence.LOW:
            undo = dismiss(request, named_queries(request, plugin))
            messages.success(request, f"The draft answers “{question}” now. Publish, and agents get the answer too.")
        else:
            messages.warning(request, f"The draft still does not answer “{question}”. The topic stays open.")
    return redirect_to_inbox(request, plugin, undo=undo, is_answered=True)
