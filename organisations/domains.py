"""Proving that a domain is the organisation's: by a file that only whoever runs its web site can put there."""

from __future__ import annotations

import re

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from lexic import egress
from lexic.errors import Conflict, InvalidInput, LexicError
from lexic.middleware.request_limit import free_slot_and_connections
from organisations.models import Organisation
from organisations.sign_in_models import OrganisationDomain

PROOF_PATH = "/.well-known/lexic-domain.txt"
MAX_DOMAINS = 20
_DOMAIN = re.compile(r"(?=.{4,253}\Z)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]")
_MAX_PROOF_BYTES, _SECONDS = 16 * 1024, 10.0


class NotADomain(InvalidInput):
    """This is not the domain of mail addresses."""

    code = "not_a_domain"
    hint = "What stands behind the @ of your addresses, such as example.org."


class TooManyDomains(Conflict):
    """An organisation has at most twenty domains."""

    code = "too_many_domains"
    hint = "Remove one that is not needed."


class DomainNotProved(LexicError):
    """The file with the proof was not found at this domain."""

    code = "domain_not_proved"
    status = 409
    hint = "Put it there as it is shown, so that it is served over HTTPS, or ask the operators of this site."


class DomainTaken(Conflict):
    """Another organisation has proved that this domain is its own."""

    code = "domain_taken"
    hint = "Ask the operators of this site."


def add_domain(organisation: Organisation, *, name: str) -> OrganisationDomain:
    """A claim, which `verify_domain` proves. Raises `NotADomain`, `TooManyDomains`."""
    wanted = _clean(name)
    with transaction.atomic():
        organisation.lock()
        if known := organisation.domains.filter(name=wanted).first():
            return known
        if organisation.domains.count() >= MAX_DOMAINS:
            raise TooManyDomains
        return OrganisationDomain.objects.create(organisation=organisation, name=wanted)


def verify_domain(domain: OrganisationDomain) -> None:
    """Looks for the proof at the domain itself. Raises `DomainNotProved`, `DomainTaken`."""
    free_slot_and_connections()
    try:
        found = egress.fetch(
            f"https://{domain.name}{PROOF_PATH}",
            max_bytes=_MAX_PROOF_BYTES,
            timeout=_SECONDS,
            content_types=["text/plain"],
            policy=settings.SSO_EGRESS,
        )
    except (egress.EgressRefused, egress.FetchFailed) as error:
        raise DomainNotProved(f"The file with the proof was not found: {error.message}") from error
    # A redirect to another host proves nothing about this one.
    if egress.parse_url(found.url, policy=settings.SSO_EGRESS).raw_host.decode("ascii") != domain.name:
        raise DomainNotProved("The address of the proof leads to another host.")
    if domain.proof not in found.body.decode(errors="replace").split():
        raise DomainNotProved("The file is there, but this proof is not in it.")
    mark_verified(domain)


def mark_verified(domain: OrganisationDomain) -> None:
    """Marks the domain as the organisation's. An operator may do so without the proof. Raises `DomainTaken`."""
    try:
        with transaction.atomic():
            domain.verified_at = timezone.now()
            domain.save(update_fields=["verified_at"])
    except IntegrityError:
        raise DomainTaken from None


def _clean(name: str) -> str:
    try:
        wanted = name.strip().rstrip(".").lower().encode("idna").decode()
    except UnicodeError:
        raise NotADomain from None
    if not _DOMAIN.fullmatch(wanted):
        raise NotADomain
    return wanted
