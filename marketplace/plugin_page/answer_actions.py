"""The actions of a visitor on an answer on a plugin's page: share it, or ask the expert."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from conversations.expert_request_form import put_posted_question, refused_request
from conversations.shared_answer import redirect_to_made
from conversations.signed_question_ids import asked_query
from lexic.errors import LexicError
from lexic.http.error_handlers import with_retry_after
from marketplace.plugin_page.page_view import plugin_or_404
from plugins.models import Plugin
from querying.models import Query
from querying.query_log.shared_answers import make_link

_TEMPLATE = "marketplace/plugin/put_to_expert.html"


@require_POST
@never_cache
def share_view(request: HttpRequest, slug: str) -> HttpResponse:
    """Makes a link, and leads to the page from which it can be revoked."""
    return _act_on_answer(request, slug, lambda plugin, query: redirect_to_made(make_link(query)))


@require_POST
@never_cache
def expert_view(request: HttpRequest, slug: str) -> HttpResponse:
    """Puts the question to the expert, and says what happens next."""

    def act(plugin: Plugin, query: Query) -> HttpResponse:
        expert = put_posted_question(request, query)
        return render(request, _TEMPLATE, {"plugin": plugin, "expert": expert, "question": query.question})

    return _act_on_answer(request, slug, act)


def _act_on_answer(request: HttpRequest, slug: str, act: Callable[[Plugin, Query], HttpResponse]) -> HttpResponse:
    """Bad input changes nothing."""
    plugin = plugin_or_404(slug)
    try:
        return act(plugin, asked_query(request.POST.get("proof", ""), plugin=plugin))
    except LexicError as error:
        refused = refused_request(request, field="proof", error=error)
        shown = {"plugin": plugin, "error": error, "refused": refused}
        response = render(request, _TEMPLATE, shown, status=error.status)
        return with_retry_after(response, error)
