"""What people who used the plugin say of it, and the place to answer them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, reverse
from django.views.decorators.http import require_GET, require_POST

from builder.panes import pane_url, render
from lexic.errors import LexicError
from marketplace.models import Review, ReviewQuerySet, Verdict
from marketplace.reviews.counts import counts_of
from marketplace.reviews.forms import ReplyForm
from marketplace.reviews.shown import PER_PAGE, rows_of
from marketplace.reviews.write import reply
from plugins.models import Plugin


def urls() -> list[URLPattern]:
    return [
        pane_url("reviews/", require_GET(show), name="reviews"),
        pane_url("reviews/<uuid:review>/reply/", require_POST(reply_view), name="review_reply", to_change=True),
    ]


def show(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    """The newest first, by page, each with the reply to it."""
    return _pane(request, plugin)


def reply_view(request: HttpRequest, plugin: Plugin, review: UUID) -> HttpResponse:
    found, form = get_object_or_404(_of(plugin), pk=review), ReplyForm(request.POST)
    if form.is_valid():
        try:
            reply(found, **form.cleaned_data)
        except LexicError as error:
            form.add_error("text", f"{error.message} {error.hint}")
        else:
            messages.success(request, "Your reply is on the page." if found.reply else "There is no reply now.")
            return HttpResponseRedirect(_address(plugin, found))
    return _pane(request, plugin, answered={found.pk: form})


def _pane(request: HttpRequest, plugin: Plugin, *, answered: dict[UUID, ReplyForm] | None = None) -> HttpResponse:
    """`answered` holds the form that could not be kept, with what was typed."""
    page = Paginator(_of(plugin), PER_PAGE).get_page(request.GET.get("page"))
    found = rows_of(page.object_list, latest=plugin.version)
    counted = counts_of([plugin.pk])[plugin.pk]
    context: dict[str, Any] = {
        "page": page,
        "rows": [(row, (answered or {}).get(row.review.pk) or _form(row.review)) for row in found],
        "verdicts": [(verdict.label, counted[verdict]) for verdict in Verdict],
    }
    return render(request, plugin, "reviews", "builder/reviews.html", context)


def _form(review: Review) -> ReplyForm:
    return ReplyForm(initial={"text": review.reply}, auto_id=f"id_{review.pk}_%s")


def _of(plugin: Plugin) -> ReviewQuerySet:
    return Review.objects.filter(plugin=plugin).public()


def _address(plugin: Plugin, review: Review) -> str:
    return f"{reverse('admin:builder_reviews', args=[plugin.pk])}#review-{review.pk}"
