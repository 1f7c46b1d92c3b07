"""The page that an invitation to an organisation opens. Whoever is not signed in sees it too."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.author_access import find_author_refusal, make_author
from accounts.confirmation_redirect import continue_after_confirmation
from accounts.email_addresses import has_confirmed_email
from accounts.models import User
from accounts.signed_in_request import SignedInRequest, user_or_none
from lexic.errors import LexicError
from organisations.invitations import accept_invitation, find_invitation
from organisations.models import MembershipInvitation, OrganisationRole
from organisations.role_descriptions import ROLE_PERMISSIONS

_TEMPLATE = "workspace/organisation_invitation.html"


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def invitation_page(request: HttpRequest, token: str) -> HttpResponse:
    """What one is invited to; accepting it needs an account with the address it was sent to."""
    user = user_or_none(request)
    try:
        found = find_invitation(token)
        if request.method == "POST" and user:
            return _accept_and_redirect(request, found, user=user)
    except LexicError as error:
        return render(request, _TEMPLATE, {"error": error}, status=error.status)
    is_confirmed = user is None or has_confirmed_email(user)
    if not is_confirmed:
        continue_after_confirmation(request, request.path)
    context = {
        "invitation": found,
        "may": ROLE_PERMISSIONS[OrganisationRole(found.role)],
        "is_theirs": user and user.email == found.email,
        "is_confirmed": is_confirmed,
    }
    return render(request, _TEMPLATE, context)


@require_POST
@login_required
@never_cache
def accept_without_link(request: SignedInRequest, invitation: UUID) -> HttpResponse:
    """Whoever is signed in with the confirmed address needs no token."""
    mine = MembershipInvitation.objects.open().for_address(request.user.email).select_related("organisation")
    try:
        return _accept_and_redirect(request, get_object_or_404(mine, pk=invitation), user=request.user)
    except LexicError as error:
        return render(request, _TEMPLATE, {"error": error}, status=error.status)


def _accept_and_redirect(request: HttpRequest, found: MembershipInvitation, *, user: User) -> HttpResponse:
    membership = accept_invitation(found, person=user)
    joined = f"You are in “{membership.organisation}” now as {membership.role}."
    reason = find_author_refusal(user) if membership.may_read else None
    if reason:
        messages.warning(request, f"{joined} {reason.message_with_hint}")
    else:
        if membership.may_read:
            make_author(user)
        messages.success(request, joined)
    return redirect("organisation", membership.organisation_id)
