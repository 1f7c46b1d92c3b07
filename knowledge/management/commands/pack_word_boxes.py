from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from knowledge.documents.word_box_packing import count_unpacked, pack_word_boxes
from knowledge.management.progress_bar import progress_bar
from lexic.management.lexic_command import LexicCommand


class Command(LexicCommand):
    help = (
        "Packs the places of words on the pages of PDFs that an earlier Lexic has stored, into a sixth of their room. "
        "Run it when no process of the earlier version is left. "
        "Interrupted, it continues where it stopped when it is run again."
    )
    epilog = """examples:
  manage.py pack_word_boxes
  manage.py pack_word_boxes --dry-run"""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only say how many pages are left")

    def handle(self, *, dry_run: bool, **options: Any) -> None:
        total = count_unpacked()
        if dry_run:
            self.stdout.write(f"{total} pages are left.")
            return
        done = 0
        with progress_bar("page") as show:
            for packed in pack_word_boxes():
                done += packed
                show(done, total)
        self.stdout.write(f"{done} pages were packed, {count_unpacked()} are left.")
