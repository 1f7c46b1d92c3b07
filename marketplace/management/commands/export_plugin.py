from __future__ import annotations

import json
import shutil
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from lexic.atomic_files import move_into_place, temporary_file
from lexic.management.lexic_command import LexicCommand
from marketplace.bundle import export_plugin
from plugins.management.plugin_argument import get_plugin


class Command(LexicCommand):
    help = (
        "Write a plugin to one file: persona, policy, trees, documents and golden questions.\n\n"
        "Example: manage.py export_plugin concrete-cover -o concrete-cover.lexic.zip"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="the plugin")
        parser.add_argument("-o", "--output", type=Path, help="the file; default: SLUG.lexic.zip here")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *, slug: str, output: Path | None, **options: Any) -> None:
        plugin = get_plugin(slug)
        path = output or Path(f"{slug}.lexic.zip")
        try:
            with export_plugin(plugin) as source, temporary_file(path.parent) as target:
                shutil.copyfileobj(source, target)
                move_into_place(target, path)
        except OSError as error:
            raise CommandError(f"{path} cannot be written: {error.strerror}.") from None
        size = path.stat().st_size
        said = json.dumps({"plugin": slug, "file": str(path), "bytes": size}) if options["json"] else ""
        self.stdout.write(said or f"{path}, {size / 1024:.0f} kB")
