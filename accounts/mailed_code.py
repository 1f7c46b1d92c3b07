"""A code by mail, for people who have neither a password nor a second step, when something needs a fresh sign-in."""

from __future__ import annotations

import hmac
import time

from allauth.account.adapter import get_adapter
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from accounts.limits import wait_for_room
from accounts.models import User
from lexic.errors import InvalidInput, LexicError

GOOD_FOR = 600  # seconds
MOST_TRIES = 3
MOST_MAILS = {60: 2, 3600: 8}
_SESSION_KEY = "mailed_code"
_SALT = "accounts.mailed_code"


class TooManyMails(LexicError):
    """Several codes were sent to you already."""

    code = "too_many_mails"
    status = 429
    hint = "Use the last one, or try again in a few minutes."


class WrongCode(InvalidInput):
    """This is not the code that was sent, or it is too old."""

    code = "wrong_code"
    hint = "Type the one of the latest mail, or have a new one sent."


def send(request: HttpRequest, user: User) -> None:
    """Mails a code to the person's main address; earlier ones no longer count. Raises `TooManyMails`."""
    if wait_for_room(f"mailed-code:{user.pk}", MOST_MAILS) is not None:
        raise TooManyMails
    adapter = get_adapter()
    code = adapter.generate_login_code()
    request.session[_SESSION_KEY] = {"digest": _digest(user, code), "until": time.time() + GOOD_FOR, "tries": 0}
    adapter.send_mail("account/email/fresh_code", user.email, {"user": user, "code": code})


def use(request: HttpRequest, user: User, code: str) -> None:
    """Takes the code, once. Raises `WrongCode`; after `MOST_TRIES` of these no code is good but a new one."""
    kept = request.session.get(_SESSION_KEY)
    if kept is None or kept["until"] < time.time() or kept["tries"] >= MOST_TRIES:
        raise WrongCode
    request.session[_SESSION_KEY] = {**kept, "tries": kept["tries"] + 1}
    if not hmac.compare_digest(kept["digest"], _digest(user, code)):
        raise WrongCode
    del request.session[_SESSION_KEY]


def _digest(user: User, code: str) -> str:
    plain = "".join(sign for sign in code.upper() if sign.isalnum())
    return salted_hmac(_SALT, f"{user.pk}:{plain}", algorithm="sha256").hexdigest()
