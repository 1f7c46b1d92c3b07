"""Invitations by e-mail: whoever reads the mail of the address can accept.

Nothing here depends on whether the address has an account, so invitations do not reveal who has one.
"""

from __future__ import annotations

import secrets
import uuid
from datetime import datetime, timedelta
from typing import Any, Self, TypeVar

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import models, transaction
from django.utils import timezone

from accounts.email_addresses import has_confirmed_email
from accounts.key_secrets import hash_secret
from accounts.models import User
from accounts.rate_limits import HOUR, count_or_wait
from audit.audited_model import AuditedModel, AuditedQuerySet
from lexic.errors import InvalidInput, LexicError, NotAllowed, NotFound
from lexic.templated_mail import is_recipient_refused, send_letter

# Mails that one person may cause in an hour.
MAX_MAILS_PER_HOUR = 30
Invited = TypeVar("Invited", bound="MailedInvitation", covariant=True)


class NotAnEmailAddress(InvalidInput):
    """This is not an email address."""

    code = "invalid_email"
    hint = "One address, such as ruth@example.org."


class InvitationNotOpen(NotFound):
    """This invitation is not open: it was accepted, taken back, or is older than 14 days."""

    code = "invitation_is_over"
    hint = "Ask the person who invited you for a new one."


class WrongInvitee(InvalidInput):
    """This invitation is for another address."""

    code = "not_your_invitation"
    hint = "Sign in with the address it was sent to."


class InviteeNotConfirmed(NotAllowed):
    """The address of your account is not confirmed yet."""

    code = "address_not_confirmed"
    hint = "Open the link in the mail that we sent you, then accept the invitation again."


class MailNotSent(LexicError):
    """The mail could not be sent, so nobody was invited."""

    code = "mail_not_sent"
    status = 502
    hint = "Try again in a few minutes; if it stays so, ask the operators of this site to look at its mail settings."


class InviteeRefused(MailNotSent):
    """The mail server refused this address, so nobody was invited."""

    code = "address_refused"
    status = 422
    hint = "Check how it is written, or ask the person for another one."


class TooManyInvitations(LexicError):
    """You have sent thirty invitations within an hour."""

    code = "too_many_mails"
    status = 429
    hint = "Try again in an hour. The invitations that were sent stay valid."


class MailedInvitationQuerySet(AuditedQuerySet[Invited]):
    def open(self, *, now: datetime | None = None) -> Self:
        return self.filter(expires_at__gt=now or timezone.now())

    def for_address(self, email: str) -> Self:
        return self.filter(email=email.strip().lower())

    def take_out(self, earlier: Invited | None) -> Invited | None:
        """Deletes the invitation, which another one replaces, and returns it as a row that can be put back."""
        if earlier is not None:
            self.filter(pk=earlier.pk).delete()
            earlier._state.adding = True
        return earlier

    def issue(
        self, *, email: str, by: User, replaced: Invited | None = None, now: datetime | None = None, **fields: Any
    ) -> tuple[Invited, str]:
        """An invitation with its token, of which only the hash is kept. The caller has cleaned the address, and taken
        out the one that is `replaced`."""
        token, now = secrets.token_urlsafe(32), now or timezone.now()
        invitation = self.create(
            email=email,
            token_hash=hash_secret(token),
            invited_by=by,
            created_at=now,
            expires_at=now + MailedInvitation.VALID_FOR,
            **fields,
        )
        invitation.replaced = replaced
        return invitation, token

    def with_token(self, token: str, *, now: datetime | None = None) -> Invited:
        """The open invitation with this token. Raises `InvitationNotOpen`."""
        if invitation := self.open(now=now).filter(token_hash=hash_secret(token)).first():
            return invitation
        raise InvitationNotOpen

    def lock_for(self, person: User, *, pk: uuid.UUID) -> Invited:
        """The open invitation, locked until the transaction ends, so that one that is taken back in this moment is not
        accepted. Raises `InvitationNotOpen`, `WrongInvitee`, `InviteeNotConfirmed`."""
        invitation = self.open().select_for_update(of=("self",)).filter(pk=pk).first()
        if invitation is None:
            raise InvitationNotOpen
        if person.email != invitation.email:
            raise WrongInvitee
        if not has_confirmed_email(person):
            raise InviteeNotConfirmed
        return invitation


class MailedInvitation(AuditedModel):
    """An invitation is gone once it is accepted or taken back. The link in the mail holds the token."""

    VALID_FOR = timedelta(days=14)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    email = models.EmailField()
    token_hash = models.CharField(max_length=64, unique=True)
    # Whoever invited may leave: the invitation stays.
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()
    # The earlier one for the same address, as long as this one is not sent.
    replaced: Self | None = None

    class Meta:
        abstract = True

    def take_back(self) -> None:
        """As if it had never been made: the one that it replaced is open again. Nothing where it is gone already."""
        with transaction.atomic():
            deleted, _ = type(self)._default_manager.filter(pk=self.pk).delete()
            if deleted and self.replaced is not None:
                self.replaced.save(force_insert=True)


def clean_address(email: str) -> str:
    """The address in lower case. Raises `NotAnEmailAddress`."""
    address = email.strip().lower()
    try:
        validate_email(address)
    except ValidationError:
        raise NotAnEmailAddress from None
    return address


def count_invitation(by: User) -> None:
    """Call in the transaction that makes the invitation. Raises `TooManyInvitations`."""
    if count_or_wait(f"invitations:{by.pk}", {HOUR: MAX_MAILS_PER_HOUR}) is not None:
        raise TooManyInvitations


def mail_invitation(invitation: MailedInvitation, *, subject: str, offer: str, address: str) -> None:
    """Sends what is offered with the address where it is accepted. Call when the transaction that made the invitation
    has ended: a mail server may take its time. Raises `MailNotSent`, and then the invitation is taken back."""
    day = f"{invitation.expires_at.day} {invitation.expires_at:%B %Y}"
    until = f"The link works until {day}, once, for an account with the address {invitation.email}."
    after = [until, "If you did not expect this, you can ignore it."]
    try:
        send_letter(
            invitation.email, subject=subject, before=[offer], link=(address, "Look at the invitation"), after=after
        )
    except Exception as error:
        invitation.take_back()
        if not isinstance(error, OSError):  # which is refused, unreachable, or not trusted
            raise
        raise (InviteeRefused if is_recipient_refused(error) else MailNotSent) from error
