"""The approval of a draft by a reviewer of the organisation that owns the plugin."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse, HttpResponseRedirect

from accounts.signed_in_request import SignedInRequest
from builder.history import errors_as_messages, log_and_report
from builder.panes import render_pane
from builder.readiness import reverse_pane
from builder.releases.forms import ApprovalNoteForm
from lexic.errors import InvalidInput, NotAllowed
from marketplace.comparison.compare_releases import compare_releases
from marketplace.publishing.approval import (
    check_may_decide,
    content_fingerprint,
    decide_approval,
    decision_on,
    needs_approval,
    request_approval,
)
from plugins.models import Plugin
from querying import releases


def show_approval(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """What is different from the latest release, and who approves or has approved it."""
    draft, latest = releases.snapshot(plugin), plugin.latest_release()
    fingerprint = content_fingerprint(draft)
    asked = plugin.approvals.open().current().select_related("requested_by").first()
    refusal: NotAllowed | None = None
    try:
        check_may_decide(plugin, by=request.user, request=asked)
    except NotAllowed as error:
        refusal = error
    context = {
        "is_needed": needs_approval(plugin),
        "asked": asked,
        "is_current": asked is not None and asked.fingerprint == fingerprint,
        "fingerprint": fingerprint,
        "decision": decision_on(draft),
        "refusal": refusal,
        "form": ApprovalNoteForm(),
        "latest": latest,
        "comparison": compare_releases(draft, then=latest, viewer=request.user) if latest else None,
        "decided": plugin.approvals.filter(decided_at__isnull=False).select_related("decided_by")[:20],
    }
    return render_pane(request, plugin, "releases", "builder/approval.html", context)


def request_approval_view(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    with errors_as_messages(request):
        request_approval(plugin, by=request.user, note=_read_note(request))
        log_and_report(request, plugin, "Asked for an approval of the draft.")
    return HttpResponseRedirect(reverse_pane(plugin, "approval"))


def decide_approval_view(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """A reviewer approves or declines the draft that they have seen."""
    act = request.POST.get("act", "")
    with errors_as_messages(request, "Nothing was decided."):
        if act not in ("approve", "decline"):
            raise InvalidInput("Approve the draft or decline it.")
        try:
            decided = decide_approval(
                plugin,
                by=request.user,
                fingerprint=request.POST.get("fingerprint", "")[:64].replace("\x00", ""),
                approves=act == "approve",
                comment=_read_note(request),
            )
        except NotAllowed as error:
            raise PermissionDenied(error.message_with_hint) from None
        messages.success(request, f"The draft is {decided.get_state_display()}.")
    return HttpResponseRedirect(reverse_pane(plugin, "approval"))


def _read_note(request: SignedInRequest) -> str:
    """Raises `InvalidInput` where it is too long."""
    form = ApprovalNoteForm(request.POST)
    if not form.is_valid():
        raise InvalidInput(f"The note: {form.errors['text'][0]}")
    note: str = form.cleaned_data["text"]
    return note
