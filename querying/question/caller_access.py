"""Checks whether the caller may still be answered: keys are revoked and plugins withdrawn while an answer is
written."""

from __future__ import annotations

from lexic.errors import NotAllowed
from plugins.models import Plugin
from plugins.visibility import WITH_PAGE
from querying.private_layers import find_principal, may_read_layers
from querying.types.question import Question

# How long an answer may go on after the access of its caller has ended.
CHECK_SECONDS = 1.0


class AccessEnded(NotAllowed):
    """The answer was stopped: your access to the plugin, or to documents that it was to read, has ended."""

    code = "access_ended"
    hint = "Check that you may still ask the plugin and open the project, then ask again."


def check_access(question: Question) -> None:
    """Raises `AccessEnded` if the caller may not ask this question any more. Callers without a key or an account may
    ask what is published; a draft answers only people who have opened it in the builder."""
    caller, release = question.caller, question.release
    if not may_read_layers(question):
        raise AccessEnded
    if not (caller.api_key_id or caller.user_id):
        is_open = caller.is_evaluation or release.is_draft
        if (
            not is_open
            and not Plugin.objects.filter(pk=release.plugin_id, is_published=True, visibility__in=WITH_PAGE).exists()
        ):
            raise AccessEnded
        return
    principal = find_principal(caller)
    plugins = Plugin.objects.filter(pk=release.plugin_id)
    if principal is None:
        raise AccessEnded
    if release.is_draft:
        may_ask = plugins.viewable_by(principal).exists()
    else:
        may_ask = plugins.listed_to(principal).exists() or plugins.askable_by(principal).exists()
    if not may_ask:
        raise AccessEnded
