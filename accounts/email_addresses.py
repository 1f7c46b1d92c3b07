"""Decides who owns an e-mail address: the account that has confirmed it by a mail to it."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from django.conf import settings

from accounts.models import User
from accounts.user_models import normalized_email


def find_user_by_email(email: str) -> User | None:
    """The account with this address that may sign in."""
    return User.objects.filter(email=normalized_email(email), is_active=True).first()


def is_confirmed_second_address(email: str) -> bool:
    """Whether an account has confirmed this address besides its own one."""
    confirmed = EmailAddress.objects.filter(email__iexact=normalized_email(email), verified=True)
    return confirmed.exclude(user__email=normalized_email(email)).exists()


def has_confirmed_email(user: User) -> bool:
    """Whether the address is known to be theirs.

    Anybody can sign up with anybody's address, so it is theirs when they have confirmed it; when an operator made
    the account and no address was ever to be confirmed; or when this site confirms none at all.
    """
    if settings.ACCOUNT_EMAIL_VERIFICATION == "none":
        return True
    addresses = EmailAddress.objects.filter(user=user)
    return addresses.filter(email__iexact=user.email, verified=True).exists() or not addresses.exists()


def confirmed_addresses(user: User) -> set[str]:
    """All addresses that are known to be theirs, in lower case."""
    confirmed = EmailAddress.objects.filter(user=user, verified=True).values_list("email", flat=True)
    own = {user.email} if has_confirmed_email(user) else set()
    return {address.lower() for address in {*confirmed, *own}}
