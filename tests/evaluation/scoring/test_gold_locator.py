from __future__ import annotations

from collections import Counter
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from evaluation.eval_types import PageSpan
from evaluation.scoring.gold_locator import CompactText, GoldTarget

DOCUMENT = UUID(int=1)
texts = st.text(st.sampled_from("ab \n\t"), max_size=40)


def span(text: str = "", *, document: UUID = DOCUMENT, page: int = 7, start: int = 0, end: int = 10) -> PageSpan:
    return PageSpan(document=document, page_id=page, page_number=page - 6, start=start, end=end, text=text)


def test_words_are_found_whatever_white_space_is_between_them() -> None:
    text = "The lease\n ends  in May."
    [(start, end)] = CompactText(text).find("lease ends in")
    assert text[start:end] == "lease\n ends  in"


def test_of_several_places_the_nearest_is_taken() -> None:
    assert CompactText("a b a b a").find("a") == [(0, 1), (4, 5), (8, 9)]
    assert CompactText("a b a b a").find("a", near=3) == [(4, 5)]


@given(text=texts, start=st.integers(0, 40), length=st.integers(1, 10))
def test_every_piece_of_a_text_is_found_where_it_stands(text: str, start: int, length: int) -> None:
    piece = text[start : start + length]
    found = CompactText(text).find(piece, near=CompactText(text).count_before(start))
    if piece.strip():
        lead = len(piece) - len(piece.lstrip())
        assert found == [(start + lead, start + len(piece.rstrip()))]
    else:
        assert found == []


def test_a_span_is_met_by_what_overlaps_it_on_its_page() -> None:
    target = GoldTarget(document=DOCUMENT, spans=((7, 10, 20),))
    assert target.matches_span(span(start=19, end=25))
    assert not target.matches_span(span(start=20, end=25))
    assert not target.matches_span(span(page=8, start=10, end=20))
    assert not target.matches_span(span(document=UUID(int=2), start=10, end=20))


def test_words_that_are_not_on_the_page_letter_by_letter_are_compared() -> None:
    target = GoldTarget(document=DOCUMENT, pages=frozenset({1}), words=Counter(["tenant", "pay", "rent", "month"]))
    assert target.matches_span(span("The tenant shall pay the rent to the land-lord each month."))
    assert not target.matches_span(span("The tenant keeps the shed clean and dry in all seasons."))
    assert not target.matches_span(span("The tenant shall pay the rent each month.", page=8))


def test_a_page_is_met_by_anything_on_it_and_a_document_by_anything_in_it() -> None:
    assert GoldTarget(document=DOCUMENT, pages=frozenset({1, 2})).matches_span(span(page=8))
    assert not GoldTarget(document=DOCUMENT, pages=frozenset({1})).matches_span(span(page=8))
    assert GoldTarget(document=DOCUMENT).matches_span(span(page=8))
