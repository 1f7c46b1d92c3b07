from __future__ import annotations

import io
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from knowledge.models import Page
from knowledge.packed_words import pack_words, unpack_words
from tests.knowledge.bases import CountingEmbedder, add_pdf, make_base, registered

LINES: list[list[float | int]] = [
    *([6 * at, 6 * at + 5, 50 + 30.1 * at, 100.5, 75.2 + 30.1 * at, 110.0] for at in range(12)),
    *([72 + 6 * at, 77 + 6 * at, 50 + 30.1 * at, 112.5, 75.2 + 30.1 * at, 122.0] for at in range(12)),
]
tenths = st.integers(-10_000_000, 10_000_000).map(lambda number: number / 10)
offsets = st.integers(0, 2**31)
boxes = st.tuples(offsets, offsets, tenths, tenths, tenths, tenths).map(list)
any_boxes = st.tuples(offsets, offsets, *4 * [st.floats(-1e6, 1e6)]).map(list)


@given(st.lists(boxes, max_size=30))
def test_boxes_in_tenths_of_a_point_come_back_as_they_were(given: list[list[Any]]) -> None:
    packed = pack_words(given)
    assert packed[:1] == b"\x01"
    assert unpack_words(packed) == given


@given(st.lists(any_boxes, min_size=1, max_size=10))
def test_other_boxes_come_back_as_they_were_as_well(given: list[list[Any]]) -> None:
    assert unpack_words(memoryview(pack_words(given))) == given


def test_a_word_takes_few_bytes() -> None:
    rounded = [[*box[:2], *(round(side, 1) for side in box[2:])] for box in LINES]
    assert unpack_words(pack_words(rounded)) == rounded
    assert len(pack_words(rounded)) < 4 * len(rounded)


def test_another_packing_is_not_taken_for_this_one() -> None:
    with pytest.raises(ValueError, match="unknown way"):
        unpack_words(b"\x03" + pack_words(LINES)[1:])


@pytest.mark.django_db
def test_pages_of_an_earlier_version_are_read_until_they_are_packed() -> None:
    from knowledge.ingest import ingest

    with registered(CountingEmbedder()):
        document = add_pdf(make_base(), ["First page about valves.", "Second page about gauges."])
        ingest(document.pk)
    first, second = document.pages.order_by("number")
    before, text = first.word_boxes, first.text
    assert [text[start:end] for start, end, *_ in before] == text.split()
    Page.objects.filter(pk=first.pk).update(words=before, packed_words=None)
    older = Page.objects.get(pk=first.pk)
    assert older.has_word_boxes
    assert older.word_boxes == before
    Page.objects.filter(pk=second.pk).update(words=[["damaged"]], packed_words=None)
    errors = io.StringIO()
    with pytest.raises(CommandError, match="1 row cannot be read"):
        call_command("repack", stdout=io.StringIO(), stderr=errors)
    assert f"page {second.pk}, number 2 of" in errors.getvalue()
    Page.objects.filter(pk=second.pk).update(words=None, packed_words=second.packed_words)
    Page.objects.filter(pk=first.pk).update(words=before, packed_words=None)
    out = io.StringIO()
    for arguments in (["--dry-run"], [], []):
        call_command("repack", *arguments, stdout=out)
    said = [line for line in out.getvalue().splitlines() if line.startswith("pages")]
    assert said == ["pages left: 1", "pages packed: 1, left: 0", "pages packed: 0, left: 0"]
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM knowledge_page WHERE words IS NULL AND packed_words IS NOT NULL")
        assert cursor.fetchone() == (2,)
    assert Page.objects.get(pk=first.pk).word_boxes == before
    assert Page.objects.get(pk=second.pk).word_boxes == second.word_boxes
