"""What the doors of one kind have in common."""

from __future__ import annotations

from typing import Any

from rest_framework.permissions import AllowAny
from rest_framework.views import APIView

from api.authentication import KEY_OR_SESSION
from api.permissions import MayAuthor
from api.throttling import AnonymousThrottle, ApiKeyThrottle


class AuthorView(APIView):
    """By session, or by a key that may author (to look: that may read). A key's limits hold here as well."""

    authentication_classes = KEY_OR_SESSION
    permission_classes = [MayAuthor]
    throttle_classes = [ApiKeyThrottle]


class PublicView(APIView):
    """For anybody. No key is needed, and none is looked at: what is public is the same for all. Limited by address."""

    authentication_classes: list[Any] = []
    permission_classes = [AllowAny]
    throttle_classes = [AnonymousThrottle]
