"""The type of requests behind a door that only lets people in who have signed in."""

from __future__ import annotations

from django.http import HttpRequest

from accounts.models import User


class SignedInRequest(HttpRequest):
    """A request of a person: `login_required`, the builder, or the like has made sure of it."""

    user: User
