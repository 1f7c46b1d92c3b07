"""Sign-ins and changes of how somebody signs in, for the audit log: Django and allauth say them by signals alone."""

from __future__ import annotations

from typing import Any

from allauth.account import signals as account_signals
from allauth.mfa import signals as mfa_signals
from django.contrib.auth import signals as auth_signals

from accounts.models import User
from accounts.user_models import normalized_email
from audit.actions import Action
from audit.record import record
from audit.references import person

_ADDRESS_FIELDS = ("username", "email", "login")


def connect() -> None:
    """Called once, when the apps are ready."""
    auth_signals.user_logged_in.connect(_signed_in, dispatch_uid="audit")
    auth_signals.user_logged_out.connect(_signed_out, dispatch_uid="audit")
    auth_signals.user_login_failed.connect(_failed, dispatch_uid="audit")
    account_signals.password_changed.connect(_password_changed, dispatch_uid="audit")
    account_signals.password_set.connect(_password_changed, dispatch_uid="audit")
    account_signals.password_reset.connect(_password_reset, dispatch_uid="audit")
    mfa_signals.authenticator_added.connect(_second_step_added, dispatch_uid="audit")
    mfa_signals.authenticator_removed.connect(_second_step_removed, dispatch_uid="audit")


def _signed_in(sender: Any, user: User, **kwargs: Any) -> None:
    record(Action.SIGN_IN, person(user))


def _signed_out(sender: Any, user: User | None, **kwargs: Any) -> None:
    if user is not None:
        record(Action.SIGN_OUT, person(user))


def _failed(sender: Any, credentials: dict[str, Any], **kwargs: Any) -> None:
    """What was typed is not kept: people type passwords into every field. Whose account it was about is."""
    typed = next((str(credentials[name]) for name in _ADDRESS_FIELDS if credentials.get(name)), "")
    account = User.objects.filter(email=normalized_email(typed)).first() if typed else None
    record(Action.SIGN_IN_FAILED, person(account) if account else None)


def _password_changed(sender: Any, user: User, **kwargs: Any) -> None:
    record(Action.PASSWORD_CHANGED, person(user))


def _password_reset(sender: Any, user: User, **kwargs: Any) -> None:
    record(Action.PASSWORD_RESET, person(user))


def _second_step_added(sender: Any, user: User, authenticator: Any, **kwargs: Any) -> None:
    record(Action.SECOND_STEP_ADDED, person(user), details={"type": authenticator.type})


def _second_step_removed(sender: Any, user: User, authenticator: Any, **kwargs: Any) -> None:
    record(Action.SECOND_STEP_REMOVED, person(user), details={"type": authenticator.type})
