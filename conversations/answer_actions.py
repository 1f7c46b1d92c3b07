"""The actions of a visitor of the public chat on an answer: share it, revoke the link, or ask the expert."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from conversations.chat_page import render_chat_page
from conversations.exchanges import exchanges_of
from conversations.expert_request_form import put_posted_question, refused_request
from conversations.models import ChatSession
from conversations.views import own_session_or_404, with_public_plugin
from lexic.errors import LexicError, NotFound
from lexic.http.error_handlers import with_retry_after
from plugins.models import Plugin
from querying.models import AnswerLink, Query
from querying.query_log.shared_answers import make_link


class _AnswerForm(forms.Form):
    answer = forms.UUIDField()


@require_POST
@with_public_plugin
def share_answer(request: HttpRequest, plugin: Plugin, session: UUID) -> HttpResponse:
    """Makes the link, or with `revoke` takes it back."""

    return _act_on_answer(request, plugin, session, _share)


@require_POST
@with_public_plugin
def ask_expert(request: HttpRequest, plugin: Plugin, session: UUID) -> HttpResponse:
    return _act_on_answer(request, plugin, session, _put)


def _share(request: HttpRequest, query: Query) -> None:
    if "revoke" not in request.POST:
        make_link(query)
    elif link := AnswerLink.objects.filter(query=query).first():
        link.revoke()


def _put(request: HttpRequest, query: Query) -> None:
    put_posted_question(request, query)


def _act_on_answer(
    request: HttpRequest, plugin: Plugin, session: UUID, act: Callable[[HttpRequest, Query], None]
) -> HttpResponse:
    """Does it with an answer of a conversation that is the visitor's own. Bad input changes nothing."""
    found = own_session_or_404(request, plugin, session)
    try:
        query = _shown_query(found, request)
        act(request, query)
    except LexicError as error:
        refused = refused_request(request, field="answer", error=error) if act is _put else None
        response = render_chat_page(request, plugin, found, error=None if refused else error, refused=refused)
        response.status_code = error.status
        return with_retry_after(response, error)
    response = HttpResponseRedirect(f"{reverse('one_chat', args=[plugin.address, session])}#turn-{query.pk}")
    response.status_code = 303
    return response


def _shown_query(session: ChatSession, request: HttpRequest) -> Query:
    """The query row of an answer that the conversation shows. Raises `NotFound`."""
    form = _AnswerForm(request.POST)
    pk = form.cleaned_data["answer"] if form.is_valid() else None
    shown = [one for one in exchanges_of(session, only=pk) if one.answer and not one.is_withdrawn] if pk else []
    query = Query.objects.filter(pk=pk, erased_at=None).first() if pk and shown else None
    if query is None:
        raise NotFound(gettext("This answer is not shown any more."), hint="Ask the question again.")
    return query
