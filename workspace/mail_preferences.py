"""`/settings/mail`: which mails a person gets about their plugins; and the links in those mails that end them."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from accounts.signed_in_request import SignedInRequest
from lexic.errors import NotFound
from lexic.styled_form import StyledFormMixin
from notifications.models import MailKind, MailPreferences
from notifications.unsubscribe import preferences_of, read_token
from workspace.page_base import render_page, workspace_view

_UNSUBSCRIBE_TEMPLATE = "workspace/unsubscribe.html"


class MailPreferencesForm(StyledFormMixin, forms.ModelForm):
    class Meta:
        model = MailPreferences
        fields = ("weekly_digest", "failed_files", "refusals", "refused_percent")


@workspace_view("GET", "POST")
def change_mail_preferences(request: SignedInRequest) -> HttpResponse:
    """GET: the form. POST: what holds from now on."""
    data = request.POST if request.method == "POST" else None
    form = MailPreferencesForm(data, instance=preferences_of(request.user))
    if form.is_valid():
        form.save()
        messages.success(request, "Saved.")
        return redirect("mail_preferences")
    page = render_page(request, "workspace/mail_preferences.html", {"form": form}, section="settings")
    page.status_code = 400 if form.errors else 200
    return page


# The link is the proof, and mail programs that send the POST themselves (RFC 8058) have no cookie.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """GET: asks, because programs that look through mails follow links. POST: ends mails of this kind."""
    try:
        preferences, kind = read_token(token)
    except NotFound as error:
        return render(request, _UNSUBSCRIBE_TEMPLATE, {"error": error}, status=error.status)
    if request.method == "POST":
        preferences.stop(kind)
    context = {"kind": MailKind(kind).label, "is_ended": not preferences.wants(kind)}
    return render(request, _UNSUBSCRIBE_TEMPLATE, context)
