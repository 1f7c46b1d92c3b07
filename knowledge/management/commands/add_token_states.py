from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from knowledge.management.progress_bar import progress_bar
from knowledge.models import KnowledgeBase
from knowledge.versions.token_states import add_missing_states, count_missing_states
from lexic.management.lexic_command import LexicCommand


class Command(LexicCommand):
    help = (
        "Stores the token states of passages that were embedded without: by an earlier Lexic, or "
        "on another site. An answer from them takes half the processor time. "
        "Interrupted, it continues where it stopped when it is run again."
    )
    epilog = """examples:
  manage.py add_token_states
  manage.py add_token_states --base 7
  manage.py add_token_states --dry-run"""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--base", type=int, metavar="ID", help="this knowledge base alone")
        parser.add_argument("--dry-run", action="store_true", help="only say how many passages have none")

    def handle(self, *, base: int | None, dry_run: bool, **options: Any) -> None:
        bases = KnowledgeBase.objects.order_by("pk")
        if base is not None and not (bases := bases.filter(pk=base)).exists():
            raise CommandError(f"There is no knowledge base {base}.")
        for one in bases:
            if dry_run:
                self.stdout.write(f"{one}: {count_missing_states(one)} passages have none.")
                continue
            before = count_missing_states(one)
            with progress_bar("chunk") as show:
                add_missing_states(one, on_progress=show)
            after = count_missing_states(one)
            self.stdout.write(f"{one}: {before - after} passages got theirs, {after} have none.")
