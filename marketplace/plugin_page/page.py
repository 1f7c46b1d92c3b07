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
from marketplace.catalogue.trust import Trust, trust_of
from marketplace.catalogue.wording import domain_of
from marketplace.models import Listing
from marketplace.plugin_page import qr, snippets, versions
from marketplace.plugin_page.answers import sample_answer
from marketplace.plugin_page.form import MOST_CHARACTERS
from marketplace.plugin_page.sample import MOST_OFFERED, is_offered, offered
from marketplace.plugin_page.similar import similar_to
from marketplace.plugin_page.sources import sources_of
from marketplace.plugin_page.usage import usage_of
from marketplace.plugin_page.visiting import left_today, may_edit, own_key, viewer_of
from marketplace.reviews.shown import reviews_of
from marketplace.sharing.provenance import made_from
from plugins.models import Plugin, Release
from querying.shown import Shown

_WORDS = 200


@require_safe
@gzip_page
def plugin(request: HttpRequest, slug: str) -> HttpResponse:
    """A question in the address stands in the box; only a person who presses the button asks it."""
    return full_page(request, slug, question=request.GET.get("question", "")[:MOST_CHARACTERS])


def full_page(
    request: HttpRequest,
    slug: str,
    *,
    question: str = "",
    answer: Shown | None = None,
    error: LexicError | None = None,
) -> HttpResponse:
    """The page, with what came of a question. Raises Http404 for what is not on the marketplace."""
    found, viewer = plugin_or_404(slug), viewer_of(request)
    is_all = request.GET.get("releases") == "all"
    releases = versions.releases_of(found, most=versions.MOST if is_all else versions.SHOWN)
    if not releases:
        raise Http404("This plugin has no release.")
    listing, samples = listing_of(found), list(offered(found).values_list("question", flat=True)[:MOST_OFFERED])
    context = {
        **about(found, releases[0], listing),
        **_sources(request, found, releases[0]),
        "trust": _trust(releases[0], listing),
        "reviews": reviews_of(found, viewer=request.user, page=request.GET.get("reviews")),
        "releases": [(release, versions.passed(release.scorecard)) for release in releases],
        "question": question,
        "answer": answer or (None if error else _sample(found, listing, viewer)),
        "is_sample": answer is None,
        "error": error,
        "samples": samples,
        "left": left_today(request, found),
        "most_characters": MOST_CHARACTERS,
        "snippets": snippets.snippets_of(found.slug, question=samples[0] if samples else ""),
        "key": own_key(found, viewer),
        "usage": usage_of(found),
        "similar": similar_to(found, listing),
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


def listing_of(plugin: Plugin) -> Listing | None:
    """None in the moments before it is computed."""
    try:
        return plugin.listing
    except ObjectDoesNotExist:
        return None


def about(plugin: Plugin, release: Release, listing: Listing | None) -> dict[str, Any]:
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
        "made_from": made_from(plugin),
        "domain": domain_of(plugin),
        "path": path,
        "address": f"{settings.PUBLIC_URL}{path}",
        "code": qr.code_of(f"{settings.PUBLIC_URL}{path}"),
        "words": _in_brief(plugin),
    }


def _in_brief(plugin: Plugin) -> str:
    words = " ".join((plugin.tagline or plugin.description).split())
    return words if len(words) <= _WORDS else f"{words[:_WORDS].rpartition(' ')[0]} …"


def _sample(plugin: Plugin, listing: Listing | None, viewer: User | None) -> Shown | None:
    sample = listing.sample if listing else {}
    return sample_answer(sample, viewer=viewer) if is_offered(plugin, sample) else None


def _trust(release: Release, listing: Listing | None) -> Trust | None:
    if listing is None:
        return None
    if listing.release_id == release.pk:
        listing.release = release  # it is here already
    return trust_of(listing)


def _sources(request: HttpRequest, plugin: Plugin, release: Release) -> dict[str, Any]:
    page, sources = sources_of(release, number=request.GET.get("sources"), is_open=plugin.is_shared)
    languages = sorted({source.language.capitalize() for source in sources})
    return {"sources": sources, "sources_page": page, "language": ", ".join(languages)}
