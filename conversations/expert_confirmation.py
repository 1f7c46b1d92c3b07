"""`/expert-replies/<token>`: the owner of an address says whether an expert's reply may be mailed to it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from querying.query_log.send_expert_request import UnknownExpertRequest, confirm, find_by_token

_TEMPLATE = "conversations/expert_confirmation.html"


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def confirm_expert_request(request: HttpRequest, token: str) -> HttpResponse:
    """GET: asks, because programs that look through mails follow links. POST: confirms the address, or erases it."""
    try:
        expert = find_by_token(token)
    except UnknownExpertRequest as error:
        return render(request, _TEMPLATE, {"error": error}, status=error.status)
    if request.method == "POST" and expert.email:
        if request.POST.get("say") == "no":
            expert.decline()
        elif not expert.confirmed_at:
            confirm(expert)
    return render(request, _TEMPLATE, {"expert": expert})
