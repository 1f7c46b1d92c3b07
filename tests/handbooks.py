"""Handbooks of twenty pages in German, Spanish, Hindi, Chinese and Arabic, with ten questions to each and five that it
does not answer (tests/data/handbooks), and how plain BM25 ranks their pages."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "data" / "handbooks"
SECOND = FOLDER / "second"  # of eight pages, written after the search was tuned on the others
THIRD = FOLDER / "third"  # of twenty pages, in two languages, written after the second had been measured
LANGUAGES = ("de", "es", "hi", "zh", "ar")
_PAGE_MARK = re.compile(r"^=== \d+ ===\n", re.MULTILINE)
# Letters with their combining marks, which `\w` leaves out; figures are words as well.
_WORD = re.compile(r"(?:[^\W_]|[\u0300-\u036f\u0610-\u061a\u064b-\u065f\u0900-\u0903\u093a-\u094f])+")
_HAN = re.compile(r"[\u3400-\u9fff]+|[a-z0-9]+")


@dataclass(frozen=True, kw_only=True)
class Handbook:
    """Its pages in order, each a heading and a text; `questions` with the number of the page that answers each."""

    language: str
    title: str
    pages: tuple[str, ...]
    questions: tuple[tuple[str, int], ...]
    unanswerable: tuple[str, ...]


def read_handbook(language: str, folder: Path = FOLDER) -> Handbook:
    asked = json.loads((folder / f"{language}.json").read_text(encoding="utf-8"))
    text = (folder / f"{language}.txt").read_text(encoding="utf-8")
    return Handbook(
        language=language,
        title=asked["title"],
        pages=tuple(page.strip() for page in _PAGE_MARK.split(text)[1:]),
        questions=tuple((one["question"], one["page"]) for one in asked["questions"]),
        unanswerable=tuple(asked["unanswerable"]),
    )


def plain_words(text: str, language: str) -> list[str]:
    """The words in small letters as they stand; of Chinese the pairs of characters."""
    if language != "zh":
        return _WORD.findall(text.lower())
    runs = _HAN.findall(text.lower())
    return [run[at : at + 2] for run in runs for at in range(max(1, len(run) - 1) if run[0] > "z" else 1)]


def stemmed_words(text: str, language: str) -> list[str]:
    """The same without the language's stop words, and with the stems of its Snowball stemmer, where it has these."""
    from language.stemming import STEMMED_LANGUAGES, stem, stem_in
    from language.stop_words import stop_words_in

    words = [word for word in plain_words(text, language) if word not in stop_words_in(language)]
    return [stem_in(word, language) if language in STEMMED_LANGUAGES else stem(word) for word in words]


def bm25_first_pages(handbook: Handbook, words: Callable[[str, str], list[str]]) -> list[int]:
    """The number of the page that BM25 puts first, for each question; 0 where no page has a word of it."""
    import bm25s

    ranking = bm25s.BM25()
    ranking.index([words(page, handbook.language) for page in handbook.pages], show_progress=False)
    scores = [ranking.get_scores(words(question, handbook.language)) for question, _ in handbook.questions]
    return [int(each.argmax()) + 1 if each.max() > 0 else 0 for each in scores]


def count_right(found: Sequence[int], handbook: Handbook) -> int:
    return sum(page == right for page, (_, right) in zip(found, handbook.questions, strict=True))
