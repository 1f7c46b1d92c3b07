"""Signs people in through the provider of an organisation.

The provider only counts for addresses at the organisation's own domains: a provider that an owner has named must not
open the accounts of others. So it opens an account that was created by it, or by the directory of the organisation. Any
other account must be connected first by its person, signed in to it.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from allauth.account.internal.flows.login import record_authentication
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialLogin
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone

from accounts import quotas
from accounts.email_addresses import is_confirmed_second_address
from accounts.models import User
from accounts.signed_in_request import user_or_none
from accounts.user_models import normalized_email
from lexic.errors import NotAllowed
from organisations.models import Membership, MembershipInvitation, Organisation
from organisations.provisioning_models import ProvisionedPerson
from organisations.sign_in_models import IdentityProvider
from organisations.sso_session import organisation_of_provider, provider_id


class NotVouchedFor(NotAllowed):
    """The provider did not name an address at a domain of this organisation."""

    code = "not_vouched_for"
    hint = "Ask an owner of the organisation which addresses its provider stands for."


class NotConnected(NotAllowed):
    """There is an account with this address, and it is not connected to the organisation."""

    code = "not_connected"
    hint = "Sign in to it as before, open the organisation, and sign in through its provider from there."


class NotMember(NotAllowed):
    """This account is not in the organisation."""

    code = "not_member"
    hint = "Ask an owner or operator of the organisation to invite you."


class OtherAddress(NotAllowed):
    """The provider knows you by another address than your account here has."""

    code = "other_address"
    hint = "Sign in here with the account that has the address of your organisation."


def find_app(name: str) -> SocialApp | None:
    """What allauth asks the provider of this name with; None for one of the site, or where there is none."""
    organisation = organisation_of_provider(name)
    provider = IdentityProvider.objects.select_related("organisation").filter(organisation=organisation).first()
    if organisation is None or provider is None:
        return None
    return SocialApp(
        provider="openid_connect",
        provider_id=name,
        name=provider.organisation.name,
        client_id=provider.client_id,
        secret=provider.secret(),
        settings={"server_url": provider.server_url, "oauth_pkce_enabled": True},
    )


def organisation_of(sociallogin: SocialLogin) -> UUID | None:
    """The organisation whose provider says this; None for a provider of the site."""
    return organisation_of_provider(sociallogin.account.provider)


def find_provisioned_account(sociallogin: SocialLogin, organisation: UUID) -> tuple[User, str] | None:
    """The account that the directory of the organisation has made for this person, with their address."""
    email = _vouched_address(sociallogin, organisation)
    made = ProvisionedPerson.objects.filter(organisation=organisation, made_account=True, user__email=email)
    found = made.filter(user__is_active=True).select_related("user").first() if email else None
    return (found.user, email) if found else None


def check_sign_in(request: HttpRequest, sociallogin: SocialLogin, organisation: UUID) -> None:
    """Checks a sign-in through the provider of an organisation, before the person is signed in.

    Raises `NotVouchedFor`, `NotConnected`, `NotMember`, `OtherAddress`, `TooManyCollaborators`.
    """
    email = _vouched_address(sociallogin, organisation)
    if not email or sociallogin.account.uid in ("", "None"):  # the library writes a missing name so
        raise NotVouchedFor
    for address in sociallogin.email_addresses:
        address.email, address.verified = email, True
    if sociallogin.state.get("process") == "connect":
        _check_connection(request, sociallogin, organisation, email=email)
    elif sociallogin.is_existing:
        _check_member(sociallogin.user, organisation)
    elif User.objects.filter(email=email).exists():
        raise NotConnected
    elif is_confirmed_second_address(email):
        raise NotConnected(hint="Make this address the main one of your account, then sign in again.")
    else:
        _check_may_join(organisation, email=email)


def join_through_provider(person: User, organisation: UUID) -> None:
    """Makes a person who signs in for the first time a member, with the role of their invitation or that of new
    people."""
    with transaction.atomic():
        found = Organisation.objects.get(pk=organisation)
        found.lock()
        role = _role_of_new(organisation, email=person.email)
        if not role:
            raise NotMember
        found.invitations.for_address(person.email).delete()
        now = timezone.now()
        Membership.objects.get_or_create(organisation=found, user=person, defaults={"role": role, "signed_in_at": now})


def end_sign_in(person: User, organisation: Organisation) -> None:
    """The provider no longer opens the account. Who has no password of their own sets one by mail."""
    SocialAccount.objects.filter(user=person, provider=provider_id(organisation.pk)).delete()


def end_all_sign_ins(organisation: Organisation) -> None:
    """The provider opens no account any more: it is another one from now on, or none."""
    SocialAccount.objects.filter(provider=provider_id(organisation.pk)).delete()
    Membership.objects.filter(organisation=organisation).update(signed_in_at=None)


def _vouched_address(sociallogin: SocialLogin, organisation: UUID) -> str:
    """The one address that the provider names, where it may; empty otherwise."""
    said = [address for address in sociallogin.email_addresses if address.email]
    claims = sociallogin.account.extra_data
    named = [one for one in (claims.get("userinfo"), claims.get("id_token"), claims) if isinstance(one, dict)]
    if len(said) != 1 or any(_is_denied(one.get("email_verified")) for one in named):
        return ""
    email: str = normalized_email(said[0].email)
    domains = Organisation(pk=organisation).domains.of_address(email)
    return email if email.count("@") == 1 and domains.exists() else ""


def _is_denied(verified: Any) -> bool:
    """Some providers do not say it at all, and some in words."""
    return verified is not None and verified is not True and str(verified).lower() != "true"


def _check_connection(request: HttpRequest, sociallogin: SocialLogin, organisation: UUID, *, email: str) -> None:
    person = user_or_none(request)
    if person is None:
        raise NotConnected
    if person.email != email or (sociallogin.is_existing and sociallogin.user != person):
        raise OtherAddress
    _check_member(person, organisation)
    account = sociallogin.account
    record_authentication(request, person, "socialaccount", provider=account.provider, uid=account.uid)


def _check_member(person: Any, organisation: UUID) -> None:
    """Checks that the account is a member whose address is still the organisation's, and notes the sign-in. Raises
    `NotMember`, `NotVouchedFor`."""
    if not Organisation(pk=organisation).domains.of_address(person.email).exists():
        raise NotVouchedFor
    if not Membership.objects.filter(organisation=organisation, user=person).update(signed_in_at=timezone.now()):
        raise NotMember


def _check_may_join(organisation: UUID, *, email: str) -> None:
    if not _role_of_new(organisation, email=email):
        raise NotMember
    people = Membership.objects.filter(organisation=organisation).count()
    quotas.PEOPLE.check("organisation", used=people)


def _role_of_new(organisation: UUID, *, email: str) -> str:
    """The role of a new member: that of their invitation, else the provider's default; empty if neither is set."""
    invited = MembershipInvitation.objects.open().for_address(email).filter(organisation=organisation).first()
    provider = IdentityProvider.objects.filter(organisation=organisation).first()
    return invited.role if invited else provider.default_role if provider else ""
