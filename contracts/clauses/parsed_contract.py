"""A contract as values: its pages, the places on them, its clauses, and what it says about itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

# What a tool is given of a clause; the whole text stays on the pages.
CLIPPED_CHARACTERS = 600


@dataclass(frozen=True, kw_only=True)
class ContractPage:
    """The text of one page as it was read. `headings` are `(start, level, title)`, as the reader found them."""

    id: int
    number: int
    text: str
    headings: tuple[tuple[int, int, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class TextSpan:
    """`text` stands on a page from `start` to `end`: `page.text[start:end] == text`."""

    page_id: int
    page_number: int
    start: int
    end: int
    text: str

    @classmethod
    def on_page(cls, page: ContractPage, start: int, end: int) -> TextSpan:
        return cls(page_id=page.id, page_number=page.number, start=start, end=end, text=page.text[start:end])

    def as_dict(self) -> dict[str, Any]:
        return {
            "pageId": self.page_id,
            "page": self.page_number,
            "start": self.start,
            "end": self.end,
            "text": self.text,
        }


@dataclass(frozen=True, kw_only=True)
class Clause:
    """One clause, which may go on over several pages. `number` is written as in the contract ("4.2", "Article IV"), ""
    where it has none; `heading` is "" where it has none either."""

    position: int  # from 0, in reading order
    number: str
    heading: str
    spans: tuple[TextSpan, ...]

    @property
    def text(self) -> str:
        return "\n".join(span.text for span in self.spans).strip()

    @property
    def label(self) -> str:
        """Number and heading, as people name the clause."""
        return " ".join(filter(None, (self.number, self.heading)))

    def covers(self, span: TextSpan) -> bool:
        """Whether the span begins in this clause."""
        return any(one.page_id == span.page_id and one.start <= span.start < one.end for one in self.spans)

    def as_dict(self, *, clip: int = CLIPPED_CHARACTERS) -> dict[str, Any]:
        """The clause as JSON, its text clipped to the limit; `spans` say where the whole clause stands."""
        text = self.text
        places = [
            {"pageId": span.page_id, "page": span.page_number, "start": span.start, "end": span.end}
            for span in self.spans
        ]
        return {
            "number": self.number,
            "heading": self.heading,
            "text": text[:clip],
            "isClipped": len(text) > clip,
            "spans": places,
        }


@dataclass(frozen=True, kw_only=True)
class ContractMetadata:
    """What a contract says about itself, by name ("parties", "date", …): each the words that say it, as quoted. A name
    of which nothing is quoted is absent."""

    quoted: Mapping[str, tuple[TextSpan, ...]] = field(default_factory=dict)

    def as_dict(self) -> dict[str, list[dict[str, Any]]]:
        return {name: [span.as_dict() for span in spans] for name, spans in self.quoted.items()}


@dataclass(frozen=True, kw_only=True)
class ParsedContract:
    """A document read as a contract. Every character of its pages is in exactly one of the clauses."""

    metadata: ContractMetadata
    clauses: tuple[Clause, ...]

    def clause_at(self, span: TextSpan) -> Clause | None:
        return next((clause for clause in self.clauses if clause.covers(span)), None)

    def as_dict(self, *, clip: int = CLIPPED_CHARACTERS, max_clauses: int | None = None) -> dict[str, Any]:
        """`{metadata, clauses, clausesTotal}`; of more than `max_clauses` the first."""
        return {
            "metadata": self.metadata.as_dict(),
            "clauses": [clause.as_dict(clip=clip) for clause in self.clauses[:max_clauses]],
            "clausesTotal": len(self.clauses),
        }


def page_order(pages: Sequence[ContractPage]) -> list[ContractPage]:
    return sorted(pages, key=lambda page: page.number)
