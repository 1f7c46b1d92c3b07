"""A reply on the spot: it becomes knowledge and a golden question, and closes the topic that the draft now answers."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.utils import timezone

from accounts.signed_in_request import SignedInRequest
from builder.history import errors_as_messages, log_plugin_change
from builder.inbox.views import dismiss, named_queries, redirect_to_inbox, show_reply_again
from evaluation.ask_draft import ask_draft
from evaluation.models import GoldenQuestion
from knowledge.documents.expert_answers import TITLE, add_expert_answer
from knowledge.ingest import ingest_until_done
from knowledge.models import Document, DocumentStatus
from knowledge.plugin_knowledge_base import own_knowledge_base
from lexic.errors import LexicError
from lexic.multiline_field import MultilineField
from plugins.models import Plugin
from querying.forms import MAX_QUESTION_CHARACTERS
from querying.models import Query
from querying.query_log.send_expert_request import reply_to_requests
from querying.types.answer import Outcome

MAX_ANSWER_LENGTH = 20_000


class ReplyForm(forms.Form):
    question = forms.CharField(max_length=MAX_QUESTION_CHARACTERS)
    answer = MultilineField(max_length=MAX_ANSWER_LENGTH)
    opens = forms.BooleanField(required=False)
    is_late = forms.BooleanField(required=False)


def reply_to_topic(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """Saves the answer, asks the question of the draft again, and closes the topic where the draft cites the answer.
    What is refused changes nothing, and stays in its form."""
    form = ReplyForm(request.POST)
    if not form.is_valid():
        reasons = [f"{name.capitalize()}: {' '.join(map(str, errors))}" for name, errors in form.errors.items()]
        messages.error(request, f"Nothing was saved. {' '.join(reasons)}")
        return show_reply_again(request, plugin)
    if not form.cleaned_data["is_late"] and _waits_no_more(request, plugin):
        messages.error(
            request,
            f"Nothing was saved. This question waits no more: somebody has replied to it or dismissed it. See “{TITLE}”"
            " first: two replies that differ would both be cited. Save again to add yours all the same.",
        )
        return show_reply_again(request, plugin, is_late=True)
    question = " ".join(form.cleaned_data["question"].split())
    try:
        document = add_expert_answer(
            own_knowledge_base(plugin),
            question=question,
            answer=form.cleaned_data["answer"],
            author="" if request.user.is_unnamed else request.user.public_name,
            day=timezone.localdate(),
            opens=plugin.public_chat and form.cleaned_data["opens"],
        )
    except LexicError as error:
        messages.error(request, f"Nothing was saved. {error.message_with_hint}")
        return show_reply_again(request, plugin)
    undo = None
    with errors_as_messages(request, f"Your answer is saved in “{TITLE}”, and the topic stays open."):
        _keep_as_golden(plugin, question)
        log_plugin_change(request, plugin, f"Answered a question of the inbox in “{TITLE}”.")
        named = list(named_queries(request, plugin))  # those who wait for a reply are not among them afterwards
        _reply_to_people(request, named, form.cleaned_data["answer"])
        if _answers_with(plugin, question, document):
            undo = dismiss(request, named)
            messages.success(request, f"“{question}” is answered from “{TITLE}” now. {_whom_it_reaches(document)}")
        else:
            messages.warning(
                request,
                f"Your answer is saved in “{TITLE}”, but the draft does not use it for this question yet. Put the words"
                " of the question into the answer, or ask it in the sandbox to see why. The topic stays open.",
            )
    return redirect_to_inbox(request, plugin, undo=undo, is_answered=True)


def _waits_no_more(request: SignedInRequest, plugin: Plugin) -> bool:
    """Whether what the form answers was closed after its page was made, in another tab or by somebody else."""
    return bool(request.POST.get("queries")) and not named_queries(request, plugin).exists()


def _whom_it_reaches(document: Document) -> str:
    plugin = document.knowledge_base.plugin
    if plugin and plugin.public_chat and not document.is_public:
        return "Publish, and agents get it too; the chat without an account does not, as the document is not public."
    return "Publish, and everybody gets it."


def _reply_to_people(request: SignedInRequest, named: list[Query], answer: str) -> None:
    if count := reply_to_requests(named, reply=answer, by=request.user):
        people = "one person who waits" if count == 1 else f"{count} people who wait"
        messages.success(request, f"Your answer goes to {people} for it.")


def _keep_as_golden(plugin: Plugin, question: str) -> None:
    """One that asks the same is left as its author wrote it."""
    if not plugin.golden_questions.filter(question=question).exists():
        GoldenQuestion.objects.create(plugin=plugin, question=question, must_cite=[[TITLE, None]])


def _answers_with(plugin: Plugin, question: str, document: Document) -> bool:
    """Whether the draft, once it has read the document, answers the question and cites it."""
    ingest_until_done(document.pk)
    document.refresh_from_db()
    if document.status != DocumentStatus.READY:
        return False
    given = ask_draft(plugin, question)
    return given.outcome == Outcome.ANSWERED and any(span.document == document.pk for span in given.citations)
