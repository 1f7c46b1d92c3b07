"""The plugin that an address names, among those that the caller may see. Anything else is a 404."""

from __future__ import annotations

from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from accounts.models import Principal, user_of
from api.authentication import get_principal
from api.change_history import mark_changed
from lexic.errors import NotAllowed, NotFound
from plugins import slugs
from plugins.models import Plugin


class ReadOnlyPlugin(NotAllowed):
    """You may look at this plugin, and not change it."""

    code = "read_only"
    hint = "Ask its owner to make you an editor."


class NotPluginOwner(NotAllowed):
    """Only the owner of the plugin may do this."""

    code = "only_its_owner"


class UnknownAuthoredPlugin(NotFound):
    """There is no such plugin among those you work on."""

    code = "unknown_plugin"


def get_plugin(request: Request, reference: str, *, for_reading: bool = False) -> Plugin:
    """The plugin by slug or id, with the caller's `role`. The caller may read it, or change it where the method does.

    `for_reading`: this POST changes nothing of the plugin, such as a question to it.
    What changes it stands in its history. Raises `UnknownAuthoredPlugin`, `ReadOnlyPlugin`.
    """
    changes = request.method not in SAFE_METHODS and not for_reading
    plugin = find_authored_plugin(get_principal(request), reference, for_editing=changes)
    if changes:
        mark_changed(request, plugin)
    return plugin


def find_authored_plugin(principal: Principal, reference: str, *, for_editing: bool) -> Plugin:
    """The plugin by slug or id, with the caller's `role`. Raises `UnknownAuthoredPlugin`, `ReadOnlyPlugin`."""
    plugins = Plugin.objects.viewable_by(principal).with_role_of(principal)
    if pk := slugs.parse_id(reference):
        plugins = plugins.filter(pk=pk)
    else:
        # The database refuses a null character instead of finding no such slug.
        plugins = plugins.filter(slug=reference) if "\x00" not in reference else plugins.none()
    plugin = plugins.first()
    if plugin is None:
        raise UnknownAuthoredPlugin
    if for_editing and not Plugin.objects.editable_by(principal).contains(plugin):
        raise ReadOnlyPlugin
    return plugin


def get_own_plugin(request: Request, reference: str) -> Plugin:
    """The plugin, for what its owner alone may do. Raises `NotPluginOwner`, and what `get_plugin` raises."""
    plugin = get_plugin(request, reference)
    if not plugin.may_be_shared_by(user_of(get_principal(request))):
        raise NotPluginOwner
    return plugin
