"""Edits of a Word file: comments and replacements on spans of its page, and the result of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from knowledge.readers.text_cleaning import clean_text
from lexic.errors import LexicError

MAX_AUTHOR = 100


class EditKind(StrEnum):
    COMMENT = "comment"
    REPLACEMENT = "replacement"


class Obstacle(StrEnum):
    """Why a replacement was written as a comment."""

    NONE = ""
    REVISION = "revision"
    FIELD = "field"
    LINK = "link"
    CONTENT = "content"
    HIDDEN = "hidden"
    TABLE = "table"
    PARAGRAPHS = "paragraphs"
    NOTE = "note"
    OVERLAP = "overlap"


OBSTACLE_TEXTS = {
    Obstacle.REVISION: "somebody's tracked change is there",
    Obstacle.FIELD: "a field or a content control is there",
    Obstacle.LINK: "a link is there",
    Obstacle.CONTENT: "a picture, a note or another object is there",
    Obstacle.HIDDEN: "hidden text is there",
    Obstacle.TABLE: "the place in the table has a meaning for other cells",
    Obstacle.PARAGRAPHS: "the passage goes over paragraphs that cannot be joined",
    Obstacle.NOTE: "it stands in a note, a header or a footer",
    Obstacle.OVERLAP: "another suggestion changes the same words",
}


class WordNotProven(LexicError):
    """The Word file was not made, because it could not be proven that it changes only what was accepted."""

    code = "word_not_proven"
    status = 422
    hint = "Export it with comments only (format=docx-comments), or as Markdown or HTML."


class WordTextChanged(LexicError):
    """The file no longer says what the review quotes."""

    code = "word_text_changed"
    status = 409
    hint = "Review the document again, and export that review."


class WordSigned(LexicError):
    """The Word file is signed, and any change would break its signature."""

    code = "word_signed"
    status = 422
    hint = "Export the review as Markdown or HTML, or review a copy without the signature."


WORD_ERRORS: Mapping[str, type[LexicError]] = {
    error.code: error for error in (WordNotProven, WordTextChanged, WordSigned)
}


@dataclass(frozen=True, kw_only=True)
class Edit:
    """A comment on the page's characters `start` to `end`, or their replacement by `text`.

    `quote` is what stands there; it is checked against the file. `date` has a time zone. The text of a comment may have
    several lines, and a replacement may be empty.
    """

    start: int
    end: int
    quote: str
    kind: EditKind
    text: str
    author: str
    date: datetime

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end or len(self.quote) != self.end - self.start:
            raise ValueError("an edit quotes the characters that it spans")
        if not self.stated_author or self.date.tzinfo is None:
            raise ValueError("an edit has an author, and a date with its time zone")

    @property
    def stated_author(self) -> str:
        """The author as Word shows it: in one line, and not too long."""
        return " ".join(clean_text(self.author).split())[:MAX_AUTHOR]

    @property
    def stated_text(self) -> str:
        """The text without what XML cannot hold; a form feed, which it cannot hold either, is a line break."""
        return clean_text(self.text.replace("\f", "\n"))

    @property
    def stated_date(self) -> str:
        """The date as Word writes it, to the second."""
        return self.date.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def without_outer_breaks(self) -> Edit:
        """The same edit without the line breaks at its ends, which a replacement leaves where they are."""
        left = len(self.quote) - len(self.quote.lstrip("\n"))
        quote = self.quote.strip("\n")
        return (
            replace(self, start=self.start + left, end=self.start + left + len(quote), quote=quote) if quote else self
        )

    def as_comment(self, obstacle: Obstacle) -> Edit:
        """The comment that stands in for a replacement that cannot be tracked."""
        proposal = f"Suggested instead: “{self.text}”" if self.text.strip() else "Suggested: delete this passage."
        reason = f"(Not written as a tracked change: {OBSTACLE_TEXTS[obstacle]}.)"
        return replace(self, kind=EditKind.COMMENT, text=f"{proposal}\n{reason}")

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"date": self.date.isoformat()}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Edit:
        return cls(
            **{**values, "kind": EditKind(values["kind"]), "date": datetime.fromisoformat(values["date"])},
        )


def quotes_fit(text: str, edits: Sequence[Edit]) -> bool:
    """Whether the text says what the edits quote, where they quote it."""
    return all(text[edit.start : edit.end] == edit.quote for edit in edits)


@dataclass(frozen=True, kw_only=True)
class AnnotatedFile:
    """The Word file, and for each edit why it was not tracked: `Obstacle.NONE` where it was, and for comments."""

    content: bytes
    obstacles: tuple[Obstacle, ...]
