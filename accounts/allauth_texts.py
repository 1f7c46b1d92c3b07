"""Texts of allauth and Django without a Hindi translation of their own: our catalogues translate them."""

from __future__ import annotations

from django.utils.translation import gettext_noop, ngettext_lazy

ALLAUTH_TEXTS = (
    gettext_noop("Email"),
    gettext_noop("Password"),
    gettext_noop("Password (again)"),
    gettext_noop("Remember Me"),
    gettext_noop("Current Password"),
    gettext_noop("New Password"),
    gettext_noop("New Password (again)"),
    gettext_noop("Forgot your password?"),
    gettext_noop("Incorrect code."),
    gettext_noop("Incorrect password."),
    gettext_noop("The email address and/or password you specified are not correct."),
    gettext_noop("You must type the same password each time."),
    gettext_noop("Password successfully changed."),
    gettext_noop("Password successfully set."),
    gettext_noop("Confirmation email sent to %(email)s."),
    gettext_noop("You have confirmed %(email)s."),
    gettext_noop("Removed email address %(email)s."),
    gettext_noop("Primary email address set."),
    gettext_noop("A user is already registered with this email address."),
    gettext_noop("This email address is already associated with this account."),
    gettext_noop("Signed out of all other sessions."),
    gettext_noop("Authenticator code"),
    gettext_noop("This account is currently inactive."),
)
DJANGO_TEXTS = (
    gettext_noop("Your password can’t be too similar to your other personal information."),
    gettext_noop("Your password can’t be a commonly used password."),
    gettext_noop("The password is too similar to the %(verbose_name)s."),
    gettext_noop("This password is too common."),
    ngettext_lazy(
        "Your password must contain at least %(min_length)d character.",
        "Your password must contain at least %(min_length)d characters.",
        "min_length",
    ),
    ngettext_lazy(
        "This password is too short. It must contain at least %d character.",
        "This password is too short. It must contain at least %d characters.",
        "min_length",
    ),
)
