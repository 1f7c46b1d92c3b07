"""What the commands of this app share."""

from __future__ import annotations

from argparse import RawDescriptionHelpFormatter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from knowledge.versions.batches import OnProgress
from plugins.models import Plugin


class KnowledgeCommand(BaseCommand):
    """A command with examples (`epilog`) at the end of its help."""

    epilog = ""

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> Any:
        kwargs |= {"epilog": self.epilog, "formatter_class": RawDescriptionHelpFormatter}
        return super().create_parser(prog_name, subcommand, **kwargs)


def get_plugin(slug: str) -> Plugin:
    """The plugin that an argument names. Raises `CommandError`."""
    plugin = Plugin.objects.filter(slug=slug).first()
    if plugin is None:
        raise CommandError(f"There is no plugin called {slug!r}.")
    return plugin


@contextmanager
def progress_bar(unit: str) -> Iterator[OnProgress]:
    """A bar on the terminal; the function inside moves it."""
    with tqdm(unit=unit, disable=None, leave=False) as bar:

        def show(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield show
