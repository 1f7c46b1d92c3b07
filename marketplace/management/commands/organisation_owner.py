from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError

from accounts.email_addresses import find_user_by_email
from lexic.management.lexic_command import LexicCommand
from marketplace.publishing.appoint_owner import appoint_owner
from organisations.models import Organisation


class Command(LexicCommand):
    help = (
        "Name a new owner of an organisation whose owners cannot sign in any more.\n\n"
        "Example: manage.py organisation_owner 1f0c7a52-0d5e-4c5b-a53c-2f2b8f7f4a10 me@example.org"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("organisation", nargs="?", type=UUID, help="its id; without one, those without an owner")
        parser.add_argument("email", nargs="?", help="whose account becomes its owner")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *, organisation: UUID | None, email: str | None, **options: Any) -> None:
        if organisation is None:
            self._list(as_json=options["json"])
            return
        found = Organisation.objects.filter(pk=organisation).first()
        if found is None:
            raise CommandError(f"There is no organisation with the id {organisation}.")
        if email is None:
            raise CommandError("Say whose account becomes its owner.")
        person = find_user_by_email(email)
        if person is None:
            raise CommandError(f"There is no account with the address {email} that may sign in.")
        appoint_owner(found, person=person)
        shown = {"organisation": str(found.pk), "owner": person.email}
        self.stdout.write(json.dumps(shown) if options["json"] else f"{person.email} is an owner of “{found}” now.")

    def _list(self, *, as_json: bool) -> None:
        left = [{"organisation": str(one.pk), "name": one.name} for one in Organisation.objects.without_owner()]
        if as_json:
            self.stdout.write(json.dumps(left))
            return
        for one in left:
            self.stdout.write(f"{one['organisation']}  {one['name']}")
        if not left:
            self.stdout.write("Every organisation has an owner who can sign in.")
