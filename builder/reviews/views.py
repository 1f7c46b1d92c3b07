"""The reviews of the plugin by people who used it, and the form to reply."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse

from accounts.signed_in_request import SignedInRequest
from builder.panes import render_pane
from lexic.errors import LexicError
from lexic.http.parameters import get_page
from marketplace.listings.review_counts import review_counts
from marketplace.models import Review, ReviewQuerySet, ReviewVerdict
from marketplace.reviews.forms import ReviewReplyForm
from marketplace.reviews.review_list import PER_PAGE, review_rows
from marketplace.reviews.save_review import save_reply
from plugins.models import Plugin


def show_reviews(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """The newest first, by page, each with the reply to it."""
    return _render_reviews(request, plugin)


def reply_to_review(request: SignedInRequest, plugin: Plugin, review: UUID) -> HttpResponse:
    found, form = get_object_or_404(_plugin_reviews(plugin), pk=review), ReviewReplyForm(request.POST)
    if form.is_valid():
        try:
            save_reply(found, **form.cleaned_data)
        except LexicError as error:
            form.add_error("text", error.message_with_hint)
        else:
            messages.success(request, "Your reply is published." if found.reply else "Your reply is deleted.")
            pane = reverse("admin:builder_reviews", args=[plugin.pk])
            return HttpResponseRedirect(f"{pane}#review-{found.pk}")
    return _render_reviews(request, plugin, answered={found.pk: form})


def _render_reviews(
    request: SignedInRequest, plugin: Plugin, *, answered: dict[UUID, ReviewReplyForm] | None = None
) -> HttpResponse:
    """`answered` holds the form that could not be kept, with what was typed."""
    page = get_page(request, _plugin_reviews(plugin), per_page=PER_PAGE)
    found = review_rows(page.object_list, latest=plugin.version)
    counted = review_counts([plugin.pk])[plugin.pk]
    rows = []
    for row in found:
        form = ReviewReplyForm(initial={"text": row.review.reply}, auto_id=f"id_{row.review.pk}_%s")
        rows.append((row, (answered or {}).get(row.review.pk) or form))
    verdicts = [(verdict.label, counted[verdict]) for verdict in ReviewVerdict]
    context = {"page": page, "rows": rows, "verdicts": verdicts}
    return render_pane(request, plugin, "reviews", "builder/reviews.html", context)


def _plugin_reviews(plugin: Plugin) -> ReviewQuerySet:
    return Review.objects.filter(plugin=plugin).public()
