"""A person's API keys, without the builder: make one, see what there is, reveal, replace or revoke one."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from allauth.account.decorators import reauthentication_required
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import F
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.formats import number_format
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts import api_keys
from accounts.models import ApiKey, ApiKeyQuerySet, Capability, User
from accounts.signed_in_request import SignedInRequest
from lexic.errors import LexicError
from marketplace.plugin_page.code_snippets import build_snippets
from marketplace.plugin_page.first_question import first_question
from marketplace.site.key_forms import KeyForm, OriginsForm, RotateKeyForm
from plugins.models import Plugin
from querying.query_log.key_usage import KeyUsage, usage_by_key

_OUTCOME_LABELS = {
    "answered": gettext_lazy("answered"),
    "clarify": gettext_lazy("asked back"),
    "refused": gettext_lazy("refused"),
    "failed": gettext_lazy("failed"),
    "abandoned": gettext_lazy("left by the caller"),
    "found": gettext_lazy("searched"),
}


@require_http_methods(["GET", "POST"])
@login_required
@never_cache
def keys_view(request: SignedInRequest) -> HttpResponse:
    """The secret of a new key goes into the answer to its form, and nowhere else."""
    user = request.user
    asked_for = request.GET.get("plugin", "")[:100]
    form = KeyForm(request.POST if request.method == "POST" else None, user=user, plugin=asked_for)
    if form.is_valid():
        try:
            key, secret = form.issue()
        except LexicError as error:
            form.add_error(None, error.message_with_hint)
        else:
            return _keys_page(request, key=key, secret=secret, plugin=form.cleaned_data["plugin"])
    return _keys_page(request, form=form)


@require_POST
@login_required
@never_cache
@reauthentication_required
def reveal_key_view(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Shows the secret again; whoever has not signed in within the last minutes is asked to first."""
    key = _own_key(request, pk)
    try:
        secret = key.reveal_to(request.user)
    except LexicError as error:
        return _redirect_with_error(request, error)
    return _keys_page(request, key=key, secret=secret, is_again=True)


@require_POST
@login_required
@never_cache
def rotate_key_view(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """A new key in the place of this one, which goes on for as long as the form says."""
    old, form = _own_key(request, pk), RotateKeyForm(request.POST)
    if not form.is_valid():
        return redirect("keys")
    try:
        key, secret = api_keys.rotate_key(old, by=request.user, overlap=timedelta(hours=form.cleaned_data["overlap"]))
    except LexicError as error:
        return _redirect_with_error(request, error)
    return _keys_page(request, key=key, secret=secret, old=old)


@require_POST
@login_required
def change_key_origins_view(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Which web pages may use the key from now on."""
    key, form = _own_key(request, pk), OriginsForm(request.POST)
    if not form.is_valid():
        for reason in form.errors["allowed_origins"]:
            messages.error(request, gettext("Nothing was changed. %(reason)s") % {"reason": reason})
        return redirect("keys")
    api_keys.update_key(key, by=request.user, **form.cleaned_data)
    messages.success(request, gettext("Changed which web pages may use “%(key)s”.") % {"key": key.name})
    return redirect("keys")


@require_POST
@login_required
def revoke_key_view(request: SignedInRequest, pk: UUID) -> HttpResponse:
    key = _own_key(request, pk)
    key.revoke()
    messages.success(request, gettext("The key “%(key)s” is revoked. It stopped working at once.") % {"key": key.name})
    return redirect("keys")


def usable_keys(user: User) -> ApiKeyQuerySet:
    """Newest first."""
    mine = ApiKey.objects.usable().filter(owner=user)
    return mine.select_related("rotated_into", "authorized_client__application").prefetch_related("limits__plugin")


def _own_key(request: SignedInRequest, pk: UUID) -> ApiKey:
    return get_object_or_404(ApiKey, owner=request.user, pk=pk)


def _redirect_with_error(request: SignedInRequest, error: LexicError) -> HttpResponse:
    messages.error(request, error.message_with_hint)
    return redirect("keys")


def _keys_page(request: SignedInRequest, **context: Any) -> HttpResponse:
    working = list(usable_keys(request.user))
    uses = usage_by_key(key.pk for key in working)
    if secret := context.get("secret"):
        context["example"] = _example_command(context["key"], secret, user=request.user)
    context |= {
        "section": "keys",
        "address": request.build_absolute_uri("/api/v1/query"),
        "keys": [_key_row(key, uses[key.pk]) for key in working],
        "rotation": RotateKeyForm(),
        "is_revealing": settings.API_KEY_REVEAL,
    }
    return render(request, "marketplace/keys.html", context)


def _example_command(key: ApiKey, secret: str, *, user: User) -> str:
    """What to type to get an answer with this key, ready to run; empty where there is nothing that it could ask."""
    askable = Plugin.objects.discoverable_by(key).filter(is_published=True).select_related("listing")
    plugin = askable.order_by(F("listing__share_right").desc(nulls_last=True), "slug").first()
    if plugin is None:
        return ""
    question = first_question(plugin, viewer=user)
    snippets = {snippet.id: snippet.code for snippet in build_snippets(plugin.address, question=question)}
    return snippets["http"].replace("$LEXIC_API_KEY", secret)


def _key_row(key: ApiKey, use: KeyUsage) -> dict[str, Any]:
    return {
        "key": key,
        "capabilities": [gettext(str(Capability(name).label)) for name in key.capabilities],
        "client": key.authorized_client.application if key.is_of_client else None,
        "limits": gettext("%(minute)s a minute, %(day)s a day")
        % {"minute": _figure(key.per_minute), "day": _figure(key.per_day)},
        "questions": ngettext("%(count)s question", "%(count)s questions", use.questions)
        % {"count": _figure(use.questions)},
        "outcomes": _outcome_summary(use.outcomes),
        "days": [
            {"day": day, "share": 100 * day.questions / use.busiest, "outcomes": _outcome_summary(day.outcomes)}
            for day in reversed(use.days)
            if day.questions
        ],
    }


def _figure(number: int) -> str:
    return number_format(number, force_grouping=True)


def _outcome_summary(outcomes: Any) -> str:
    return ", ".join(f"{count} {_OUTCOME_LABELS.get(name, name)}" for name, count in outcomes.items())
