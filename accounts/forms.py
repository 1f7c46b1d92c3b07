from __future__ import annotations

from typing import Any

from allauth.account.forms import ChangePasswordForm, ResetPasswordKeyForm, SetPasswordForm, SignupForm
from allauth.mfa.webauthn.forms import AddWebAuthnForm
from django.contrib.auth.hashers import make_password
from django.contrib.auth.password_validation import MinimumLengthValidator, get_default_password_validators
from django.http import HttpRequest
from django.utils.translation import gettext


class AddPasskeyForm(AddWebAuthnForm):
    """Adds a passkey. The box for signing in without the password is ticked at first; it is unticked for older security
    keys, which need the password."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["passwordless"]
        field.initial, field.label = True, gettext("Sign in with it alone, without the password")
        field.help_text = gettext("Not ticked: it is asked for after the password. Older keys can only do that.")


class _PasswordRules:
    """Says in one line what a new password needs. Each validator explains in full what is wrong with a password."""

    fields: dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        lengths = [
            one.min_length for one in get_default_password_validators() if isinstance(one, MinimumLengthValidator)
        ]
        if lengths and "password1" in self.fields:
            rules = gettext("At least %(length)s characters, and not a common password.")
            self.fields["password1"].help_text = rules % {"length": max(lengths)}


class NewPasswordForm(_PasswordRules, ChangePasswordForm):
    """For a person who already has a password."""


class FirstPasswordForm(_PasswordRules, SetPasswordForm):
    """For a person who has no password yet."""


class ForgottenPasswordForm(_PasswordRules, ResetPasswordKeyForm):
    """For a person who has opened the link of the reset mail."""


class SilentSignupForm(_PasswordRules, SignupForm):
    """Takes as long for an address that has an account as for a new one."""

    def try_save(self, request: HttpRequest) -> Any:
        if self.account_already_exists:
            make_password(self.cleaned_data["password1"])
        return super().try_save(request)
