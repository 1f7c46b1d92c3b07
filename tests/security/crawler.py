"""A client that opens every address as one person, and is that person to the last of them."""

from __future__ import annotations

import time
from datetime import timedelta
from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user
from django.http import HttpRequest
from django.test import Client

from accounts.models import User
from tests.accounts.signing import record_sign_in

# What an account may do. An address that takes some of it away, or gives more, is a finding and is not undone.
RIGHTS = ("is_active", "is_staff", "is_superuser")
# Longer than any crawl, so that the pages that want the password again stay open.
LASTS = timedelta(days=1).total_seconds()


class Crawler(Client):
    """Signed in before every request, with a password that was typed just now; or, without a user, never.

    Some addresses sign out, and what is asked for after them would only show what nobody sees.
    """

    def __init__(self, user: User | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.user = user
        self.rights = _rights(user)
        self.last = "the start"

    def request(self, **request: Any) -> Any:
        self.stay()
        self.last = f"{request.get('REQUEST_METHOD', 'GET')} {request.get('PATH_INFO', '/')}"
        return super().request(**request)

    def stay(self) -> None:
        """Signs in again where the last request ended the session. Fails where it changed who this is."""
        now = self._signed_in()
        if self.user is None:
            assert now is None, f"nobody is signed in as {now} since {self.last}"
        elif now != self.user:
            self._sign_in()
        else:
            assert _rights(now) == self.rights, f"{now} may do something else since {self.last}"

    def _sign_in(self) -> None:
        now = User.objects.filter(pk=self.user.pk if self.user else None).first()
        assert _rights(now) == self.rights, f"{self.user} may do something else since {self.last}"
        assert now
        self.force_login(now)
        record_sign_in(self, now, {"method": "password", "at": time.time() + LASTS})

    def _signed_in(self) -> User | None:
        cookie = self.cookies.get(settings.SESSION_COOKIE_NAME)
        request = HttpRequest()
        request.session = import_module(settings.SESSION_ENGINE).SessionStore(cookie.value if cookie else None)
        user = get_user(request)
        return user if isinstance(user, User) else None


def _rights(user: User | None) -> list[bool]:
    return [getattr(user, name) for name in RIGHTS] if user else []
