from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from reportlab.pdfgen.canvas import Canvas

from tests.knowledge.readers.made import lines, pdf, read_here

RULES = ("Do not:", "drive for a week", "kneel for a month")


def dotted(*tops: float, left: float = 60, size: float = 1.5) -> Callable[[Canvas], None]:
    """The lines of `RULES`, with a round shape that has its middle at each of these heights."""

    def draw(canvas: Canvas) -> None:
        for top in tops:
            canvas.circle(left, top, size, stroke=0, fill=1)
        lines(*RULES)(canvas)

    return draw


def heights(path: Path) -> list[float]:
    """The middle of each line, from the bottom of the page."""
    _, [page] = read_here(pdf(path, lines(*RULES)), "pdf")
    firsts = [next(word for word in page.words if word[0] == page.text.index(line)) for line in RULES]
    return [841.9 - (top + bottom) / 2 for _, _, _, top, _, bottom in firsts]


def text_of(path: Path, draw: Callable[[Canvas], None]) -> str:
    return read_here(pdf(path, draw), "pdf")[1][0].text


def test_a_line_with_a_dot_before_it_is_an_item(tmp_path: Path) -> None:
    _, first, second = heights(tmp_path / "plain.pdf")
    _, [page] = read_here(pdf(tmp_path / "a.pdf", dotted(first, second)), "pdf")
    assert page.text == "Do not:\n• drive for a week\n• kneel for a month"
    assert [page.text[start:end] for start, end, *_ in page.words][-2:] == ["a", "month"]


def test_one_dot_a_large_shape_and_one_far_away_are_no_bullets(tmp_path: Path) -> None:
    _, first, second = heights(tmp_path / "plain.pdf")
    plain = "\n".join(RULES)
    assert text_of(tmp_path / "one.pdf", dotted(first)) == plain
    assert text_of(tmp_path / "large.pdf", dotted(first, second, size=5)) == plain
    assert text_of(tmp_path / "far.pdf", dotted(first, second, left=20)) == plain
    assert text_of(tmp_path / "behind.pdf", dotted(first, second, left=300)) == plain
