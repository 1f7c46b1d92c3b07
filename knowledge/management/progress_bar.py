"""A bar on the terminal that shows how far a command is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tqdm import tqdm

from knowledge.versions.batches import OnProgress


@contextmanager
def progress_bar(unit: str, *, what: str | None = None) -> Iterator[OnProgress]:
    """The function inside moves the bar, which counts such units; `what` says what is done with them."""
    with tqdm(desc=what, unit=unit, disable=None, leave=False) as bar:

        def show(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield show
