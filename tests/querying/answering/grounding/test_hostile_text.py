"""Verification reads text that others wrote: small words repeated without end are read to the end."""

from __future__ import annotations

import pytest

from querying.answering.citations import CitationVerifier
from tests.querying.passages import passage

PIECES = ["than ", "from a to ", "all x ", "twenty-", "(1) ", "1+", "may ", "was funded ", "In-", "A B ", "more "]


@pytest.mark.parametrize("piece", PIECES)
def test_a_word_repeated_over_a_whole_passage_is_read(piece: str) -> None:
    text = piece * (15_000 // len(piece))
    cited = CitationVerifier([passage(f"{text}.")]).cite(f"{text[:2000]} [Source 1].")
    assert (cited.real, cited.phantom) == (1, 0)
