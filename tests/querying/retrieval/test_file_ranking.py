"""The files of a library are ranked by several of their passages; a passage stands for its file once."""

from __future__ import annotations

import pytest

from knowledge.search.passages import Passage
from querying.retrieval.file_ranking import rank_by_file
from tests.querying.passages import passage


def found(path: str, number: int, *, cosine: float, lexical: float = 0.0) -> Passage:
    return passage(f"Passage {number}.", number=number, path=path, cosine=cosine, lexical=lexical)


def test_a_file_with_several_near_passages_is_before_one_with_a_single_nearer_one() -> None:
    single = found("a.py", 1, cosine=0.6)
    design, source = found(".lexibrary/b.py.md", 2, cosine=0.55), found("b.py", 3, cosine=0.5)
    ranked = rank_by_file([single, source, design])
    assert [one.path for one in ranked] == [".lexibrary/b.py.md", "a.py", "b.py"]


def test_the_score_of_the_first_passage_is_that_of_its_file_and_never_more_than_one() -> None:
    [first, *others] = rank_by_file([found("a.py", number, cosine=1.0, lexical=1.0) for number in range(1, 6)])
    assert first.score == 1.0
    assert [one.score for one in others] == [1.0] * 4
    [one] = rank_by_file([found("a.py", 1, cosine=0.5, lexical=0.2)])
    assert one.score == pytest.approx(0.7 * 0.5 + 0.3 * 0.2)


def test_passages_of_no_repository_are_files_of_their_own() -> None:
    ranked = rank_by_file([found("", 1, cosine=0.4), found("", 2, cosine=0.5)])
    assert [one.score for one in ranked] == pytest.approx([0.35, 0.28])
