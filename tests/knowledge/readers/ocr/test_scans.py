"""Scanned pages of PDFs, read by the real models in the confined child."""

from __future__ import annotations

from pathlib import Path

import pytest

from knowledge.readers.isolation.reader_process import read_pages
from knowledge.readers.types import Limits, NoText, PageText, ReadingPoint
from tests.knowledge.readers.made import lines, pdf, picture
from tests.knowledge.readers.scans import COVER, scan_page, scanned, scanned_pdf

# A busy machine reads slowly; nothing here depends on how slowly.
OCR = Limits(ocr=True, stall_seconds=600)


def pages_of(path: Path, *, limits: Limits = OCR, resume: ReadingPoint | None = None) -> list[PageText]:
    return list(read_pages(path, source_type="pdf", limits=limits, resume=resume))[1:]


def test_a_mixed_pdf_keeps_the_text_that_it_has(tmp_path):
    drawn = [lines("This page has a text layer, and is read as it stands."), scan_page(scanned(tmp_path, *COVER))]
    path = pdf(tmp_path / "a.pdf", *drawn)
    text, scan = pages_of(path)
    assert (text.text, text.ocr) == ("This page has a text layer, and is read as it stands.", None)
    assert scan.text.split("\n") == list(COVER)
    assert scan.ocr is not None
    assert scan.ocr.confidence > 0.9
    assert scan.ocr.left_out == 0
    start = scan.text.index("45")
    [box] = [word for word in scan.words or [] if word[0] == start]
    # Where the canvas has drawn it, in points from the top left corner.
    assert box[2] == pytest.approx(149, abs=8)
    assert box[3] == pytest.approx(67, abs=10)
    # An interrupted reading goes on after the page that it had.
    assert text.state is not None
    [again] = pages_of(path, resume=ReadingPoint(page=1, state=text.state))
    assert again.text == scan.text


TURNED = (90, 180, 270)


@pytest.fixture(scope="module")
def crooked(tmp_path_factory: pytest.TempPathFactory) -> list[PageText]:
    """A page in each of these directions and a skewed one, read at once: what takes long is to load the models."""
    folder = tmp_path_factory.mktemp("crooked")
    scans = [scanned(folder, *COVER, turned=turned) for turned in TURNED]
    scans.append(scanned(folder, *COVER, skew=2, noise=12, dpi=150))
    return pages_of(pdf(folder / "a.pdf", *map(scan_page, scans)))


@pytest.mark.parametrize("turned", TURNED)
def test_a_page_on_its_side_or_head_is_turned_upright(crooked, turned):
    page = crooked[TURNED.index(turned)]
    assert page.text.split("\n") == list(COVER)
    start = page.text.index("severe")
    [[_, _, x0, top, x1, bottom]] = [word for word in page.words or [] if word[0] == start]
    # Boxes lie on the page as it is shown, so a word on its side is higher than wide.
    assert ((x1 - x0) > (bottom - top)) == (turned == 180)


def test_a_skewed_and_noisy_page_is_read_line_by_line(crooked):
    assert crooked[-1].text.split("\n") == list(COVER)


def test_without_ocr_a_scan_has_no_text(tmp_path):
    with pytest.raises(NoText):
        pages_of(scanned_pdf(tmp_path / "a.pdf", COVER), limits=Limits())


def test_pictures_without_letters_say_what_ocr_reads(tmp_path):
    with pytest.raises(NoText, match="no text on them") as raised:
        pages_of(pdf(tmp_path / "a.pdf", picture))
    assert "Latin, Greek, Chinese and Japanese" in raised.value.hint
