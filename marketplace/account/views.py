"""A person's own data: a copy of it, and the end of the account."""

from __future__ import annotations

from allauth.account.decorators import reauthentication_required
from django import forms
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.limits import wait_for_room
from accounts.models import User
from lexic.downloads import Download
from lexic.errors import LexicError
from marketplace.account.export import export_person
from marketplace.account.leave import belongings_of, leave

MOST_EXPORTS = {3600: 6}


class LeaveForm(forms.Form):
    address = forms.CharField(
        max_length=254, label="Your address, to confirm", widget=forms.TextInput(attrs={"autocomplete": "off"})
    )

    def __init__(self, data: object = None, *, user: User) -> None:
        super().__init__(data)  # type: ignore[arg-type]
        self.user = user

    def clean_address(self) -> str:
        address: str = self.cleaned_data["address"].strip().lower()
        if address != self.user.email:
            raise forms.ValidationError("This is not the address of this account.")
        return address


@require_safe
@login_required
@never_cache
def your_data(request: HttpRequest) -> HttpResponse:
    return _page(request, LeaveForm(user=_person(request)))


@require_POST
@login_required
@never_cache
@reauthentication_required
def export(request: HttpRequest) -> HttpResponseBase:
    """The zip, after a fresh sign-in, some times an hour."""
    user = _person(request)
    if wait_for_room(f"export:{user.pk}", MOST_EXPORTS) is not None:
        messages.error(request, "You had several copies within the hour. Ask again later.")
        return redirect("your_data")
    return Download(export_person(user), name="lexic-my-data.zip", content_type="application/zip")


@require_POST
@login_required
@never_cache
@reauthentication_required
def leave_view(request: HttpRequest) -> HttpResponse:
    form = LeaveForm(request.POST, user=_person(request))
    if form.is_valid():
        try:
            leave(_person(request))
        except LexicError as error:
            form.add_error(None, f"{error.message} {error.hint}")
        else:
            logout(request)
            messages.success(request, "Your account is deleted, with everything that was yours alone.")
            return redirect("home")
    return _page(request, form, status=400)


def _page(request: HttpRequest, form: LeaveForm, *, status: int = 200) -> HttpResponse:
    context = {"form": form, "belongings": belongings_of(_person(request))}
    return render(request, "accounts/your_data.html", context, status=status)


def _person(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
