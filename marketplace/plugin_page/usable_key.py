"""The key with which a viewer can already ask a plugin, to be named on its page."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from accounts.models import ApiKey, ApiKeyPlugin, Capability, User
from plugins.models import Plugin


def newest_usable_key(plugin: Plugin, viewer: User | None) -> ApiKey | None:
    """The viewer's newest key that may ask the plugin, or None. Only its name and prefix are read, never its secret."""
    if viewer is None:
        return None
    limited = ApiKeyPlugin.objects.filter(apikey=OuterRef("pk"))
    may_ask = ~Exists(limited) | Exists(limited.filter(plugin=plugin))
    is_valid = Q(revoked_at=None) & (Q(expires_at=None) | Q(expires_at__gt=timezone.now()))
    keys = ApiKey.objects.filter(is_valid, may_ask, owner=viewer, capabilities__contains=[Capability.QUERY.value])
    keys = keys.filter(authorized_client=None)  # nobody has the secret of a program's
    return keys.only("name", "prefix").first()
