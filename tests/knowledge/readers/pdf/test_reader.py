from __future__ import annotations

import ctypes
import subprocess
import sys

import pypdfium2.raw as pdfium
import pytest
from reportlab.pdfgen.canvas import Canvas

from knowledge.readers.pdf import text_layout
from knowledge.readers.pdf.ruled_tables import TableFinder
from knowledge.readers.types import EncryptedDocument, Heading, NoText, TooLarge, TooManyPages
from tests.knowledge.readers.made import lines, locked, pdf, picture, read_here, ruled_table


def test_every_page_comes_with_its_number_and_text(tmp_path):
    path = pdf(tmp_path / "a.pdf", lines("First page.", "Second line."), lines("Second page."))
    header, pages = read_here(path, "pdf")
    assert (header.page_total, header.paged) == (2, True)
    assert [(page.number, page.text) for page in pages] == [(1, "First page.\nSecond line."), (2, "Second page.")]


def test_the_title_is_the_one_its_author_gave(tmp_path):
    def titled(canvas: Canvas) -> None:
        canvas.setTitle("Concrete cover")
        lines("Text.")(canvas)

    assert read_here(pdf(tmp_path / "a.pdf", titled), "pdf")[0].title == "Concrete cover"


def test_words_lie_where_their_boxes_say(tmp_path):
    _, [page] = read_here(pdf(tmp_path / "a.pdf", lines("Nominal cover 45 mm", top=700)), "pdf")
    assert [page.text[start:end] for start, end, *_ in page.words] == ["Nominal", "cover", "45", "mm"]
    _, _, x0, top, x1, bottom = page.words[0]
    assert 71 < x0 < 74
    assert 100 < x1 < 125
    assert top < 841.9 - 700 < bottom


def test_boxes_of_a_turned_page_are_those_of_the_page_as_shown(tmp_path):
    def turned(canvas: Canvas) -> None:
        canvas.setPageRotation(90)
        lines("Word", top=500)(canvas)

    _, [page] = read_here(pdf(tmp_path / "a.pdf", turned), "pdf")
    _, _, x0, top, x1, bottom = page.words[0]
    assert x0 < 500 < x1
    assert 71 < top < bottom < 110


def test_a_ruled_table_is_read_row_by_row_where_it_stood(tmp_path):
    _, [page] = read_here(pdf(tmp_path / "a.pdf", ruled_table()), "pdf")
    assert page.text.split("\n") == [
        "The table gives the cover.",
        "Exposure | Nominal cover | Grade",
        "Exposure: Mild | Nominal cover: 20 mm | Grade: M20",
        "Exposure: Severe | Nominal cover: 45 mm | Grade: M30",
        "Read it row by row.",
    ]


def test_words_of_a_table_keep_their_boxes(tmp_path):
    _, [page] = read_here(pdf(tmp_path / "a.pdf", ruled_table()), "pdf")
    cells = "Exposure Nominal cover Grade Mild 20 mm M20 Severe 45 mm M30"
    assert " ".join(page.text[start:end] for start, end, *_ in page.words) == (
        f"The table gives the cover. {cells} Read it row by row."
    )


def test_a_cell_over_several_rows_is_repeated_in_them(tmp_path):
    rows = [
        ["Exposure", "Part", "Cover"],
        ["Severe", "Slab", "45 mm"],
        ["", "Beam", "50 mm"],
        ["Mild", "Slab", ""],
    ]
    merged = [((0, 1), (0, 2)), ((2, 2), (2, 3))]
    _, [page] = read_here(pdf(tmp_path / "a.pdf", ruled_table(rows, merged=merged)), "pdf")
    assert page.text.split("\n")[1:-1] == [
        "Exposure | Part | Cover",
        "Exposure: Severe | Part: Slab | Cover: 45 mm",
        "Exposure: Severe | Part: Beam | Cover: 50 mm",
        "Exposure: Mild | Part: Slab | Cover: 50 mm",
    ]
    placed = [page.text[int(start) : int(end)] for start, end, *_ in page.words or []]
    assert placed.count("Severe") == 1


def test_a_cell_over_columns_is_read_once(tmp_path):
    rows = [["Exposure", "Part", "Cover"], ["Severe", "Slab", "45 mm"], ["Mild", "As the engineer says", ""]]
    _, [page] = read_here(pdf(tmp_path / "a.pdf", ruled_table(rows, merged=[((1, 2), (2, 2))])), "pdf")
    assert "Exposure: Mild | Part: As the engineer says" in page.text.split("\n")


def test_without_time_for_lines_a_table_is_read_by_the_white_between_its_words(tmp_path):
    _, [page] = read_here(pdf(tmp_path / "a.pdf", ruled_table()), "pdf", table_cpu_seconds=0.0)
    assert "Exposure: Severe | Nominal cover: 45 mm | Grade: M30" in page.text.splitlines()


# The alarm is a signal for a reader's own process: in ours it would also hit the threads of the embedder.
ENDLESS = """
from knowledge.readers.pdf import ruled_tables
try:
    with ruled_tables._time_limit(0.05):
        while True:
            pass
except ruled_tables._TimeLimitReached:
    print("stopped")
"""


def test_a_table_library_that_never_ends_is_stopped():
    done = subprocess.run([sys.executable, "-c", ENDLESS], capture_output=True, text=True, timeout=60)
    assert done.stdout == "stopped\n"


def test_reading_twice_gives_the_same(tmp_path):
    path = pdf(tmp_path / "a.pdf", ruled_table(), lines("26.4.2 Nominal cover", "Text of the clause."))
    assert read_here(path, "pdf") == read_here(path, "pdf")


def test_numbered_clauses_captions_and_large_letters_are_headings(tmp_path):
    def page(canvas: Canvas) -> None:
        lines("Durability", top=800, size=18)(canvas)
        lines(
            "26.4.2 Nominal cover to reinforcement",
            "Cover is measured to the nearest bar, and it shall be shown on every drawing.",
            "Table 16 Nominal cover for durability",
            "12 mm bars are common in slabs of this kind",
            "10.6 Waivers. This agreement may be changed only in writing by both parties.",
            "See Table 16 for the values that apply to this exposure.",
            top=760,
        )(canvas)

    _, [page_text] = read_here(pdf(tmp_path / "a.pdf", page), "pdf")
    assert [(heading.level, heading.title) for heading in page_text.headings] == [
        (2, "Durability"),
        (3, "26.4.2 Nominal cover to reinforcement"),
        (7, "Table 16 Nominal cover for durability"),
        (2, "10.6 Waivers"),
    ]
    assert all(page_text.text.startswith(h.title, h.start) for h in page_text.headings)


def test_a_running_head_counts_once(tmp_path):
    path = pdf(tmp_path / "a.pdf", *[lines("SAFETY MANUAL", *["Plain text of a page."] * 8)] * 3)
    _, pages = read_here(path, "pdf")
    assert [page.headings for page in pages] == [
        (Heading(page=1, start=0, level=5, title="SAFETY MANUAL"),),
        (),
        (),
    ]


def test_text_that_nobody_sees_is_left_out(tmp_path):
    def page(canvas: Canvas) -> None:
        lines("The notice period is 30 days.")(canvas)
        lines("Outside the page.", top=-400)(canvas)
        lines("Too small to be read.", top=500, size=0.5)(canvas)
        unpainted = canvas.beginText(72, 400)
        unpainted.setTextRenderMode(3)
        unpainted.textLine("Not painted at all.")
        canvas.drawText(unpainted)

    _, [page_text] = read_here(pdf(tmp_path / "a.pdf", page), "pdf")
    assert page_text.text.strip() == "The notice period is 30 days."


def test_recognised_text_under_a_scan_is_read(tmp_path):
    def page(canvas: Canvas) -> None:
        picture(canvas)
        recognised = canvas.beginText(72, 700)
        recognised.setTextRenderMode(3)
        recognised.textLine("Recognised by a scanner.")
        canvas.drawText(recognised)
        lines("Stamped copy", top=800)(canvas)

    _, [page_text] = read_here(pdf(tmp_path / "a.pdf", page), "pdf")
    assert set(page_text.text.split("\n")) == {"Stamped copy", "Recognised by a scanner."}


def test_f6_pictures_without_text_are_refused(tmp_path):
    with pytest.raises(NoText, match="holds pictures of pages"):
        read_here(pdf(tmp_path / "a.pdf", picture, picture), "pdf")


def test_f6_pictures_are_not_claimed_where_there_are_none(tmp_path):
    with pytest.raises(NoText, match="no text that can be read") as refused:
        read_here(pdf(tmp_path / "a.pdf", lambda canvas: canvas.line(0, 0, 9, 9), lines("…")), "pdf")
    assert "picture" not in refused.value.message


def test_a_locked_document_is_refused(tmp_path):
    path = pdf(tmp_path / "a.pdf", lines("Secret."), encrypt=locked(user_password="secret"))
    with pytest.raises(EncryptedDocument):
        read_here(path, "pdf")


def test_an_empty_password_opens(tmp_path):
    path = pdf(tmp_path / "a.pdf", lines("Open to all who read."), encrypt=locked(user_password=""))
    assert read_here(path, "pdf")[1][0].text == "Open to all who read."


def test_f4_too_many_pages_are_refused_before_the_first(tmp_path):
    with pytest.raises(TooManyPages):
        read_here(pdf(tmp_path / "a.pdf", *[lines("Page.")] * 4), "pdf", max_pages=3)


@pytest.mark.parametrize("limit", ["max_page_characters", "max_characters", "max_bytes"])
def test_more_than_the_limits_is_refused(tmp_path, limit):
    with pytest.raises(TooLarge):
        read_here(pdf(tmp_path / "a.pdf", lines("A few words too many.")), "pdf", **{limit: 10})


def test_pdfplumber_is_not_asked_for_underlines_in_a_frame(tmp_path, monkeypatch):
    def fail(*_: object, **__: object) -> None:
        raise AssertionError("the page has no table")

    def underlined(canvas: Canvas) -> None:
        lines("First term", "Second term", "Third term")(canvas)
        canvas.rect(40, 40, 500, 760)
        for at in range(12):
            canvas.line(72, 778 - 16 * at, 200, 778 - 16 * at)

    monkeypatch.setattr(TableFinder, "grids", fail)
    _, [page] = read_here(pdf(tmp_path / "a.pdf", underlined), "pdf")
    assert page.text == "First term\nSecond term\nThird term"
    with pytest.raises(AssertionError, match="no table"):
        read_here(pdf(tmp_path / "b.pdf", ruled_table()), "pdf")


@pytest.mark.parametrize("text", ["The vector A is long.", "A", "AAA of"])
@pytest.mark.parametrize("letter", ["\U0001d400", "\U00010041"])
def test_letters_beyond_16_bits_are_read_whole(tmp_path, monkeypatch, text, letter):
    """PDFium's text of a page cuts them: to a Hangul syllable, or to another letter, here to the "A"."""
    get_text, get_code = pdfium.FPDFText_GetText, text_layout.get_unicode

    def cut(handle: object, start: int, count: int, buffer: ctypes.Array[ctypes.c_ushort]) -> int:
        written = get_text(handle, start, count, buffer)
        buffer[:] = [ord(letter) & 0xFFFF if code == ord("A") else code for code in buffer]
        return written

    def whole(handle: object, index: int) -> int:
        return ord(letter) if (code := get_code(handle, index)) == ord("A") else code

    monkeypatch.setattr(pdfium, "FPDFText_GetText", cut)
    monkeypatch.setattr(text_layout, "get_unicode", whole)
    _, [page] = read_here(pdf(tmp_path / "a.pdf", lines(text)), "pdf")
    assert page.text == text.replace("A", letter)
