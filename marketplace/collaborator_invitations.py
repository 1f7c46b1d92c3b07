"""Invitations to work on a plugin: the mail, and the page that its link opens."""

from __future__ import annotations

from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.author_access import find_author_refusal, make_author
from accounts.invitation_page import InvitationPage
from accounts.mailed_invitations import count_invitation, mail_invitation
from accounts.models import User
from accounts.signed_in_request import SignedInRequest
from marketplace.publishing.membership import join_plugin
from plugins import collaborators
from plugins.models import Invitation, Plugin, Role

ROLE_PERMISSIONS = {
    Role.EDITOR: "change its persona, documents, trees and golden questions, and publish it",
    Role.VIEWER: "look at everything in it and ask its draft, and change nothing",
}


def invite_and_mail(plugin: Plugin, *, email: str, role: str, by: User) -> Invitation:
    """Send somebody an invitation. Whether the address has an account makes no difference.

    Raises what `plugins.collaborators.invite_collaborator` raises, `TooManyInvitations`, and `MailNotSent`; then
    nothing is kept.
    """
    with transaction.atomic():
        invitation, token = collaborators.invite_collaborator(plugin, email=email, role=role, by=by)
        count_invitation(by)
    _mail_invitation(invitation, token=token, by=by)
    return invitation


def _accept_and_redirect(request: HttpRequest, found: Invitation, user: User) -> HttpResponse:
    plugin = join_plugin(found, person=user)
    if reason := find_author_refusal(user):
        messages.warning(request, f"You work on “{plugin}” now. {reason.message_with_hint}")
        return redirect("home")
    make_author(user)
    messages.success(request, f"You work on “{plugin}” now as {found.role}.")
    return redirect("admin:plugins_plugin_change", plugin.pk)


_PAGE = InvitationPage(
    template="marketplace/invitation.html",
    find=collaborators.find_invitation,
    accept=_accept_and_redirect,
    describe=lambda invitation: ROLE_PERMISSIONS[Role(invitation.role)],
)


@require_http_methods(["GET", "POST"])
@never_cache
def invitation_view(request: HttpRequest, token: str) -> HttpResponse:
    """What one is invited to; accepting it needs an account with the address it was sent to."""
    return _PAGE.show(request, token)


@require_POST
@login_required
def accept_invitation(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """The same without the link: whoever is signed in with the confirmed address needs no token."""
    return _PAGE.accept_own(request, Invitation.objects.select_related("plugin"), pk)


def _mail_invitation(invitation: Invitation, *, token: str, by: User) -> None:
    plugin, inviter = (" ".join(str(name).split()) for name in (invitation.plugin, by))
    address = settings.PUBLIC_URL + reverse("invitation", args=[token])
    offer = (
        f"{inviter} invites you to “{plugin}” on Lexic, as {invitation.role}. "
        f"You could {ROLE_PERMISSIONS[Role(invitation.role)]}."
    )
    subject = f"{inviter} invites you to “{plugin}”"
    mail_invitation(invitation, subject=subject, offer=offer, address=address)
