"""The plugin that an argument of a command names."""

from __future__ import annotations

from django.core.management.base import CommandError

from plugins.models import Plugin


def get_plugin(slug: str) -> Plugin:
    """Raises `CommandError`."""
    plugin = Plugin.objects.select_related("owner").filter(slug=slug).first()
    if plugin is None:
        raise CommandError(f"There is no plugin called {slug!r}.")
    return plugin
