"""A code by mail, for people who have neither a password nor a second step, when something needs a fresh sign-in."""

from __future__ import annotations

import hmac
import time

from allauth.account.adapter import get_adapter
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from accounts.models import User
from accounts.rate_limits import count_or_wait
from lexic.errors import InvalidInput, LexicError

CODE_LIFETIME_SECONDS = 600  # seconds
MAX_TRIES = 3
MAIL_LIMITS = {60: 2, 3600: 8}
_SESSION_KEY = "mailed_code"
_CODE_SALT = "accounts.mailed_code"


class TooManyCodes(LexicError):
    """Several codes were sent to you already."""

    code = "too_many_mails"
    status = 429
    hint = "Use the last one, or try again in a few minutes."


class WrongCode(InvalidInput):
    """This is not the code that was sent, or it is too old."""

    code = "wrong_code"
    hint = "Type the one of the latest mail, or have a new one sent."


def send_code(request: HttpRequest, user: User) -> None:
    """Mails a code to the person's main address; earlier ones no longer count. Raises `TooManyCodes`."""
    if count_or_wait(f"mailed-code:{user.pk}", MAIL_LIMITS) is not None:
        raise TooManyCodes
    adapter = get_adapter()
    code = adapter.generate_login_code()
    request.session[_SESSION_KEY] = {
        "digest": _code_digest(user, code),
        "until": time.time() + CODE_LIFETIME_SECONDS,
        "tries": 0,
    }
    adapter.send_mail("account/email/fresh_code", user.email, {"user": user, "code": code})


def verify_code(request: HttpRequest, user: User, code: str) -> None:
    """Accepts the code once. Raises `WrongCode`. After three wrong ones (MAX_TRIES) only a new code is accepted."""
    kept = request.session.get(_SESSION_KEY)
    if kept is None or kept["until"] < time.time() or kept["tries"] >= MAX_TRIES:
        raise WrongCode
    request.session[_SESSION_KEY] = {**kept, "tries": kept["tries"] + 1}
    if not hmac.compare_digest(kept["digest"], _code_digest(user, code)):
        raise WrongCode
    del request.session[_SESSION_KEY]


def _code_digest(user: User, code: str) -> str:
    plain = "".join(sign for sign in code.upper() if sign.isalnum())
    return salted_hmac(_CODE_SALT, f"{user.pk}:{plain}", algorithm="sha256").hexdigest()
