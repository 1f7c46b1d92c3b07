"""The first page of the builder: one's plugins, how they stand, and what waits for a person."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from accounts.models import User
from plugins.models import Plugin


def dashboard(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    assert isinstance(request.user, User)
    return {**context, "plugins": Plugin.objects.readable_by(request.user).order_by("-updated_at")[:20]}
