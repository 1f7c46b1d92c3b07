"""One page of figures that an expert prints or shows to a superior."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.template.response import TemplateResponse

from accounts.models import User
from accounts.signed_in_request import SignedInRequest
from builder.analytics.views import plugin_context
from marketplace.listings.trust_label import build_trust_label
from plugins.models import Plugin

_MAX_DOCUMENTS = 10


def show_report(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """The figures of the chosen days without what only whoever works on the plugin needs."""
    listing = getattr(plugin, "listing", None)
    context: dict[str, Any] = plugin_context(request, plugin, max_documents=_MAX_DOCUMENTS)
    context |= {
        "plugin": plugin,
        "author": plugin.owner.public_name if isinstance(plugin.owner, User) else "",
        "trust": build_trust_label(listing) if listing and plugin.is_published else None,
        "cost_of_answer": _cost_of_answer(context),
    }
    return TemplateResponse(request, "builder/analytics/report.html", context)


def _cost_of_answer(figures: dict[str, Any]) -> Any:
    """What an answer cost on average; None where the cost is not known, or nothing was answered."""
    cost, answered = figures["sums"]["cost"], figures["shares"][0][1]
    return cost / answered if cost is not None and answered and not figures["sums"]["unpriced"] else None
