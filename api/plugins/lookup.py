"""From what an address names to the row itself, among those that the caller may see. Anything else is a 404."""

from __future__ import annotations

from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from api.authentication import get_principal
from lexic.errors import NotAllowed, NotFound
from plugins import slugs
from plugins.models import Plugin, PluginQuerySet


class ReadOnlyPlugin(NotAllowed):
    """You may look at this plugin, and not change it."""

    code = "read_only"
    hint = "Ask its owner to make you an editor."


class NoSuchPlugin(NotFound):
    """There is no such plugin among those you work on."""

    code = "unknown_plugin"


def get_plugin(request: Request, reference: str, *, for_reading: bool = False) -> Plugin:
    """The plugin by slug or id, that the caller may look at, or change where the method changes something (unless
    it is only `to_look`: asking a plugin is a POST, and changes nothing of it). `role` is the caller's.

    Raises `NoSuchPlugin`, `OnlyToLookAt`.
    """
    principal = get_principal(request)
    plugin = _filter_by_reference(Plugin.objects.readable_by(principal), reference).with_role_of(principal).first()
    if plugin is None:
        raise NoSuchPlugin
    changes = request.method not in SAFE_METHODS and not for_reading
    if changes and not Plugin.objects.editable_by(principal).filter(pk=plugin.pk).exists():
        raise ReadOnlyPlugin
    return plugin


def _filter_by_reference(plugins: PluginQuerySet, reference: str) -> PluginQuerySet:
    if pk := slugs.parse_id(reference):
        return plugins.filter(pk=pk)
    # The database takes no null character, not even to say that there is no such slug.
    return plugins.filter(slug=reference) if "\x00" not in reference else plugins.none()
