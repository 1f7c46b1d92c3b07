"""A plugin's public page: what it knows, how well it does, and a box to try it."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from accounts.models import User
from accounts.signed_in_request import user_or_none
from lexic.errors import LexicError
from marketplace.listings.listing_text import plugin_domain
from marketplace.listings.release_documents import source_figures
from marketplace.listings.trust_label import TrustLabel, build_trust_label
from marketplace.listings.update_listing import build_listing
from marketplace.models import Listing
from marketplace.plugin_page import code_snippets, qr_code, release_history
from marketplace.plugin_page.first_question import first_question
from marketplace.plugin_page.sample_answers import MAX_SAMPLE_QUESTIONS, offered_sample_answer
from marketplace.plugin_page.similar_plugins import similar_listings
from marketplace.plugin_page.source_table import source_rows
from marketplace.plugin_page.usable_key import newest_usable_key
from marketplace.plugin_page.usage_chart import build_usage_chart
from marketplace.reviews.review_list import build_reviews_section
from marketplace.sharing.provenance import provenance_of
from marketplace.sharing.shareability import may_be_copied
from plugins.models import Plugin, Release
from querying.presentation.answer import AnswerPresentation
from querying.presentation.web_requests import questions_left_text

_MAX_SUMMARY_LENGTH = 200


@require_safe
@gzip_page
def plugin_view(request: HttpRequest, slug: str) -> HttpResponse:
    """A question in the address stands in the box; only a person who presses the button asks it."""
    return render_plugin_page(request, slug, question=request.GET.get("question", ""))


def render_plugin_page(
    request: HttpRequest,
    slug: str,
    *,
    question: str = "",
    answer: AnswerPresentation | None = None,
    error: LexicError | None = None,
    proof: str = "",
) -> HttpResponse:
    """The page, with what came of a question: its answer, with the `proof` that this visitor asked, or the error, with
    the question kept in the box. Raises Http404 for what is not on the marketplace."""
    plugin, viewer = plugin_or_404(slug), user_or_none(request)
    context = _page_context(request, plugin, viewer)
    if context["listing"] and answer is None and error is None:
        sample = offered_sample_answer(plugin, context["listing"].sample, viewer=viewer)
    else:
        sample = None
    context |= {
        "question": question,
        "answer": answer or sample,
        "is_sample": answer is None,
        "error": error,
        "proof": proof,
        "left": questions_left_text(request, plugin),
    }
    return render(request, "marketplace/plugin/page.html", context)


def _page_context(request: HttpRequest, plugin: Plugin, viewer: User | None) -> dict[str, Any]:
    """What the page shows whatever is asked. Raises Http404 where the plugin has no release."""
    is_all = request.GET.get("releases") == "all"
    limit = release_history.MAX_RELEASES if is_all else release_history.DEFAULT_RELEASES
    releases = release_history.recent_releases(plugin, limit=limit)
    if not releases:
        raise Http404("This plugin has no release.")
    context = head_context(plugin, releases[0])
    listing = context["listing"]
    if listing and listing.release_id == releases[0].pk:
        listing.release = releases[0]  # so that it is not read once more
    questions = plugin.golden_questions.offered_to_visitors().values_list("question", flat=True)
    samples = list(questions[:MAX_SAMPLE_QUESTIONS])
    sources_page, sources = source_rows(releases[0], number=request.GET.get("sources"), is_open=plugin.is_shared)
    question = first_question(plugin, viewer=viewer, titles=[source.title for source in sources])
    return context | {
        "sources": sources,
        "sources_page": sources_page,
        "language": ", ".join(sorted({source.language.capitalize() for source in sources if source.language})),
        "trust": _trust_label(listing) if listing else None,
        "reviews": build_reviews_section(plugin, viewer=request.user, page=request.GET.get("reviews")),
        "releases": [(release, release_history.pass_counts(release.scorecard)) for release in releases],
        "samples": samples,
        "snippets": code_snippets.build_snippets(plugin.address, question=question),
        "key": newest_usable_key(plugin, viewer),
        "usage": build_usage_chart(plugin),
        "is_copied": plugin.is_shared and may_be_copied(releases[0]),
        # Whose page is found by its address alone is not led away from it.
        "similar": [] if plugin.is_unlisted else similar_listings(plugin, listing),
        "is_editor": bool(viewer and Plugin.objects.editable_by(viewer).contains(plugin)),
        "is_staff": viewer is not None and viewer.is_staff,
    }


def _trust_label(listing: Listing) -> TrustLabel:
    """With the sources as they are marked and dated at this moment, as the table beside it shows them."""
    figures = source_figures(listing.release, today=timezone.localdate(), measured_on=listing.measured_on)
    return build_trust_label(listing, figures=figures)


def plugin_or_404(address: str) -> Plugin:
    """The published plugin whose page is at this slug, or unlisted at this token, with its owner and its listing.
    Raises Http404, also for what is withdrawn."""
    published = (
        Plugin.objects.with_page().at_address(address).select_related("owner", "listing", "installed_from__original")
    )
    return get_object_or_404(published.defer("listing__vector", "listing__search"))


def _listing_of(plugin: Plugin, release: Release) -> Listing | None:
    """There is none in the moments before it is computed. That of an unlisted plugin is kept nowhere."""
    if plugin.is_unlisted:
        return build_listing(plugin, release)
    found: Listing | None = getattr(plugin, "listing", None)
    return found


def head_context(plugin: Plugin, release: Release) -> dict[str, Any]:
    """What the head of the page, its aside and the metadata for other sites show of a plugin."""
    path = reverse("plugin", args=[plugin.address])
    owner = plugin.owner
    assert isinstance(owner, User)
    summary = " ".join((plugin.tagline or plugin.description).split())
    if len(summary) > _MAX_SUMMARY_LENGTH:
        summary = f"{summary[:_MAX_SUMMARY_LENGTH].rpartition(' ')[0]} …"
    return {
        "section": "marketplace",
        "plugin": plugin,
        "release": release,
        "listing": _listing_of(plugin, release),
        "author": owner.public_name,
        "made_from": provenance_of(plugin),
        "domain": plugin_domain(plugin),
        "path": path,
        "address": f"{settings.PUBLIC_URL}{path}",
        "code": qr_code.build_qr_code(f"{settings.PUBLIC_URL}{path}"),
        "words": summary,
    }
