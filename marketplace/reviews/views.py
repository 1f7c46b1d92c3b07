"""Plain pages with a form each: a review, the reply to it, a report."""

from __future__ import annotations

import math
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts import visitors
from accounts.models import User
from lexic.errors import LexicError
from marketplace.models import Review
from marketplace.reviews import write
from marketplace.reviews.forms import ReplyForm, ReportForm, ReviewForm
from marketplace.reviews.report import Reporter, TooManyReports, report
from marketplace.reviews.shown import rows_of
from plugins.models import Plugin


@login_required
@require_http_methods(["GET", "POST"])
@never_cache
def review(request: HttpRequest, slug: str) -> HttpResponse:
    """One's own review of a plugin: the first one, or in the place of what one said before."""
    plugin, person = _published(slug), _person(request)
    mine = write.review_of(plugin, person)
    context = {"plugin": plugin, "mine": mine}
    try:
        write.check_may_write(plugin, person)
    except LexicError as error:
        return _page(request, "review", {**context, "refused": error}, status=error.status)
    before = {"verdict": mine.verdict, "text": mine.text} if mine else None
    form = ReviewForm(request.POST if request.method == "POST" else None, initial=before)
    if form.is_valid():
        try:
            write.write(plugin, by=person, **form.cleaned_data)
        except LexicError as error:
            form.add_error("text", _words(error))
        else:
            messages.success(request, "Your review is on the page.")
            return redirect(_reviews(plugin))
    return _page(request, "review", {**context, "form": form})


@login_required
@require_POST
def review_delete(request: HttpRequest, slug: str) -> HttpResponse:
    plugin = _published(slug)
    mine = write.review_of(plugin, _person(request))
    if mine is None:
        raise Http404
    write.take_back(mine)
    messages.success(request, "Your review is gone.")
    return redirect(_reviews(plugin))


@login_required
@require_http_methods(["GET", "POST"])
@never_cache
def review_reply(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """The one answer of those who may change the plugin. To anybody else there is nothing here."""
    plugin = _published(slug)
    get_object_or_404(Plugin.objects.editable_by(_person(request)), pk=plugin.pk)
    found = _public(plugin, pk)
    form = ReplyForm(request.POST if request.method == "POST" else None, initial={"text": found.reply})
    if form.is_valid():
        try:
            write.reply(found, **form.cleaned_data)
        except LexicError as error:
            form.add_error("text", _words(error))
        else:
            messages.success(request, "Your reply is on the page." if found.reply else "There is no reply now.")
            return redirect(_reviews(plugin))
    return _page(request, "reply", _about(plugin, found) | {"form": form})


@require_http_methods(["GET", "POST"])
@never_cache
def report_plugin(request: HttpRequest, slug: str) -> HttpResponse:
    return _report(request, _published(slug), None)


@require_http_methods(["GET", "POST"])
@never_cache
def report_review(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    plugin = _published(slug)
    return _report(request, plugin, _public(plugin, pk))


def _report(request: HttpRequest, plugin: Plugin, about: Review | None) -> HttpResponse:
    """By anybody, signed in or not."""
    form = ReportForm(request.POST if request.method == "POST" else None)
    context = {**(_about(plugin, about) if about else {"plugin": plugin}), "form": form}
    if not form.is_valid():
        return _page(request, "report", context)
    person = request.user if isinstance(request.user, User) else None
    reporter = Reporter(person=person, address=visitors.name_of(request))
    try:
        report(plugin, review=about, reporter=reporter, **form.cleaned_data)
    except LexicError as error:
        form.add_error(None, _words(error))
        return _waiting(_page(request, "report", context, status=error.status), error)
    messages.success(request, "Thank you. Those who run this site will look at it.")
    return redirect("plugin", plugin.slug)


def _waiting(response: HttpResponse, error: LexicError) -> HttpResponse:
    if isinstance(error, TooManyReports):
        response.headers["Retry-After"] = str(math.ceil(error.retry_after))
    return response


def _page(request: HttpRequest, name: str, context: dict[str, Any], *, status: int = 200) -> HttpResponse:
    return render(request, f"marketplace/{name}_form.html", {"section": "marketplace", **context}, status=status)


def _about(plugin: Plugin, about: Review) -> dict[str, Any]:
    return {"plugin": plugin, "row": rows_of([about], latest=plugin.version)[0]}


def _published(slug: str) -> Plugin:
    return get_object_or_404(Plugin.objects.filter(is_published=True), slug=slug)


def _public(plugin: Plugin, pk: UUID) -> Review:
    return get_object_or_404(Review.objects.filter(plugin=plugin).public(), pk=pk)


def _reviews(plugin: Plugin) -> str:
    return f"{reverse('plugin', args=[plugin.slug])}#reviews"


def _words(error: LexicError) -> str:
    return f"{error.message} {error.hint}".strip()


def _person(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
