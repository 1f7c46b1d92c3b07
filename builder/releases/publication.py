"""Publishing and withdrawing by hand: done or started, noted in the plugin's history, and said in one sentence."""

from __future__ import annotations

from django.contrib import messages

from accounts.signed_in_request import SignedInRequest
from builder.history import log_plugin_change
from lexic.errors import LexicError
from marketplace.models import PublishingRun
from marketplace.publishing.background_publish import AlreadyPublishing, start_publishing
from marketplace.publishing.publish import publish
from marketplace.publishing.withdraw import withdraw_from_marketplace
from plugins.models import Plugin, Release


def try_publish(
    request: SignedInRequest, plugin: Plugin, *, version: str | None = None, notes: str = ""
) -> Release | PublishingRun | None:
    """The release, or the run of a worker that makes it. None where it did not work; the person reads why not."""
    try:
        try:
            run = start_publishing(plugin, by=request.user, version=version, notes=notes)
        except AlreadyPublishing:  # pressed once more: that it is done once is what was meant
            run = plugin.publishing_runs.active().first()
        if run:
            return run
        done = publish(plugin, by=request.user, version=version, notes=notes)
    except LexicError as error:
        messages.error(request, f"{plugin}: {error.message_with_hint}")
        return None
    log_plugin_change(request, plugin, f"Published as {done.release.version}.")
    unchanged = "" if done.is_new else " Nothing that decides an answer has changed since that release."
    messages.success(request, f"Published: {done.release}.{unchanged}")
    if done.warning:
        messages.warning(request, f"{done.warning} The gate is set to warn, so it was published.")
    return done.release


def withdraw_with_message(request: SignedInRequest, plugin: Plugin) -> None:
    withdraw_from_marketplace(plugin)
    log_plugin_change(request, plugin, "Withdrawn.")
    messages.success(request, f"{plugin} is withdrawn. Its releases are kept; publish it to let agents ask it again.")
