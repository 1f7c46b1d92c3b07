"""The choice of who can see a plugin, with sentences that say what becomes public by each choice."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponseRedirect
from django.urls import reverse

from accounts.signed_in_request import SignedInRequest
from builder.history import log_plugin_change
from builder.sharing.forms import AudienceForm
from builder.sharing.public_chat import count_public_documents
from marketplace.publishing.audience_change import AudienceChange
from marketplace.publishing.audience_choices import describe_visibility
from marketplace.sharing.shareability import sharing_blockers
from plugins.models import Plugin, Release
from plugins.visibility import WITH_PAGE, Visibility


def audience_context(
    plugin: Plugin,
    typed: AudienceForm | None = None,
    *,
    of: Release | None = None,
    kept: AudienceChange | None = None,
) -> dict[str, Any]:
    """Who can see the plugin now, and what each choice would make public of its latest release, or of the release `of`.

    `chosen` is the value that holds now, or that will hold after publishing: `typed` is input that was not saved, and
    `kept` what was chosen for the release that is being published, or that was not published in the end. A plugin
    enters the marketplace only if its author has chosen that.
    """
    form, visibility = typed or AudienceForm(instance=plugin), describe_visibility(plugin, of=of)
    offered = dict(form.fields["audience"].choices)  # type: ignore[attr-defined]
    is_chosen = plugin.is_published or plugin.visibility != Visibility.MARKETPLACE
    chosen = kept.visibility if kept else plugin.visibility if is_chosen else ""
    options = kept or plugin
    return {
        "visibility": visibility,
        "audience_choices": [choice for choice in visibility.choices if choice.audience in offered],
        "chosen_audience": typed.data.get("audience") if typed else chosen,
        "audience_seen": form["seen"],
        "is_chatting": "public_chat" in typed.data if typed else options.public_chat,
        "is_copying": "is_shared" in typed.data if typed else options.is_shared,
        "unlisted_page": page_url(plugin) if plugin.page_token else "",
        "copy_blockers": sharing_blockers(plugin, of=of) if plugin.is_shared else [],
    }


def report_errors(request: SignedInRequest, form: AudienceForm) -> None:
    for reasons in form.errors.values():
        messages.error(request, " ".join(map(str, reasons)))


def report_availability(request: SignedInRequest, plugin: Plugin) -> None:
    """Tells the author that the choice is saved, and warns if something does not work yet or is more public than
    expected."""
    counts = count_public_documents(plugin)
    if plugin.public_chat and not counts.public_count:
        messages.warning(
            request, "Saved. No document is marked public yet, so the public chat refuses every question until one is."
        )
    elif plugin.visibility not in WITH_PAGE:
        messages.success(
            request, "Saved." if plugin.is_published else "Saved. It applies once the plugin is published."
        )
    elif plugin.is_shared and (reasons := sharing_blockers(plugin)):
        messages.warning(request, f"Saved. Nobody can install a copy yet. {' '.join(reasons)}")
    elif plugin.is_shared and not counts.public_count:
        reads = ", and anyone can read their pages" if plugin.visibility == Visibility.MARKETPLACE else ""
        messages.warning(request, f"Saved. No document is marked public, but a copy holds them all{reads}.")
    elif not plugin.is_published:
        messages.success(request, "Saved. It applies once the plugin is published.")
    else:
        messages.success(request, "Saved.")


def renew_page_address(request: SignedInRequest, plugin: Plugin) -> HttpResponseRedirect:
    """Gives the unlisted page a new URL; the old one stops working."""
    if plugin.is_unlisted:
        plugin.renew_page_token()
        plugin.save(update_fields=["page_token", "updated_at"])
        log_plugin_change(request, plugin, "Gave its unlisted page a new address.")
        messages.success(request, "The page has a new address. The one before opens nothing any more.")
    pane = "publish" if request.POST.get("pane") == "publish" else "sharing"
    return HttpResponseRedirect(reverse(f"admin:builder_{pane}", args=[plugin.pk]))


def page_url(plugin: Plugin) -> str:
    """The full URL of the plugin's page, or of its unlisted page."""
    return f"{settings.PUBLIC_URL}{reverse('plugin', args=[plugin.page_token or plugin.address])}"
