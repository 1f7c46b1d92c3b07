"""The page that an invitation to an organisation opens. Whoever is not signed in sees it too."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.author_access import find_author_refusal, make_author
from accounts.invitation_page import InvitationPage
from accounts.models import User
from accounts.signed_in_request import SignedInRequest
from organisations.invitations import accept_invitation, find_invitation
from organisations.models import MembershipInvitation, OrganisationRole
from organisations.role_descriptions import ROLE_PERMISSIONS


def _accept_and_redirect(request: HttpRequest, found: MembershipInvitation, user: User) -> HttpResponse:
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


_PAGE = InvitationPage(
    template="workspace/organisation_invitation.html",
    find=find_invitation,
    accept=_accept_and_redirect,
    describe=lambda invitation: ROLE_PERMISSIONS[OrganisationRole(invitation.role)],
)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def invitation_page(request: HttpRequest, token: str) -> HttpResponse:
    """What one is invited to; accepting it needs an account with the address it was sent to."""
    return _PAGE.show(request, token)


@require_POST
@login_required
@never_cache
def accept_without_link(request: SignedInRequest, invitation: UUID) -> HttpResponse:
    """Whoever is signed in with the confirmed address needs no token."""
    return _PAGE.accept_own(request, MembershipInvitation.objects.select_related("organisation"), invitation)
