"""From what an address names to the row itself, among those that the caller may see. Anything else is a 404."""

from __future__ import annotations

from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from api.authentication import principal_of
from lexic.errors import NotAllowed, NotFound
from plugins import slugs
from plugins.models import Plugin


class OnlyToLookAt(NotAllowed):
    """You may look at this plugin, and not change it."""

    code = "read_only"
    hint = "Ask its owner to make you an editor."


class NoSuchPlugin(NotFound):
    """There is no such plugin among those you work on."""

    code = "unknown_plugin"


def plugin_of(request: Request, reference: str) -> Plugin:
    """The plugin by slug or id, that the caller may look at, or change where the method changes something.

    Raises `NoSuchPlugin`, `OnlyToLookAt`.
    """
    principal = principal_of(request)
    pk = slugs.as_id(reference)
    named = Plugin.objects.filter(pk=pk) if pk else Plugin.objects.filter(slug=reference)
    plugin = (named & Plugin.objects.readable_by(principal)).select_related("owner").first()
    if plugin is None:
        raise NoSuchPlugin
    may_change = Plugin.objects.editable_by(principal).filter(pk=plugin.pk).exists
    if request.method not in SAFE_METHODS and not may_change():
        raise OnlyToLookAt
    return plugin
