"""The settings of how members sign in: the identity provider, and whether it is required."""

from __future__ import annotations

from django.db import transaction

from accounts import key_secrets
from lexic.errors import Conflict, NotAllowed
from organisations.models import IdentityProvider, Membership, Organisation, OrganisationDomain
from organisations.provider_requests import check_address
from organisations.sign_in import end_all_sign_ins


class DomainNeeded(Conflict):
    """A provider speaks for addresses of the organisation, and it has no verified domain."""

    code = "domain_needed"
    hint = "Add a domain and verify it first."


class SignInThroughProviderFirst(NotAllowed):
    """Nobody closes an organisation to themselves."""

    code = "sign_in_through_provider_first"
    hint = "Sign in through the provider, then require it of everybody."


class DomainOfRequiredProvider(Conflict):
    """Without this domain no owner could sign in through the provider, which is required."""

    code = "domain_of_required_provider"
    hint = "Stop requiring the provider first."


def save_provider(
    organisation: Organisation, *, server_url: str, client_id: str, secret: str, default_role: str
) -> IdentityProvider:
    """An empty `secret` keeps the one before. Another provider opens no account that the former one did. After another
    secret too it is required of nobody: until an owner has signed in through it, nobody knows whether it works.

    Raises `NotAProvider`, `DomainNeeded`.
    """
    address = check_address(server_url)
    with transaction.atomic():
        organisation.lock()
        if not organisation.domains.verified().exists():
            raise DomainNeeded
        provider = IdentityProvider.objects.filter(organisation=organisation).first()
        provider = provider or IdentityProvider(organisation=organisation)
        if provider.server_url and (provider.server_url, provider.client_id) != (address, client_id):
            end_all_sign_ins(organisation)
            stop_requiring(organisation)
        elif secret and secret != provider.secret():
            organisation.memberships.owners().update(signed_in_at=None)
            stop_requiring(organisation)
        provider.server_url, provider.client_id, provider.default_role = address, client_id, default_role
        if secret:
            provider.secret_encrypted = key_secrets.encrypt(secret)
        provider.save()
        return provider


def remove_domain(domain: OrganisationDomain) -> None:
    """The provider opens no account with an address at it any more. Raises `DomainOfRequiredProvider`."""
    organisation = domain.organisation
    with transaction.atomic():
        organisation.lock()
        domain.delete()
        if Organisation.objects.filter(pk=organisation.pk, requires_sso=True).exists():
            owners = organisation.memberships.owners().select_related("user")
            if not any(organisation.domains.of_address(one.user.email).exists() for one in owners):
                raise DomainOfRequiredProvider


def remove_provider(organisation: Organisation) -> None:
    """Removes the provider. Members sign in as other people do, and the provider is no longer required."""
    with transaction.atomic():
        organisation.lock()
        IdentityProvider.objects.filter(organisation=organisation).delete()
        end_all_sign_ins(organisation)
        stop_requiring(organisation)


def require_provider(by: Membership) -> None:
    """Raises `SignInThroughProviderFirst` where whoever asks has not signed in through it, in this session."""
    organisation = by.organisation
    with transaction.atomic():
        organisation.lock()
        Organisation.objects.filter(pk=organisation.pk).update(requires_sso=True)
        if not Organisation.objects.satisfied_by(by.user).contains(organisation):
            raise SignInThroughProviderFirst
    organisation.requires_sso = True


def stop_requiring(organisation: Organisation) -> None:
    Organisation.objects.filter(pk=organisation.pk, requires_sso=True).update(requires_sso=False)
    organisation.requires_sso = False
