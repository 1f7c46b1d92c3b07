"""Chooses the release that answers a message: of the plugin that it names, else of its project, else of its
conversation, else of the site's own plugin."""

from __future__ import annotations

from django.conf import settings

from accounts.models import Principal
from agents.models import AgentRun
from conversations.models import ChatSession, Project
from lexic.errors import InvalidInput
from plugins.models import Plugin, Release
from querying import releases


class NoPluginNamed(InvalidInput):
    """No plugin is named for this conversation."""

    code = "no_plugin"
    hint = "Name the plugin that it asks, or name one in its project."


def choose_release(
    principal: Principal, *, plugin: str = "", project: Project | None = None, session: ChatSession | None = None
) -> Release:
    """The release as it stands now. Raises `NoPluginNamed`, `UnknownPlugin`, `UnknownRelease`."""
    if not plugin:
        default = default_plugin(principal, project=project, session=session)
        if default is None:
            raise NoPluginNamed
        plugin = default.address
    return releases.resolve(plugin, principal=principal)


def default_plugin(
    principal: Principal, *, project: Project | None, session: ChatSession | None = None
) -> Plugin | None:
    """The plugin that is asked where a message names none: its project's, the one that its conversation asked last, or
    the desk; the first that the principal may ask."""
    of_project = project.plugin.slug if project and project.plugin else ""
    named = [of_project, _last_asked_slug(session), settings.AGENTS.desk]
    askable = {plugin.slug: plugin for plugin in Plugin.objects.askable_by(principal).filter(slug__in=named)}
    return next((askable[slug] for slug in named if slug in askable), None)


def _last_asked_slug(session: ChatSession | None) -> str:
    runs = AgentRun.objects.filter(session=session).order_by("-created_at") if session else AgentRun.objects.none()
    return (runs.values_list("release_name", flat=True).first() or "").partition("@")[0]
