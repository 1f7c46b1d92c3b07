"""The way to where a plugin is asked by hand."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.http import require_GET

from accounts.signed_in_request import SignedInRequest
from plugins.models import Plugin


@require_GET
@login_required
def redirect_to_sandbox(request: SignedInRequest, slug: str) -> HttpResponseRedirect:
    """Where a plugin is asked by hand: the sandbox of the builder. Agents use the API."""
    plugin = get_object_or_404(Plugin.objects.viewable_by(request.user), slug=slug)
    return HttpResponseRedirect(reverse("admin:builder_sandbox", args=[plugin.pk]))
