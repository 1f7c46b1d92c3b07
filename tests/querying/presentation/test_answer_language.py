"""The language of an answer, for those who have it read out."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from querying.presentation.answer import AnswerPresentation
from querying.presentation.answer_text import TextSegment
from querying.presentation.cited_pages import QuotedCitation


def answer(text: str, *languages: str) -> AnswerPresentation:
    """An answer that quotes documents in these languages."""
    words: Any = {"before": "", "excerpt": "", "after": "", "place": "", "url": ""}
    quoted = [QuotedCitation(number=1, language=one, **words) for one in languages]
    rest: Any = dict.fromkeys(one.name for one in fields(AnswerPresentation))
    return AnswerPresentation(**rest | {"segments": [TextSegment(text=text)], "evidence": quoted})


@pytest.mark.parametrize(
    ("text", "quoted", "language"),
    [
        ("De kluis is open van negen tot vijf uur, ook op zaterdag.", "nl", "nl"),
        ("Die Gebühr beträgt 40 CHF und steht unter „What is included“ im Vertrag.", "de", "de"),
        ("The safe is open from nine to five on weekdays and Saturdays.", "nl", "en"),
        ("The safe is open.", "en", "en"),
        ("40 mm", "en", ""),
    ],
)
def test_the_language_of_a_text_is_told_beside_what_it_quotes(text: str, quoted: str, language: str) -> None:
    assert answer(text, quoted).language == language
