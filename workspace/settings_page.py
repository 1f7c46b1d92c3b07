"""`/settings`: what a person has connected, what answers them, and where the rest of their account is."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpResponse

from accounts.signed_in_request import SignedInRequest
from agents.messages.choose_release import default_plugin
from connectors.views import connections_context
from workspace.page_base import render_page, workspace_view


@workspace_view("GET")
def show_settings(request: SignedInRequest) -> HttpResponse:
    """The settings, all of them on pages that have their own forms."""
    context = {
        **connections_context(request.user),
        "has_model": settings.LEXIC_LLM != "extractive",
        "desk": default_plugin(request.user, project=None),
    }
    return render_page(request, "workspace/settings.html", context, section="settings")
