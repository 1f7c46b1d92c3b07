from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from reportlab.pdfgen.canvas import Canvas

from tests.knowledge.readers.made import pdf, read_here, read_text

SIZE, SMALL, RISE = 11, 7, 4


def raised(*pieces: str, rise: float = RISE, small: float = SMALL) -> Callable[[Canvas], None]:
    """A line whose every other piece is set smaller and higher."""

    def draw(canvas: Canvas) -> None:
        x = 72.0
        for at, piece in enumerate(pieces):
            size = small if at % 2 else SIZE
            canvas.setFont("Helvetica", size)
            canvas.drawString(x, 700 + (rise if at % 2 else 0), piece)
            x += canvas.stringWidth(piece, "Helvetica", size)

    return draw


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        (["The load is 10", "6", " cycles."], "The load is 10⁶ cycles."),
        (["A tank of 25 m", "3", ", a rate of 10", "-3", " m/s."], "A tank of 25 m³, a rate of 10⁻³ m/s."),
        (["It takes 10", "12", ". Then it ends."], "It takes 10¹². Then it ends."),
        (["A flow of 7 m", "3", "/h is low."], "A flow of 7 m³/h is low."),
        (["The rule holds for wood", "3", " too."], "The rule holds for wood too."),
        (["The rule holds for wood.", "12"], "The rule holds for wood."),
        (["Wood", "3", ", stone", "4", " and steel."], "Wood, stone and steel."),
    ],
)
def test_a_raised_digit_is_an_exponent_or_the_mark_of_a_note(tmp_path, pieces: Sequence[str], text: str):
    assert read_text(pdf(tmp_path / "a.pdf", raised(*pieces)), "pdf") == text


@pytest.mark.parametrize(("rise", "small"), [(-2, SMALL), (0, SMALL), (RISE, SIZE)])
def test_a_digit_that_is_lower_or_as_large_is_none(tmp_path, rise: float, small: float):
    drawn = raised("A glass of H", "2", "O in 2024", "7", rise=rise, small=small)
    assert "2" in read_text(pdf(tmp_path / "a.pdf", drawn), "pdf").partition("H")[2]


def test_words_keep_their_places(tmp_path):
    _, [page] = read_here(pdf(tmp_path / "a.pdf", raised("The load on wood", "3", " is 10", "6", " cycles.")), "pdf")
    words = [page.text[int(start) : int(end)] for start, end, *_ in page.words or []]
    assert words == ["The", "load", "on", "wood", "is", "10⁶", "cycles."]
    lefts = [word[2] for word in page.words or []]
    assert lefts == sorted(lefts)
