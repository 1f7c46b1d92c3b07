"""Links in mails that end mails of their kind, without signing in."""

from __future__ import annotations

from django.core import signing

from accounts.models import User
from lexic.errors import NotFound
from notifications.models import MailKind, MailPreferences

_SALT = "notifications.unsubscribe"


class UnknownUnsubscribeLink(NotFound):
    """This link is not from a mail of this site, or its account is gone."""

    code = "unknown_unsubscribe_link"
    hint = "Sign in, and choose your mails in the settings."


def make_token(user: User, kind: MailKind) -> str:
    return signing.dumps([str(user.pk), kind.value], salt=_SALT)


def read_token(token: str) -> tuple[MailPreferences, MailKind]:
    """Whose mails of which kind the link ends. Raises `UnknownUnsubscribeLink`."""
    try:
        pk, kind = signing.loads(token, salt=_SALT)
    except signing.BadSignature:
        raise UnknownUnsubscribeLink from None
    user = User.objects.filter(pk=pk).first()
    if user is None:
        raise UnknownUnsubscribeLink
    return preferences_of(user), MailKind(kind)


def preferences_of(user: User) -> MailPreferences:
    """The person's choice, or what holds without one (not saved)."""
    return MailPreferences.objects.filter(pk=user.pk).first() or MailPreferences(user=user)
