"""What a refusal says of a sibling, in phrases for the language of the question."""

from __future__ import annotations

from knowledge.search.passages import Passage
from lexic.phrases import Phrase, phrase
from querying.types.answer import NearestSibling


def describe_sibling(about: NearestSibling) -> Phrase:
    """What the nearest page gives, and what was asked."""
    return sibling_sentence(asked=about.asked, found=about.found, place=place_of(about.passage))


def sibling_sentence(*, asked: str, found: str, place: str) -> Phrase:
    return phrase(
        "%(place)s gives this for “%(found)s”; you asked about “%(asked)s”.", place=place, found=found, asked=asked
    )


def place_of(passage: Passage) -> str:
    """The document, and the page where it has any."""
    return document_place(passage.document_title, passage.page_number, passage.page_label)


def document_place(title: str, number: int | None, label: str) -> str:
    """A phrase where the page has no name of its own."""
    if not number:
        return title
    return f"{label}, {title}" if label else phrase("Page %(number)s of %(document)s", number=number, document=title)
