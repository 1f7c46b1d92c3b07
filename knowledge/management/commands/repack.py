from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from knowledge.documents.word_box_packing import count_unpacked, pack_word_boxes
from knowledge.management.progress_bar import progress_bar
from knowledge.versions.token_states import count_older_states, repack_older_states
from lexic.management.lexic_command import LexicCommand

_PARTS = (("page", count_unpacked, pack_word_boxes), ("window", count_older_states, repack_older_states))


class Command(LexicCommand):
    help = (
        "Packs the places of words and the token states that an earlier Lexic has stored as this one does: the former "
        "take a sixth of their room then, the latter four fifths. Run it when no process of the earlier version is "
        "left. Interrupted, it continues where it stopped when it is run again."
    )
    epilog = """examples:
  manage.py repack
  manage.py repack --dry-run"""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only say how much is left")

    def handle(self, *, dry_run: bool, **options: Any) -> None:
        damaged: list[str] = []
        for unit, count, pack in _PARTS:
            total = count()
            if dry_run:
                self.stdout.write(f"{unit}s left: {total}")
                continue
            done = 0
            with progress_bar(unit) as show:
                for packed in pack(damaged.append):
                    done += packed
                    show(done, total)
            self.stdout.write(f"{unit}s packed: {done}, left: {count()}")
        for name in damaged:
            self.stderr.write(f"Cannot be read: {name}")
        if damaged:
            rows = f"{len(damaged)} row{'s' * (len(damaged) > 1)}"
            raise CommandError(f"{rows} cannot be read and stayed. Read the documents again.")
