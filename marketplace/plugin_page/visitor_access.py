"""Who looks at a plugin's page, and what is left to them there."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q
from django.http import HttpRequest
from django.utils import timezone

from accounts import visitors
from accounts.models import ApiKey, ApiKeyPlugin, Capability, User
from plugins.models import Plugin
from querying.question import rate_limits


def signed_in_viewer(request: HttpRequest) -> User | None:
    """None for whoever has not signed in."""
    return request.user if isinstance(request.user, User) else None


def questions_left_today(request: HttpRequest, plugin: Plugin) -> int | None:
    """How many questions a visitor of this address may still ask here today; None where nobody counts."""
    return rate_limits.visitor_questions_left(visitors.visitor_id(request), plugin=plugin)


def may_edit(plugin: Plugin, viewer: User | None) -> bool:
    return viewer is not None and Plugin.objects.editable_by(viewer).filter(pk=plugin.pk).exists()


def newest_usable_key(plugin: Plugin, viewer: User | None) -> ApiKey | None:
    """The viewer's newest key that may ask the plugin. Its secret stays where it is: only its name is shown."""
    if viewer is None:
        return None
    limited = ApiKeyPlugin.objects.filter(apikey=OuterRef("pk"))
    may_ask = ~Exists(limited) | Exists(limited.filter(plugin=plugin))
    working = Q(revoked_at=None) & (Q(expires_at=None) | Q(expires_at__gt=timezone.now()))
    mine = ApiKey.objects.filter(working, may_ask, owner=viewer, capabilities__contains=[Capability.QUERY.value])
    return mine.only("name", "prefix").first()
