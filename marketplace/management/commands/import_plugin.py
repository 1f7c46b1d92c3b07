from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from lexic.management.lexic_command import LexicCommand
from marketplace.bundle import ImportedPlugin
from marketplace.sharing.installs import import_plugin_file
from plugins.management.owner_argument import find_owner


class Command(LexicCommand):
    help = (
        "Make a plugin from a file: what export_plugin has written, or a shared plugin as it was downloaded. It is a "
        "draft. A worker reads the documents of the former; those of the latter come as they were read.\n\n"
        "Example: manage.py import_plugin concrete-cover.lexic.zip --owner ruth@example.org"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="the file")
        parser.add_argument("--owner", help="whose it will be; default: the only operator")
        parser.add_argument("--slug", help="its slug; default: the one in the file, if it is free")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *, file: Path, owner: str | None, slug: str | None, **options: Any) -> None:
        person = find_owner(owner)
        try:
            with file.open("rb") as source:
                imported = import_plugin_file(source, owner=person, slug=slug)
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror}.") from None
        self._print(imported, as_json=options["json"])

    def _print(self, imported: ImportedPlugin, *, as_json: bool) -> None:
        plugin = imported.plugin
        if as_json:
            said = {"id": str(plugin.pk), "plugin": plugin.slug, "documents": imported.documents}
            self.stdout.write(json.dumps(said))
            return
        waiting = imported.unfinished or "none"
        taken = " (its own name was taken)" if imported.slug_was_taken else ""
        self.stdout.write(
            f"{plugin.name}, called {plugin.slug}{taken}. {imported.documents} documents, {waiting} for a worker."
        )
