"""`/answers/<token>`: one answer as it was given, for whoever has its address; and the page that revokes it."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.signed_in_request import user_or_none
from conversations.signed_question_ids import is_maker, sign_made
from lexic.errors import NotFound
from querying.models import AnswerLink
from querying.presentation.answer import present_answer, stored_from_query
from querying.query_log.shared_answers import UnknownAnswerLink, find_link, link_url, readable_query


@require_safe
@never_cache
def shared_answer(request: HttpRequest, token: str) -> HttpResponse:
    """The answer with its sources, where the viewer may read all that it quotes."""
    viewer = user_or_none(request)
    try:
        query = readable_query(find_link(token), viewer=viewer)
    except NotFound as error:
        return _unlisted(render(request, "conversations/no_shared_answer.html", {"error": error}, status=error.status))
    slug, _, version = query.release_name.partition("@")
    context = {
        "answer": present_answer(stored_from_query(query), viewer=viewer),
        "query": query,
        "plugin": query.plugin,
        "version": version or slug,
        "asked_on": query.created_at,
    }
    return _unlisted(render(request, "conversations/shared_answer.html", context))


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def manage_link(request: HttpRequest, token: str, proof: str) -> HttpResponse:
    """GET: the address of a link, for the visitor who made it. POST: revokes it."""
    context: dict[str, Any]
    try:
        link = find_link(token)
        if not is_maker(proof, link):
            raise UnknownAnswerLink
    except NotFound as error:
        return _unlisted(render(request, "conversations/no_shared_answer.html", {"error": error}, status=error.status))
    if request.method == "POST":
        link.revoke()
        return _unlisted(render(request, "conversations/revoked_link.html", {"plugin": link.query.plugin}))
    context = {"link": link, "address": link_url(link), "plugin": link.query.plugin, "question": link.query.question}
    return _unlisted(render(request, "conversations/manage_link.html", context))


def redirect_to_made(link: AnswerLink) -> HttpResponse:
    """To the page on which its maker finds the address, and revokes it."""
    response = HttpResponseRedirect(reverse("manage_shared_answer", args=[link.token, sign_made(link)]))
    response.status_code = 303
    return response


def _unlisted(response: HttpResponse) -> HttpResponse:
    response["X-Robots-Tag"] = "noindex, nofollow"
    return response
