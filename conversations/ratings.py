"""Ratings of answers of the public chat: right, or wrong and why. Wrong answers appear in the inbox."""

from __future__ import annotations

from uuid import UUID

from django import forms
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from conversations.chat_page import render_chat_page
from conversations.exchanges import exchanges_of
from conversations.models import ChatSession
from conversations.views import own_session_or_404, with_public_plugin
from lexic.errors import InvalidInput, NotFound
from lexic.multiline_field import MultilineField
from plugins.models import Plugin
from querying.models import Feedback, Query
from querying.redaction.redact_question import redact_question

MAX_NOTE_CHARACTERS = 500


class RatingForm(forms.Form):
    answer = forms.UUIDField()
    verdict = forms.ChoiceField(choices=Feedback.Verdict.choices)
    note = MultilineField(max_length=MAX_NOTE_CHARACTERS, required=False)


@require_POST
@with_public_plugin
def rate_answer(request: HttpRequest, plugin: Plugin, session: UUID) -> HttpResponse:
    """Of a conversation that is the visitor's own. The latest opinion counts; bad input changes nothing."""
    found = own_session_or_404(request, plugin, session)
    form = RatingForm(request.POST)
    if not form.is_valid():
        reason = (
            gettext("A reason has at most %(count)s characters.") % {"count": MAX_NOTE_CHARACTERS}
            if "note" in form.errors
            else None
        )
        return _rating_error_page(request, plugin, found, InvalidInput(reason))
    try:
        _save(found, form.cleaned_data["answer"], form.cleaned_data["verdict"], form.cleaned_data["note"])
    except NotFound as error:
        return _rating_error_page(request, plugin, found, error)
    response = HttpResponseRedirect(
        f"{reverse('one_chat', args=[plugin.address, session])}#turn-{form.cleaned_data['answer']}"
    )
    response.status_code = 303
    return response


def _rating_error_page(
    request: HttpRequest, plugin: Plugin, session: ChatSession, error: InvalidInput | NotFound
) -> HttpResponse:
    response = render_chat_page(request, plugin, session, error=error)
    response.status_code = error.status
    return response


def _save(session: ChatSession, answer: UUID, verdict: str, note: str) -> None:
    """Saves the rating without its author: the plugin's author sees the rating, and not who gave it. Raises
    `NotFound`."""
    shown = [one for one in exchanges_of(session, only=answer) if one.answer and not one.is_withdrawn]
    with transaction.atomic():
        # Locked, so that two at once leave one opinion: the database tells nobody from nobody.
        query = Query.objects.lock_kept(answer) if shown else None
        if query is None:
            raise NotFound(gettext("This answer is not shown any more."))
        Feedback.objects.update_or_create(
            query=query, user=None, defaults={"verdict": verdict, "note": redact_question(note)}
        )
