"""The next steps after publishing: the address, a key, a call that works, and who can see the plugin."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse

from accounts.signed_in_request import SignedInRequest
from builder.panes import render_pane
from builder.sharing.public_chat import widget_tag
from marketplace.plugin_page.code_snippets import build_snippets
from marketplace.plugin_page.first_question import first_question
from marketplace.plugin_page.usable_key import newest_usable_key
from marketplace.publishing.audience_choices import describe_visibility
from plugins.models import Plugin


def show_next_steps(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """Leads to the publish page where nothing is published."""
    if not plugin.is_published:
        return HttpResponseRedirect(reverse("admin:builder_publish", args=[plugin.pk]))
    question = first_question(plugin, viewer=request.user)
    snippets = {snippet.id: snippet for snippet in build_snippets(plugin.address, question=question)}
    context = {
        "address": f"{settings.PUBLIC_URL}{reverse('plugin', args=[plugin.address])}" if plugin.has_page else "",
        "chat_address": f"{settings.PUBLIC_URL}{reverse('chat', args=[plugin.address])}"
        if plugin.has_page and plugin.public_chat
        else "",
        "widget_tag": widget_tag(plugin) if plugin.embed_origins else "",
        "key": newest_usable_key(plugin, request.user),
        "curl": snippets["http"],
        "visibility": describe_visibility(plugin),
    }
    return render_pane(request, plugin, "releases", "builder/published.html", context)
