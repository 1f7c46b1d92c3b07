"""The mail that carries an invitation to an organisation."""

from __future__ import annotations

from django.conf import settings
from django.db import transaction
from django.urls import reverse

from accounts.mailed_invitations import count_invitation, mail_invitation
from organisations.invitations import invite_member
from organisations.models import Membership, MembershipInvitation, OrganisationRole
from organisations.role_descriptions import ROLE_PERMISSIONS


def invite_and_mail(by: Membership, *, email: str, role: str) -> MembershipInvitation:
    """Send somebody an invitation. Whether the address has an account makes no difference.

    Raises what `invite_member` raises, `TooManyInvitations`, and `MailNotSent`; then nothing is kept.
    """
    with transaction.atomic():
        invitation, token = invite_member(by, email=email, role=role)
        count_invitation(by.user)
    organisation, inviter = (" ".join(str(name).split()) for name in (by.organisation, by.user))
    offer = (
        f"{inviter} invites you to the organisation “{organisation}” on Lexic, as {invitation.role}. "
        f"You could {ROLE_PERMISSIONS[OrganisationRole(role)]}."
    )
    subject = f"{inviter} invites you to “{organisation}”"
    address = settings.PUBLIC_URL + reverse("organisation_invitation", args=[token])
    mail_invitation(invitation, subject=subject, offer=offer, address=address)
    return invitation
