"""The mail that carries an invitation to an organisation."""

from __future__ import annotations

from django.conf import settings
from django.db import transaction
from django.urls import reverse

from accounts.mailed_invitations import mail_invitation
from organisations.invitations import invite_member
from organisations.models import Membership, MembershipInvitation, OrganisationRole
from organisations.role_descriptions import ROLE_PERMISSIONS


def invite_and_mail(by: Membership, *, email: str, role: str) -> MembershipInvitation:
    """Send somebody an invitation. Whether the address has an account makes no difference.

    Raises what `invite_member` raises, `TooManyInvitations`, and `MailNotSent`; then nothing is kept.
    """
    with transaction.atomic():
        invitation, token = invite_member(by, email=email, role=role)
        organisation, inviter = (" ".join(str(name).split()) for name in (by.organisation, by.user))
        text = (
            f"{inviter} invites you to the organisation “{organisation}” on Lexic, as {invitation.role}. "
            f"You could {ROLE_PERMISSIONS[OrganisationRole(role)]}.\n\n"
            f"{settings.PUBLIC_URL}{reverse('organisation_invitation', args=[token])}\n\n"
            f"The link works until {invitation.expires_at.day} {invitation.expires_at:%B %Y}, once, for an account "
            f"with the address {invitation.email}. If you do not know what this is about, do nothing.\n"
        )
        mail_invitation(invitation, by=by.user, subject=f"{inviter} invites you to “{organisation}”", text=text)
        return invitation
