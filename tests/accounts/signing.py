"""Browsers of people who came in from elsewhere."""

from __future__ import annotations

import time

from allauth.account.internal.flows.login import AUTHENTICATION_METHODS_SESSION_KEY
from django.test import Client

from accounts.models import User


def signed_in_by(user: User, *records: dict[str, object]) -> Client:
    """A session as allauth leaves it right after signing in by these means."""
    client = Client()
    client.force_login(user)
    record_sign_in(client, user, *records)
    return client


def record_sign_in(client: Client, user: User, *records: dict[str, object]) -> None:
    """Tells the session of one who is signed in how and when that was: now, where the record does not say."""
    session = client.session
    session[AUTHENTICATION_METHODS_SESSION_KEY] = [{"at": time.time(), **record} for record in records]
    session["account_authentication_methods_user"] = str(user.pk)
    session.save()


def signed_in_elsewhere(user: User) -> Client:
    """A session as it is right after a provider has sent the person back."""
    return signed_in_by(user, {"method": "socialaccount"})


def age(client: Client, *, seconds: float = 3600) -> Client:
    """The same session, as much later."""
    session = client.session
    records = session[AUTHENTICATION_METHODS_SESSION_KEY]
    session[AUTHENTICATION_METHODS_SESSION_KEY] = [{**one, "at": one["at"] - seconds} for one in records]
    session.save()
    return client
