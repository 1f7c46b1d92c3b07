"""A plugin's public page: what it knows, how well it does, and a box to try it."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from accounts.models import User
from lexic.errors import LexicError
from marketplace.listings.listing_text import plugin_domain
from marketplace.listings.trust_label import TrustLabel, build_trust_label
from marketplace.models import Listing
from marketplace.plugin_page import code_snippets, qr_code, release_history
from marketplace.plugin_page.forms import MAX_QUESTION_LENGTH
from marketplace.plugin_page.sample_answers import MAX_SAMPLE_QUESTIONS, is_sample_offered, sample_questions
from marketplace.plugin_page.sample_presentation import present_sample_answer
from marketplace.plugin_page.similar_plugins import similar_listings
from marketplace.plugin_page.source_table import source_rows
from marketplace.plugin_page.usage_chart import build_usage_chart
from marketplace.plugin_page.visitor_access import (
    may_edit,
    newest_usable_key,
    questions_left_today,
    signed_in_viewer,
)
from marketplace.reviews.review_list import build_reviews_section
from marketplace.sharing.provenance import provenance_of
from plugins.models import Plugin, Release
from querying.presentation.answer import AnswerPresentation

_MAX_SUMMARY_LENGTH = 200


@require_safe
@gzip_page
def plugin_view(request: HttpRequest, slug: str) -> HttpResponse:
    """A question in the address stands in the box; only a person who presses the button asks it."""
    return render_plugin_page(request, slug, question=request.GET.get("question", "")[:MAX_QUESTION_LENGTH])


def render_plugin_page(
    request: HttpRequest,
    slug: str,
    *,
    question: str = "",
    answer: AnswerPresentation | None = None,
    error: LexicError | None = None,
) -> HttpResponse:
    """The page, with what came of a question. Raises Http404 for what is not on the marketplace."""
    found, viewer = plugin_or_404(slug), signed_in_viewer(request)
    is_all = request.GET.get("releases") == "all"
    releases = release_history.recent_releases(
        found, most=release_history.MAX_RELEASES if is_all else release_history.DEFAULT_RELEASES
    )
    if not releases:
        raise Http404("This plugin has no release.")
    listing, samples = (
        listing_or_none(found),
        list(sample_questions(found).values_list("question", flat=True)[:MAX_SAMPLE_QUESTIONS]),
    )
    context = {
        **head_context(found, releases[0], listing),
        **_sources_context(request, found, releases[0]),
        "trust": _trust_label_or_none(releases[0], listing),
        "reviews": build_reviews_section(found, viewer=request.user, page=request.GET.get("reviews")),
        "releases": [(release, release_history.pass_counts(release.scorecard)) for release in releases],
        "question": question,
        "answer": answer or (None if error else _offered_sample_answer(found, listing, viewer)),
        "is_sample": answer is None,
        "error": error,
        "samples": samples,
        "left": questions_left_today(request, found),
        "most_characters": MAX_QUESTION_LENGTH,
        "snippets": code_snippets.build_snippets(found.slug, question=samples[0] if samples else ""),
        "key": newest_usable_key(found, viewer),
        "usage": build_usage_chart(found),
        "similar": similar_listings(found, listing),
        "is_editor": may_edit(found, viewer),
        "is_staff": viewer is not None and viewer.is_staff,
    }
    return render(request, "marketplace/plugin/page.html", context)


def plugin_or_404(slug: str) -> Plugin:
    """The published plugin with its owner and its listing. Raises Http404, also for what is withdrawn."""
    published = Plugin.objects.filter(is_published=True).select_related(
        "owner", "listing", "installed_from__original"
    )
    found = published.defer("listing__vector", "listing__search").filter(slug=slug).first()
    if found is None:
        raise Http404("There is no plugin of this name on the marketplace.")
    return found


def listing_or_none(plugin: Plugin) -> Listing | None:
    """None in the moments before it is computed."""
    try:
        return plugin.listing
    except ObjectDoesNotExist:
        return None


def head_context(plugin: Plugin, release: Release, listing: Listing | None) -> dict[str, Any]:
    """What the head of the page and its aside show of a plugin, and what other sites are told."""
    path = reverse("plugin", args=[plugin.slug])
    owner = plugin.owner
    assert isinstance(owner, User)
    return {
        "section": "marketplace",
        "plugin": plugin,
        "release": release,
        "listing": listing,
        "author": owner.public_name,
        "made_from": provenance_of(plugin),
        "domain": plugin_domain(plugin),
        "path": path,
        "address": f"{settings.PUBLIC_URL}{path}",
        "code": qr_code.build_qr_code(f"{settings.PUBLIC_URL}{path}"),
        "words": _short_description(plugin),
    }


def _short_description(plugin: Plugin) -> str:
    words = " ".join((plugin.tagline or plugin.description).split())
    return words if len(words) <= _MAX_SUMMARY_LENGTH else f"{words[:_MAX_SUMMARY_LENGTH].rpartition(' ')[0]} …"


def _offered_sample_answer(
    plugin: Plugin, listing: Listing | None, viewer: User | None
) -> AnswerPresentation | None:
    sample = listing.sample if listing else {}
    return present_sample_answer(sample, viewer=viewer) if is_sample_offered(plugin, sample) else None


def _trust_label_or_none(release: Release, listing: Listing | None) -> TrustLabel | None:
    if listing is None:
        return None
    if listing.release_id == release.pk:
        listing.release = release  # it is here already
    return build_trust_label(listing)


def _sources_context(request: HttpRequest, plugin: Plugin, release: Release) -> dict[str, Any]:
    page, sources = source_rows(release, number=request.GET.get("sources"), is_open=plugin.is_shared)
    languages = sorted({source.language.capitalize() for source in sources})
    return {"sources": sources, "sources_page": page, "language": ", ".join(languages)}
