"""Becoming an author: an account that may use the builder."""

from __future__ import annotations

from django.conf import settings

from accounts.email_addresses import has_confirmed_email
from accounts.models import User
from lexic.errors import NotAllowed


class AuthorSignupClosed(NotAllowed):
    """On this site an operator decides who builds plugins."""

    code = "authors_are_chosen"
    hint = "Ask its operator to let you use the builder."


class EmailNotConfirmed(NotAllowed):
    """Authors need a confirmed address, and yours is not confirmed yet."""

    code = "confirm_first"
    hint = "Open the link in the mail that came when you signed up, or have it sent again from your account's page."


def find_author_refusal(user: User) -> NotAllowed | None:
    """What keeps this person from becoming an author; None when nothing does."""
    if user.is_staff:
        return None
    if settings.OPEN_AUTHORS == "off":
        return AuthorSignupClosed()
    if settings.OPEN_AUTHORS == "confirmed" and not has_confirmed_email(user):
        return EmailNotConfirmed()
    return None


def make_author(user: User) -> None:
    """The person may use the builder from now on. Raises `AuthorSignupClosed`, `EmailNotConfirmed`."""
    if reason := find_author_refusal(user):
        raise reason
    if not user.is_staff:
        user.is_staff = True
        user.save(update_fields=["is_staff"])
