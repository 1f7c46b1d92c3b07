from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from evaluation.golden import golden_file
from lexic.management.lexic_command import LexicCommand
from plugins.management.plugin_argument import get_plugin


class Command(LexicCommand):
    help = (
        "Write a plugin's golden questions as lines of JSON, or take such lines in.\n\n"
        "Examples: manage.py golden export concrete-cover > golden.jsonl\n"
        "          manage.py golden import concrete-cover golden.jsonl"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("what", choices=["export", "import"])
        parser.add_argument("slug")
        parser.add_argument("file", nargs="?", type=Path, help="for import; standard input unless named")
        parser.add_argument("--json", action="store_true", help="after an import, print one JSON object")

    def handle(self, *, what: str, slug: str, file: Path | None, **options: Any) -> None:
        plugin = get_plugin(slug)
        if what == "export":
            for line in golden_file.export_golden_questions(plugin):
                self.stdout.write(line)
            return
        try:
            text = file.read_text(encoding="utf-8-sig") if file else sys.stdin.read().removeprefix("\ufeff")
            done = golden_file.import_golden_questions(plugin, lines=text.split("\n"))
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{file or 'The input'} cannot be read: {error}") from error
        readable = f"{done.added} added, {done.changed} changed, {done.unchanged} as they were."
        self.stdout.write(json.dumps(asdict(done)) if options["json"] else readable)
