from __future__ import annotations

import uuid
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from lexic.management.lexic_command import LexicCommand
from organisations import identity_provider
from organisations.domains import add_domain, mark_verified
from organisations.models import Organisation


class Command(LexicCommand):
    help = (
        "Single sign-on of organisations, as an operator settles it: say that a domain is an organisation's where it "
        "cannot show that itself, and open one whose provider is away. Without arguments, lists them.\n\n"
        "Example: manage.py organisation_sso 1f0c7a52-0d5e-4c5b-a53c-2f2b8f7f4a10 --verify example.org"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("organisation", nargs="?", type=uuid.UUID, help="its id")
        parser.add_argument("--verify", metavar="DOMAIN", help="this domain is the organisation's")
        parser.add_argument("--stop-requiring", action="store_true", help="let members in who sign in otherwise")

    def handle(
        self, *, organisation: uuid.UUID | None, verify: str | None, stop_requiring: bool, **options: Any
    ) -> None:
        if organisation is None:
            self._list_organisations()
            return
        found = Organisation.objects.filter(pk=organisation).first()
        if found is None:
            raise CommandError("There is no such organisation. Without arguments, the command lists all.")
        if verify:
            domain = add_domain(found, name=verify)
            mark_verified(domain)
            self.stdout.write(f"{domain} is a domain of “{found}”.")
        if stop_requiring:
            identity_provider.stop_requiring(found)
            self.stdout.write(f"“{found}” is open to members who sign in otherwise.")
        if not verify and not stop_requiring:
            self.stdout.write(_organisation_line(found))

    def _list_organisations(self) -> None:
        for one in Organisation.objects.order_by("name", "pk"):
            self.stdout.write(_organisation_line(one))


def _organisation_line(organisation: Organisation) -> str:
    domains = ", ".join(f"{one}{'' if one.verified_at else ' (not verified)'}" for one in organisation.domains.all())
    required = ", provider required" if organisation.requires_sso else ""
    return f"{organisation.pk}  {organisation}: {domains or 'no domain'}{required}"
