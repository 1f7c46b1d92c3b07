"""The heads of a table that ends a page, for its rows at the beginning of the next page."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Any, NamedTuple

from knowledge.readers.pdf.page_layout import PageBox, PageLayout

Columns = Sequence[tuple[float, float]]
# Running heads and page numbers: what may stand above a table that goes on, and below one that will.
_MAX_MARGIN_WORDS = 15


class TableHead(NamedTuple):
    """From where to where each column reaches, in points, and its label."""

    columns: Columns
    labels: Sequence[str]

    def fits(self, columns: Columns) -> bool:
        """Whether these columns stand below those of the page before."""
        return len(columns) == len(self.columns) and all(
            left < other_right and other_left < right
            for (left, right), (other_left, other_right) in zip(columns, self.columns, strict=True)
        )

    def state(self) -> dict[str, Any]:
        """What `from_state` needs, as JSON."""
        return {"columns": [list(column) for column in self.columns], "labels": list(self.labels)}

    @classmethod
    def from_state(cls, state: dict[str, Any] | None) -> TableHead | None:
        """Raises `KeyError`, `TypeError` or `ValueError` for a state that is none."""
        if state is None:
            return None
        columns = tuple((float(left), float(right)) for left, right in state["columns"])
        return cls(columns, tuple(map(str, state["labels"])))


def is_first_on_page(page: PageLayout, table: PageBox) -> bool:
    """Whether nothing but a running head stands above."""
    return bisect_right(page.bottoms, table[1]) <= _MAX_MARGIN_WORDS


def goes_on(page: PageLayout, table: PageBox) -> bool:
    """Whether nothing but a foot stands below: then the table may go on on the next page."""
    return len(page.tops) - bisect_left(page.tops, table[3]) <= _MAX_MARGIN_WORDS
