from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from allauth.account.internal.flows.login import record_authentication
from allauth.account.views import BaseReauthenticateView
from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import avatars, reauthentication_code
from accounts.author_access import find_author_refusal, make_author
from accounts.models import User
from accounts.rate_limits import RateLimited
from accounts.signed_in_request import signed_in_user, user_or_none
from lexic.errors import LexicError, NotAllowed
from lexic.http.error_handlers import retry_headers

logger = logging.getLogger(__name__)

_IMMUTABLE_CACHE_CONTROL = "public, max-age=31536000, immutable"


@require_http_methods(["GET", "POST"])
@never_cache
def become_author(request: HttpRequest) -> HttpResponse:
    """What building a plugin means, and the one button that opens the builder."""
    user = user_or_none(request)
    if user is None:
        if request.method == "POST":
            return redirect(reverse("account_login", query={"next": request.path}))
        return render(request, "accounts/become_author.html", {"section": "experts"})
    if request.method == "POST":
        try:
            make_author(user)
        except NotAllowed as reason:
            return render(
                request,
                "accounts/become_author.html",
                {"section": "experts", "reason": reason},
                status=reason.status,
            )
        return redirect("admin:plugins_plugin_add")
    if user.is_staff:
        return redirect("admin:index")
    return render(request, "accounts/become_author.html", {"section": "experts", "reason": find_author_refusal(user)})


class ProfileForm(forms.ModelForm):
    class Meta:
        model = User
        fields = ["display_name"]
        labels = {"display_name": gettext_lazy("Name")}
        help_texts = {
            "display_name": gettext_lazy(
                "Everybody reads it beside your reviews and what you publish. Without one, they read "
                "“Unnamed member”, and those who work with you the part of your address before the @."
            )
        }

    def clean_display_name(self) -> str:
        return " ".join(self.cleaned_data["display_name"].split())


@require_http_methods(["GET", "POST"])
@login_required
@never_cache
def profile(request: HttpRequest) -> HttpResponse:
    user = signed_in_user(request)
    form = ProfileForm(request.POST if request.method == "POST" else None, instance=user)
    if form.is_valid():
        form.save()
        messages.success(request, gettext("Your name is saved."))
        back = request.GET.get("next", "")
        is_ours = url_has_allowed_host_and_scheme(back, allowed_hosts=None)
        return HttpResponseRedirect(back if is_ours else reverse("profile"))
    return render(request, "accounts/profile.html", {"form": form})


@require_POST
@login_required
@never_cache
def upload_picture(request: HttpRequest) -> HttpResponse:
    file = request.FILES.get("picture")
    try:
        if file is None:
            raise avatars.UnreadableImage(gettext("No file was chosen."))
        avatars.upload_avatar(signed_in_user(request), file)
        messages.success(request, gettext("Your picture is saved."))
    except RateLimited as refusal:
        context = {"form": ProfileForm(instance=signed_in_user(request)), "refusal": refusal}
        page = render_to_string("accounts/profile.html", context, request)
        return HttpResponse(page, status=refusal.status, headers=retry_headers(refusal))
    except LexicError as error:
        messages.error(request, error.message_with_hint)
    return redirect("profile")


@require_POST
@login_required
def remove_picture(request: HttpRequest) -> HttpResponse:
    avatars.remove_avatar(signed_in_user(request))
    messages.success(request, gettext("Your picture is removed."))
    return redirect("profile")


@require_safe
def avatar(request: HttpRequest, name: str) -> HttpResponse:
    """Serves a picture by its name, which cannot be guessed and always means the same picture."""
    try:
        content = avatars.read_avatar(name)
    except (avatars.UnreadableImage, FileNotFoundError):
        raise Http404 from None
    return HttpResponse(content, content_type="image/webp", headers={"Cache-Control": _IMMUTABLE_CACHE_CONTROL})


class CodeForm(forms.Form):
    code = forms.CharField(
        label=gettext_lazy("Code"), max_length=40, widget=forms.TextInput(attrs={"autocomplete": "one-time-code"})
    )

    def __init__(self, *args: Any, request: HttpRequest, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request = request

    def clean_code(self) -> str:
        code: str = self.cleaned_data["code"]
        try:
            reauthentication_code.verify_code(self.request, signed_in_user(self.request), code)
        except reauthentication_code.WrongCode as error:
            raise forms.ValidationError(error.message_with_hint) from None
        return code


@method_decorator([login_required, never_cache], name="dispatch")
class ReauthenticateByCode(BaseReauthenticateView):
    """Confirms by a mailed code that it is still the same person; then what they wanted to do goes on."""

    form_class = CodeForm
    template_name = "account/reauthenticate_by_code.html"

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "request": self.request}

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        return {**super().get_context_data(**context), "address": signed_in_user(self.request).email}

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            reauthentication_code.send_code(request, signed_in_user(request))
            problem = None
        except reauthentication_code.TooManyCodes as error:
            problem = error
        return self.render_to_response(self.get_context_data(problem=problem))

    def form_valid(self, form: CodeForm) -> HttpResponse:
        record_authentication(self.request, signed_in_user(self.request), method="code", reauthenticated=True)
        return super().form_valid(form)


def with_leaving_page(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Sends people to another site from a page of ours: browsers let no form lead elsewhere under our policy, not
    even by way of a redirect."""

    def leave(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            response = view(request, *args, **kwargs)
        except (OSError, KeyError):  # it is away (a kind of OSError), or what it says of itself cannot be used
            return render(request, "socialaccount/authentication_error.html", status=502)
        address = response.headers.get("Location", "")
        if not address or url_has_allowed_host_and_scheme(address, {request.get_host()}):
            return response
        context = {"address": address, "host": urlsplit(address).hostname}
        return render(request, "socialaccount/leaving.html", context)

    return never_cache(leave)


def with_error_page(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Where people come back to: what the provider said then may be anything, and is no fault of ours."""

    def come_back(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            return view(request, *args, **kwargs)
        except (OSError, KeyError, TypeError, ValueError, AttributeError):
            logger.warning("a provider's answer could not be used", exc_info=True)
            return render(request, "socialaccount/authentication_error.html", status=502)

    return never_cache(come_back)
