"""Finds the account that a sign-in through another site opens.

An account is found by the provider's id of the person. If there is none yet, the e-mail address decides, but only one
that the provider says it has verified: otherwise anybody could enter your address there and get into your account here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from allauth.account import app_settings as account_settings
from allauth.account.models import EmailAddress
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.mfa.models import Authenticator
from allauth.socialaccount.internal.flows.email_authentication import wipe_password
from allauth.socialaccount.models import SocialAccount, SocialLogin
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.shortcuts import render

from accounts.email_addresses import find_user_by_email
from accounts.models import User
from lexic.column_length import column_length
from lexic.publish_task import publish_task

_MAX_NAME_LENGTH = column_length(User, "display_name")


def normalize_provider_data(sociallogin: SocialLogin) -> None:
    """An address counts as verified when the provider says `true`. Some send words: "false" is not empty."""
    for address in sociallogin.email_addresses:
        address.verified = address.verified is True or address.verified == "true"
    if not isinstance(sociallogin.account.extra_data, dict):
        sociallogin.account.extra_data = {}


def drop_unconfirmed_claims(sociallogin: SocialLogin) -> None:
    """Who wrote down this address beside their own and never confirmed it did not have it: its owner is here now.

    Else the owner would come into that account, which is somebody else's. Call before an account is looked for.
    """
    if sociallogin.state.get("process") == "connect":
        return
    for address in sociallogin.email_addresses:
        if address.verified:
            claims = EmailAddress.objects.filter(email__iexact=address.email, verified=False)
            claims.exclude(user__email__iexact=address.email).delete()


def set_display_name(user: User, *, data: dict[str, Any]) -> None:
    """First and last name together, else one name. None where the provider says none."""
    parts = [str(data.get(name) or "").strip() for name in ("first_name", "last_name")]
    name = " ".join(filter(None, parts)) or str(data.get("name") or "").strip()
    user.display_name = name[:_MAX_NAME_LENGTH]


def check_social_login(request: HttpRequest, sociallogin: SocialLogin) -> None:
    """Checks a social login before the person is signed in. Raises `ImmediateHttpResponse` with an explanation."""
    if sociallogin.state.get("process") == "connect":
        return
    if email := sociallogin._did_authenticate_by_email:
        _confirm_email(request, sociallogin.user, email=email)
    elif not sociallogin.is_existing and (email := _find_taken_email(sociallogin)):
        raise ImmediateHttpResponse(_email_taken_response(request, sociallogin, email=email))


def save_social_user(sociallogin: SocialLogin, make: Callable[[], User]) -> User:
    """The row of somebody who is new. Two first visits at once give one: the second finds it, and brings it up to
    date. Raises `ImmediateHttpResponse` where the address was taken meanwhile by somebody else."""
    new = sociallogin.user
    try:
        with transaction.atomic():
            made = make()
    except IntegrityError:
        made = _find_concurrent_user(sociallogin)
        made.display_name = new.display_name
        made.save(update_fields=["display_name"])
    if url := provider_avatar_url(sociallogin.account):
        # Nobody waits for the picture, and without a broker there is none.
        transaction.on_commit(partial(publish_task, "accounts.fetch_avatar", person=str(made.pk), url=url))
    return made


def provider_avatar_url(account: SocialAccount) -> str:
    """The address of the person's picture, as the provider says; empty where it says none."""
    said = _provider_claims(account)
    url = said.get("picture") or said.get("avatar_url") or ""
    return url if isinstance(url, str) else ""


def _provider_claims(account: SocialAccount) -> dict[str, Any]:
    """What the provider said of the person. OpenID Connect says it in two places."""
    said = account.extra_data
    for place in ("userinfo", "id_token"):
        if isinstance(said.get(place), dict):
            return dict(said[place])
    return dict(said)


def _confirm_email(request: HttpRequest, user: User, *, email: str) -> None:
    """The provider knows that they read the mail of this address, so now we do too.

    An account without any address to confirm was made by an operator, and is the owner's.
    """
    addresses = EmailAddress.objects.filter(user=user)
    if not addresses.exists():
        EmailAddress.objects.create(user=user, email=email.lower(), verified=True, primary=True)
    elif not addresses.filter(email__iexact=email, verified=True).exists():
        _revoke_unconfirmed_access(request, user, email=email)


def _revoke_unconfirmed_access(request: HttpRequest, user: User, *, email: str) -> None:
    """Removes every way to sign in to an account whose address was never confirmed.

    Whoever signed up with it may be somebody else, who waits for the owner to come.
    """
    wipe_password(request, user, email)  # and their sessions
    for key in user.api_keys.filter(revoked_at=None):
        key.revoke()
    SocialAccount.objects.filter(user=user).delete()
    Authenticator.objects.filter(user=user).delete()
    EmailAddress.objects.filter(user=user).exclude(email__iexact=email).delete()
    EmailAddress.objects.filter(user=user, email__iexact=email).update(verified=True, primary=True)


def _find_taken_email(sociallogin: SocialLogin) -> str:
    """The address with which they would sign up, if an account has it."""
    if account_settings.EMAIL_VERIFICATION == account_settings.EmailVerificationMethod.MANDATORY:
        return ""  # then a mail says so, and the page the same for everybody
    emails = [address.email for address in sociallogin.email_addresses] or [sociallogin.user.email]
    for email in filter(None, emails):
        if find_user_by_email(email) is not None or EmailAddress.objects.filter(email__iexact=email).exists():
            return email
    return ""


def _find_concurrent_user(sociallogin: SocialLogin) -> User:
    account = sociallogin.account
    found = SocialAccount.objects.filter(provider=account.provider, uid=account.uid).select_related("user").first()
    if found is None:
        request = sociallogin.provider.request
        raise ImmediateHttpResponse(_email_taken_response(request, sociallogin, email=sociallogin.user.email))
    sociallogin.account, sociallogin.user = found, found.user
    return found.user


def _email_taken_response(request: HttpRequest, sociallogin: SocialLogin, *, email: str) -> Any:
    context = {"provider": sociallogin.provider.name, "email": email}
    return render(request, "socialaccount/address_taken.html", context, status=409)
