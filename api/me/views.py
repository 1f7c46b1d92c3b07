"""`GET /api/v1/me`: what a key, or a person who has signed in, may do, so that clients need not find it out by
errors."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import ApiKey, Capability, User
from accounts.rate_limits import DAY, Allowance, LimitWindow
from api.me.serializers import MeSerializer
from api.throttling import get_allowance
from api.views import PrincipalView
from plugins.models import Plugin

MAX_PLUGINS = 100


class MeView(PrincipalView):
    """For any key, whatever its capabilities. The call counts as one request."""

    permission_classes = [IsAuthenticated]

    @extend_schema(responses=MeSerializer)
    def get(self, request: Request) -> Response:
        """What this key may do, which plugins it may ask, and what is left of its limits. Counts as one request."""
        if isinstance(request.auth, ApiKey):
            me = _key_json(request.auth, get_allowance(request))
        else:
            me = _person_json(self.user)
        return Response(MeSerializer(me).data)


def _key_json(key: ApiKey, allowance: Allowance | None) -> dict[str, Any]:
    """What an agent needs to know. Of the key's owner that is the public name, and never the address."""
    windows = [_remaining_limit(window) for window in allowance.windows] if allowance else []
    return {
        "owner": {"name": key.owner.display_name, "email": None},
        "key": {"id": key.pk, "name": key.name, "keyPrefix": key.prefix, "expiresAt": key.expires_at},
        "capabilities": sorted(key.capabilities),
        **_askable_plugins(key if key.can(Capability.QUERY) else None),
        "limits": {"perMinute": key.per_minute, "perDay": key.per_day},
        "left": windows or None,
    }


def _person_json(user: User) -> dict[str, Any]:
    capabilities = Capability.values if user.is_staff else [Capability.READ.value]
    return {
        "owner": {"name": user.display_name, "email": user.email},
        "key": None,
        "capabilities": sorted(capabilities),
        **_askable_plugins(user),
        "limits": None,
        "left": None,
    }


def _askable_plugins(principal: User | ApiKey | None) -> dict[str, Any]:
    if principal is None:
        return {"plugins": [], "morePlugins": False}
    found = Plugin.objects.discoverable_by(principal).order_by("name", "pk")
    shown = list(found.values("slug", "name", "version")[: MAX_PLUGINS + 1])
    return {"plugins": shown[:MAX_PLUGINS], "morePlugins": len(shown) > MAX_PLUGINS}


def _remaining_limit(window: LimitWindow) -> dict[str, Any]:
    return {
        "per": "day" if window.seconds == DAY else "minute",
        "limit": window.limit,
        "remaining": window.remaining,
        "resetSeconds": window.reset_seconds,
    }
