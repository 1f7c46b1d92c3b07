"""Plain pages with a form each: a review, the reply to it, a report."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts import visitors
from accounts.signed_in_request import SignedInRequest, user_or_none
from lexic.errors import LexicError
from lexic.http.error_handlers import with_retry_after
from marketplace.models import Review
from marketplace.reviews import save_review
from marketplace.reviews.abuse_reports import Reporter, submit_report
from marketplace.reviews.forms import ReportForm, ReviewForm, ReviewReplyForm
from marketplace.reviews.review_list import review_rows
from plugins.models import Plugin


@login_required
@require_http_methods(["GET", "POST"])
@never_cache
def review_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """One's own review of a plugin: the first one, or in the place of what one said before."""
    plugin, person = _published_plugin_or_404(slug), request.user
    mine = save_review.review_by(plugin, person)
    context = {"plugin": plugin, "mine": mine}
    try:
        save_review.check_may_save_review(plugin, person)
    except LexicError as error:
        return _form_page(request, "review", {**context, "refused": error}, status=error.status)
    before = {"verdict": mine.verdict, "text": mine.text} if mine else None
    form = ReviewForm(request.POST if request.method == "POST" else None, initial=before)
    if form.is_valid():
        try:
            save_review.save_review(plugin, by=person, **form.cleaned_data)
        except LexicError as error:
            form.add_error("text", error.message_with_hint)
        else:
            messages.success(request, gettext("Your review is published."))
            return redirect(_reviews_url(plugin))
    return _form_page(request, "review", {**context, "form": form})


@login_required
@require_POST
def delete_review_view(request: SignedInRequest, slug: str) -> HttpResponse:
    plugin = _published_plugin_or_404(slug)
    mine = save_review.review_by(plugin, request.user)
    if mine is None:
        raise Http404
    try:
        save_review.delete_review(mine)
    except LexicError as error:
        messages.error(request, error.message_with_hint)
    else:
        messages.success(request, gettext("Your review is deleted."))
    return redirect(_reviews_url(plugin))


@login_required
@require_http_methods(["GET", "POST"])
@never_cache
def reply_view(request: SignedInRequest, slug: str, pk: UUID) -> HttpResponse:
    """The one answer of those who may change the plugin. To anybody else there is nothing here."""
    plugin = _published_plugin_or_404(slug)
    get_object_or_404(Plugin.objects.editable_by(request.user), pk=plugin.pk)
    found = _public_review_or_404(plugin, pk)
    form = ReviewReplyForm(request.POST if request.method == "POST" else None, initial={"text": found.reply})
    if form.is_valid():
        try:
            save_review.save_reply(found, **form.cleaned_data)
        except LexicError as error:
            form.add_error("text", error.message_with_hint)
        else:
            messages.success(
                request, gettext("Your reply is published.") if found.reply else gettext("Your reply is deleted.")
            )
            return redirect(_reviews_url(plugin))
    return _form_page(request, "reply", _review_context(plugin, found) | {"form": form})


@require_http_methods(["GET", "POST"])
@never_cache
def report_plugin_view(request: SignedInRequest, slug: str) -> HttpResponse:
    return _handle_report(request, _published_plugin_or_404(slug), None)


@require_http_methods(["GET", "POST"])
@never_cache
def report_review_view(request: SignedInRequest, slug: str, pk: UUID) -> HttpResponse:
    plugin = _published_plugin_or_404(slug)
    return _handle_report(request, plugin, _public_review_or_404(plugin, pk))


def _handle_report(request: SignedInRequest, plugin: Plugin, about: Review | None) -> HttpResponse:
    """By anybody, signed in or not."""
    form = ReportForm(request.POST if request.method == "POST" else None)
    context = {**(_review_context(plugin, about) if about else {"plugin": plugin}), "form": form}
    if not form.is_valid():
        return _form_page(request, "report", context)
    person = user_or_none(request)
    reporter = Reporter(person=person, address=visitors.visitor_id(request))
    try:
        submit_report(plugin, review=about, reporter=reporter, **form.cleaned_data)
    except LexicError as error:
        form.add_error(None, error.message_with_hint)
        page = _form_page(request, "report", context, status=error.status)
        return with_retry_after(page, error)
    messages.success(request, gettext("Thank you. The operators of this site will look at it."))
    return redirect("plugin", plugin.address)


def _form_page(request: SignedInRequest, name: str, context: dict[str, Any], *, status: int = 200) -> HttpResponse:
    return render(request, f"marketplace/{name}_form.html", {"section": "marketplace", **context}, status=status)


def _review_context(plugin: Plugin, about: Review) -> dict[str, Any]:
    return {"plugin": plugin, "row": review_rows([about], latest=plugin.version)[0]}


def _published_plugin_or_404(slug: str) -> Plugin:
    return get_object_or_404(Plugin.objects.with_page().at_address(slug))


def _public_review_or_404(plugin: Plugin, pk: UUID) -> Review:
    return get_object_or_404(Review.objects.filter(plugin=plugin).public(), pk=pk)


def _reviews_url(plugin: Plugin) -> str:
    return f"{reverse('plugin', args=[plugin.address])}#reviews"
