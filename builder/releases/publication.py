"""Publishing and withdrawing by hand: done or started, noted in the plugin's history, and said in one sentence."""

from __future__ import annotations

from django.contrib import messages

from accounts.signed_in_request import SignedInRequest
from builder.history import log_plugin_change
from lexic.errors import LexicError
from marketplace.models import PublishingRun
from marketplace.publishing.audience_change import AudienceChange
from marketplace.publishing.background_publish import AlreadyPublishing, start_publishing
from marketplace.publishing.publish import publish
from marketplace.publishing.withdraw import withdraw_from_marketplace
from plugins.models import Plugin, Release


def try_publish(
    request: SignedInRequest,
    plugin: Plugin,
    *,
    version: str | None = None,
    notes: str = "",
    audience: AudienceChange | None = None,
) -> Release | PublishingRun | None:
    """The release, or the run of a worker that makes it. None where it did not work; the person reads why not. Who can
    see the plugin changes to `audience` together with the release."""
    try:
        if run := _start_once(request, plugin, version=version, notes=notes, audience=audience):
            return run
        done = publish(plugin, by=request.user, version=version, notes=notes, audience=audience)
    except LexicError as error:
        messages.error(request, f"{plugin}: {error.message_with_hint}")
        return None
    log_plugin_change(request, plugin, f"Published as {done.release.version}.")
    unchanged = "" if done.is_new else " Nothing that decides an answer has changed since that release."
    messages.success(request, f"Published: {done.release}.{unchanged}")
    if done.warning:
        messages.warning(request, f"{done.warning} The gate is set to warn, so it was published.")
    return done.release


def _start_once(
    request: SignedInRequest, plugin: Plugin, *, version: str | None, notes: str, audience: AudienceChange | None
) -> PublishingRun | None:
    """As `start_publishing`; the button pressed once more means the same run. Raises the same errors."""
    try:
        return start_publishing(plugin, by=request.user, version=version, notes=notes, audience=audience)
    except AlreadyPublishing:
        same = {"requested_by": request.user, "version": version or "", "notes": notes}
        same["audience"] = audience.as_json() if audience else {}
        if run := plugin.publishing_runs.active().filter(**same).first():
            return run
        raise


def withdraw_with_message(request: SignedInRequest, plugin: Plugin) -> None:
    withdraw_from_marketplace(plugin)
    log_plugin_change(request, plugin, "Withdrawn.")
    messages.success(request, f"{plugin} is withdrawn. Its releases are kept; publish it to let agents ask it again.")
