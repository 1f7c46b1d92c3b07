"""Which release a message asks: that of the plugin it names, of its project, its conversation, or the site's desk."""

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
    reference = plugin or default_plugin(principal, project=project, session=session)
    if not reference:
        raise NoPluginNamed
    return releases.resolve(reference, principal=principal)


def default_plugin(principal: Principal, *, project: Project | None, session: ChatSession | None = None) -> str:
    """The slug of the plugin that is asked where a message names none: its project's, the one that its conversation
    asked last, or the desk; the first that the principal may ask. "" where there is none."""
    named = [_project_slug(project), _last_asked_slug(session), settings.AGENTS.desk]
    askable = set(Plugin.objects.visible_to(principal).filter(slug__in=named).values_list("slug", flat=True))
    return next((slug for slug in named if slug in askable), "")


def _project_slug(project: Project | None) -> str:
    return project.plugin.slug if project and project.plugin else ""


def _last_asked_slug(session: ChatSession | None) -> str:
    runs = AgentRun.objects.filter(session=session).order_by("-created_at") if session else AgentRun.objects.none()
    return (runs.values_list("release_name", flat=True).first() or "").partition("@")[0]
