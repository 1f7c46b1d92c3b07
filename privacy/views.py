"""A person's own data: a copy of it, and the end of the account."""

from __future__ import annotations

from allauth.account.decorators import reauthentication_required
from django import forms
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from accounts.rate_limits import count_or_wait
from accounts.signed_in_request import SignedInRequest
from lexic.errors import LexicError
from lexic.http.downloads import DownloadResponse
from privacy.account_deletion import account_deletion, delete_account
from privacy.data_export import export_personal_data

EXPORT_LIMITS = {3600: 6}


class DeleteAccountForm(forms.Form):
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
def your_data_view(request: SignedInRequest) -> HttpResponse:
    return _your_data_page(request, DeleteAccountForm(user=request.user))


@require_POST
@login_required
@never_cache
@reauthentication_required
def export_view(request: SignedInRequest) -> HttpResponseBase:
    """The zip, after a fresh sign-in, some times an hour."""
    user = request.user
    if count_or_wait(f"export:{user.pk}", EXPORT_LIMITS) is not None:
        messages.error(request, "You downloaded several copies within the hour. Try again later.")
        return redirect("your_data")
    return DownloadResponse(export_personal_data(user), name="lexic-my-data.zip", content_type="application/zip")


@require_POST
@login_required
@never_cache
@reauthentication_required
def delete_account_view(request: SignedInRequest) -> HttpResponse:
    form = DeleteAccountForm(request.POST, user=request.user)
    if form.is_valid():
        try:
            delete_account(request.user)
        except LexicError as error:
            form.add_error(None, error.message_with_hint)
        else:
            logout(request)
            messages.success(request, "Your account is deleted with its content.")
            return redirect("home")
    return _your_data_page(request, form, status=400)


def _your_data_page(request: SignedInRequest, form: DeleteAccountForm, *, status: int = 200) -> HttpResponse:
    context = {"form": form, "deletion": account_deletion(request.user)}
    return render(request, "privacy/your_data.html", context, status=status)
