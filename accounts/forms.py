from __future__ import annotations

from typing import Any

from allauth.account.forms import SignupForm
from allauth.mfa.webauthn.forms import AddWebAuthnForm
from django.contrib.auth.hashers import make_password
from django.http import HttpRequest
from django.utils.translation import gettext


class AddPasskeyForm(AddWebAuthnForm):
    """What is added is a passkey, unless the person has one that cannot be."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["passwordless"]
        field.initial, field.label = True, gettext("Sign in with it alone, without the password")
        field.help_text = gettext("Not ticked: it is asked for after the password. Older keys can only do that.")


class SilentSignupForm(SignupForm):
    """Takes as long for an address that has an account as for a new one."""

    def try_save(self, request: HttpRequest) -> Any:
        if self.account_already_exists:
            make_password(self.cleaned_data["password1"])
        return super().try_save(request)
