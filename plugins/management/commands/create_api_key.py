from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError

from accounts.email_addresses import find_user_by_email
from accounts.models import ApiKey, Capability, User
from lexic.management.lexic_command import LexicCommand
from plugins.models import Plugin


class Command(LexicCommand):
    help = "Create an API key and print it once.\n\nExample: manage.py create_api_key me@example.com --name agent"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email", help="whose key it is")
        parser.add_argument("--name", default="command line", help="a name for yourself")
        parser.add_argument("--plugin", action="append", default=[], help="limit it to this slug; may be repeated")
        parser.add_argument("--can", action="append", choices=Capability.values, help="what it may do; default: query")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *, email: str, name: str, plugin: list[str], **options: Any) -> None:
        owner = self._owner(email)
        allowed = [self._plugin(slug, owner) for slug in plugin]
        capabilities = options["can"] or [Capability.QUERY.value]
        name = self._name(name)
        key, secret = ApiKey.objects.issue(owner=owner, name=name, plugins=allowed, capabilities=capabilities)
        if options["json"]:
            self.stdout.write(json.dumps({"id": str(key.pk), "key": secret, "name": name, "plugins": plugin}))
        else:
            self.stdout.write(secret)

    def _owner(self, email: str) -> User:
        owner = find_user_by_email(email)
        if owner is None:
            raise CommandError(
                f"There is no active account with the address {email}. Make one: manage.py createsuperuser"
            )
        return owner

    def _name(self, name: str) -> str:
        try:
            return ApiKey._meta.get_field("name").clean(name, None)
        except ValidationError as error:
            raise CommandError(f"--name: {error.messages[0]}") from None

    def _plugin(self, slug: str, owner: User) -> Any:
        found = Plugin.objects.askable_by_name(owner).filter(slug=slug).first()
        if found is None:
            raise CommandError(f"{owner.email} may not ask a plugin called {slug}.")
        return found
