"""Links to answers of the plugin, which those who asked have shared: the author sees and revokes them."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse

from accounts.signed_in_request import SignedInRequest
from builder.history import log_plugin_change
from builder.panes import render_pane
from lexic.http.parameters import get_page
from plugins.models import Plugin
from querying.models import AnswerLink

PER_PAGE = 25


def show_links(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """The latest first, by page. Who shared them is never shown."""
    links = AnswerLink.objects.live().filter(query__plugin=plugin).select_related("query")
    page = get_page(request, links, per_page=PER_PAGE)
    return render_pane(request, plugin, "sharing", "builder/answer_links.html", {"page": page})


def revoke_link(request: SignedInRequest, plugin: Plugin, query: UUID) -> HttpResponse:
    """Revokes the link. This answer cannot be shared again."""
    link = get_object_or_404(AnswerLink.objects.live(), query=query, query__plugin=plugin)
    link.revoke(by_author=True)
    log_plugin_change(request, plugin, "Revoked a link to an answer.")
    messages.success(request, "The link is revoked. Anyone who opens it finds nothing any more.")
    return HttpResponseRedirect(reverse("admin:builder_answer_links", args=[plugin.pk]))
