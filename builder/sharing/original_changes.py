"""What the latest release of the original has that its copy does not have."""

from __future__ import annotations

from django.http import Http404, HttpResponse

from accounts.signed_in_request import SignedInRequest
from builder.panes import render_pane
from lexic.errors import LexicError
from marketplace.comparison.compare_releases import compare_releases
from marketplace.sharing.installs import original_and_release
from plugins.models import Plugin
from querying import releases


def show_original_changes(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """The copy's draft against the release that others may copy now. Raises Http404 where there is none."""
    try:
        original, latest = original_and_release(plugin)
    except LexicError as error:
        raise Http404(error.message) from error
    comparison = compare_releases(latest, then=releases.snapshot(plugin), viewer=request.user)
    context = {"source": original, "latest": latest, "comparison": comparison}
    return render_pane(request, plugin, "sharing", "builder/original_changes.html", context)
