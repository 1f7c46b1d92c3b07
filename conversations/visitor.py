"""The visitor of the chat: a person who has signed in, or a browser with a secret in a cookie."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import Self

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.utils.crypto import salted_hmac

from accounts.models import User

COOKIE_NAME = "lexic_chat"
_SALT = "lexic.chat.visitor"
# Seconds. No browser keeps a cookie for longer; each question begins them anew.
_COOKIE_MAX_AGE = 400 * 86_400
# The browser sends it to the chat alone.
_COOKIE_PATH = "/chat"


@dataclass(frozen=True, kw_only=True)
class Visitor:
    """`secret` is empty for a browser that has none yet; it is not used where somebody has signed in."""

    user: User | None = None
    secret: str = ""

    @classmethod
    def from_request(cls, request: HttpRequest) -> Self:
        if isinstance(request.user, User):
            return cls(user=request.user)
        secret = request.get_signed_cookie(COOKIE_NAME, default="", salt=_SALT, max_age=_COOKIE_MAX_AGE)
        return cls(secret=secret or "")

    @property
    def secret_hash(self) -> str:
        """What their conversations are found by. The database has the hash alone, which opens none of them."""
        return salted_hmac(_SALT, self.secret, algorithm="sha256").hexdigest() if self.secret else ""

    def with_secret(self) -> Self:
        """The same visitor, with a secret where one is needed."""
        return self if self.user or self.secret else replace(self, secret=secrets.token_urlsafe(32))

    def set_cookie(self, response: HttpResponseBase, *, is_embedded: bool = False) -> None:
        """Gives the browser the secret, for as long as a browser keeps one; no script can read it.

        `is_embedded`: the chat may be in a frame of another site. There, browsers keep only a cookie that is sent from
        other sites, and many of them only one that is partitioned: kept for each site whose pages hold the frame.
        """
        if self.user is None and self.secret:
            response.set_signed_cookie(
                COOKIE_NAME,
                self.secret,
                salt=_SALT,
                max_age=_COOKIE_MAX_AGE,
                path=_COOKIE_PATH,
                httponly=True,
                samesite="None" if is_embedded else "Lax",
                secure=is_embedded or settings.SESSION_COOKIE_SECURE,
            )
            if is_embedded:  # cookies know the attribute from Python 3.14 on; a value is written as it is
                response.cookies[COOKIE_NAME]["samesite"] = "None; Partitioned"
