"""Beside a sentence from a library stand the lines of code that the question is about."""

from __future__ import annotations

import pytest

from knowledge.search.passages import Passage
from querying.answering.llms.extractive.code_places import code_places
from querying.retrieval.retriever import _FILE_FIT_OFFSET, _fit_of_best_file, demote_repetitions
from querying.types.evidence import Evidence, Sentence
from tests.querying.passages import evidence, passage


def code(path: str, content: str, *, number: int, score: float = 0.6, section: tuple[str, ...] = ()) -> Passage:
    fields = {"path": path, "source_type": "code", "section_path": section, "score": score, "first_line": 1}
    return passage(content, number=number, document_title=path, **fields)


ROTATE = code(
    "a/tokens.py", "@cache\ndef rotate(token: str) -> str:\n    return rotate(token)", number=1, section=("rotate",)
)
CLOCK = code("a/clock.py", '"""The time of day."""', number=2, score=0.5)


def texts(found: Evidence, *quoted: Sentence) -> list[str]:
    return [one.text for one in code_places(found, quoted=list(quoted))]


def test_a_declaration_is_shown_and_else_the_sentence_that_fits_best() -> None:
    assert texts(evidence(CLOCK, ROTATE)) == ["def rotate(token: str) -> str:", '"""The time of day."""']


def test_a_file_that_hardly_fits_is_not_shown_beside_the_best() -> None:
    ignored = code(".gitignore", "**/.iwh and other signals", number=3, score=0.4)
    assert texts(evidence(CLOCK, ROTATE, ignored)) == ["def rotate(token: str) -> str:", '"""The time of day."""']
    assert texts(evidence(ROTATE, ignored)) == ["def rotate(token: str) -> str:"]


DESIGN = passage("Tokens are rotated.", number=3, path=".lexibrary/a/tokens.py.md")


def test_behind_a_design_file_its_own_code_stands_last() -> None:
    found = evidence(DESIGN, ROTATE, CLOCK)
    assert texts(found, found.sentences[0]) == ['"""The time of day."""', "def rotate(token: str) -> str:"]


def test_code_that_is_quoted_already_is_not_shown_again_nor_its_design_file() -> None:
    found = evidence(ROTATE, DESIGN, CLOCK)
    assert texts(found, found.sentences[0]) == ['"""The time of day."""']


def test_prose_and_pages_of_no_file_are_no_code() -> None:
    assert texts(evidence(code("README.md", "Read this.", number=1), passage("Cover is 45 mm.", number=2))) == []


def test_tests_and_indexes_come_last_unless_they_are_asked_for() -> None:
    tests = code("tests/a/test_tokens.py", "def test_rotate() -> None:", number=3)
    index = passage("| `tokens.py` | file |", number=4, path=".lexibrary/a/.aindex", document_title="a/")
    found = [tests, index, ROTATE]
    assert demote_repetitions(found, "How are tokens rotated?") == [ROTATE, tests, index]
    assert demote_repetitions(found, "Which tests are there of rotating?") == [tests, ROTATE, index]
    assert demote_repetitions(found, "What is in a/, then?") == [index, ROTATE, tests]


def test_the_evidence_of_a_library_is_as_strong_as_its_best_file_fits() -> None:
    weak, strong = code("a/1.py", "x", number=1, score=0.3), code("a/2.py", "y", number=2, score=0.6)
    assert _fit_of_best_file([weak, strong]) == pytest.approx(0.6 - _FILE_FIT_OFFSET)
    assert _fit_of_best_file([code("a/1.py", "x", number=1, score=0.0)]) == 0
