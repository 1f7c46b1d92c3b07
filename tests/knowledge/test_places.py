"""Under which heading a sentence is said to stand, for documents as people write them."""

from __future__ import annotations

from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from knowledge.chunking.chunker import chunk_pages
from knowledge.readers.types import PageText
from tests.knowledge.readers.made import pdf, read_here, word

BODY = "This paragraph is long enough to fill the line of a page from edge to edge."
# What a line is set in: size, bold or not, and the white above it in lines.
Line = tuple[str, float, bool, float]


def plain(text: str = BODY, *, above: float = 0) -> Line:
    return text, 11, False, above


def title(text: str, *, size: float = 11, bold: bool = False, above: float = 1) -> Line:
    return text, size, bold, above


def set_page(*lines: Line, left: float = 72):
    def draw(canvas: Canvas) -> None:
        top = 780.0
        for text, size, is_bold, above in lines:
            top -= 14 * (1 + above)
            canvas.setFont("Helvetica-Bold" if is_bold else "Helvetica", size)
            canvas.drawString(left, top, text)

    return draw


def places(pages: list[PageText]) -> dict[str, str]:
    """The heading that each line stands under, by its text."""
    found = {}
    spans = chunk_pages(pages, [heading for page in pages for heading in page.headings], size=1500, overlap=200)
    for span in spans:
        for line in pages[span.page_number - 1].text[span.start : span.end].splitlines():
            found[line.strip()] = span.section_path[-1] if span.section_path else ""
    return found


def places_of_pdf(path: Path, *draw) -> dict[str, str]:
    _, pages = read_here(pdf(path / "a.pdf", *draw), "pdf")
    return places(pages)


@pytest.mark.parametrize(
    "heading",
    [
        title("Ladders", size=16),
        title("Ladders", bold=True),
        title("Ladders"),
        title("Ladders:"),
        title("When is a ladder safe?"),
        title("LADDERS"),
        title("4 Ladders", bold=True),
        title("4.2 Ladders", above=0),
    ],
    ids=["large", "bold", "alone", "colon", "question", "capitals", "bold number", "number"],
)
def test_a_sentence_of_a_pdf_stands_under_the_nearest_heading_above_it(tmp_path, heading):
    boots = ("Boots", *heading[1:3], 1.0) if heading[1] > 11 or heading[2] else title("Boots")
    page = set_page(
        plain(),
        boots,
        plain("Wear boots with a cap of steel, and change them when the sole is worn.", above=1),
        plain(),
        heading,
        plain("Tie each ladder at the top, and let nobody stand on its highest rung.", above=1),
        plain(),
        plain("The foot of it stands one metre out for each four metres that it is high.", above=1),
    )
    found = places_of_pdf(tmp_path, page)
    assert found["Wear boots with a cap of steel, and change them when the sole is worn."] == "Boots"
    assert found["Tie each ladder at the top, and let nobody stand on its highest rung."] == heading[0].strip(":")
    assert found["The foot of it stands one metre out for each four metres that it is high."] == heading[0].strip(":")


def test_the_same_heading_on_each_page_is_a_heading_there(tmp_path):
    def role(name: str):
        lines = [
            title(name, size=16),
            plain(above=1),
            plain(),
            title("Qualifications"),
            plain(f"A degree that fits the work of the {name.lower()}, and five years of experience.", above=1),
            plain(),
            title("Duties"),
        ]
        return set_page(
            *lines, plain(f"The {name.lower()} leads the people of the department from day to day.", above=1)
        )

    found = places_of_pdf(tmp_path, role("Buyer"), role("Clerk"))
    assert found["A degree that fits the work of the buyer, and five years of experience."] == "Qualifications"
    assert found["A degree that fits the work of the clerk, and five years of experience."] == "Qualifications"
    assert found["The clerk leads the people of the department from day to day."] == "Duties"


def test_a_heading_holds_on_the_next_page_until_another_one(tmp_path):
    first = set_page(plain(), title("Ladders", size=16), plain(above=1))
    found = places_of_pdf(tmp_path, first, set_page(plain("Nobody stands on the highest rung of any ladder here.")))
    assert found["Nobody stands on the highest rung of any ladder here."] == "Ladders"


def test_a_heading_may_take_two_lines(tmp_path):
    lines = [title("Ladders and other means of access to", bold=True), title("roofs and scaffolds", bold=True, above=0)]
    found = places_of_pdf(tmp_path, set_page(plain(), *lines, plain("Tie them at the top.", above=1), plain()))
    assert found["Tie them at the top."] == "Ladders and other means of access to roofs and scaffolds"


@pytest.mark.parametrize(
    "line",
    [
        plain("Reports To: Chief of Staff", above=1),
        title("Nobody works alone on a roof.", bold=True),
        title("Our programme includes:"),
        title("Wages 1,204 1,377", bold=True),
        plain("5.7 Any ladder that is found to be damaged by either of the parties is"),
        plain("AND OTHER MEANS OF ACCESS"),
    ],
    ids=["value", "bold sentence", "lead-in", "row", "clause", "capitals in a sentence"],
)
def test_what_only_looks_like_a_heading_is_none(tmp_path, line):
    after = plain("tied at the top, and nobody stands on the highest rung.", above=line[3])
    page = set_page(plain(), title("Ladders", size=16), plain(above=1), plain(BODY[:-1]), line, after)
    assert places_of_pdf(tmp_path, page)[after[0]] == "Ladders"


def test_titles_one_after_another_are_a_list(tmp_path):
    items = [title("Cosmetic Surgery"), title("Travel Abroad"), title("Massage Therapy")]
    page = set_page(plain(), title("Not Covered", size=16), plain(above=1), plain(), *items)
    assert places_of_pdf(tmp_path, page)["Travel Abroad"] == "Not Covered"


def test_labels_of_a_drawing_are_no_headings(tmp_path):
    def drawing(canvas: Canvas) -> None:
        canvas.setFont("Helvetica-Bold", 11)
        canvas.drawString(310, 640, "Main Bar")

    def page(canvas: Canvas) -> None:
        set_page(plain(), title("Cover", size=16), plain(above=1), plain())(canvas)
        drawing(canvas)
        canvas.setFont("Helvetica", 11)
        canvas.drawString(72, 600, "The cover is measured from the face to the bar that lies nearest to it.")

    found = places_of_pdf(tmp_path, page)
    assert found["The cover is measured from the face to the bar that lies nearest to it."] == "Cover"


MARKDOWN = """---
layout: post
tags:
- safety
image: boots.png
---
Read this first.

# Safety

## Boots

Wear them.

**On site:**

Steel caps.

Ladders
-------

**Tie** them at the top.

```
# Not a heading
```

Stand below the last rung.
"""


def test_a_sentence_of_markdown_stands_under_the_nearest_heading(tmp_path):
    (tmp_path / "a.md").write_text(MARKDOWN)
    _, pages = read_here(tmp_path / "a.md", "markdown")
    found = places(pages)
    assert found["Read this first."] == ""
    assert found["Wear them."] == "Boots"
    assert found["Steel caps."] == "On site"
    assert found["**Tie** them at the top."] == found["Stand below the last rung."] == "Ladders"


def test_a_sentence_of_a_word_document_stands_under_the_nearest_heading(tmp_path):
    def safety(document) -> None:
        document.add_heading("Safety", level=1)
        document.add_heading("Boots", level=2)
        document.add_paragraph("Wear them.")
        document.add_heading("Ladders", level=2)
        document.add_paragraph("Tie them at the top.")
        document.add_paragraph().add_run("On roofs").bold = True
        document.add_paragraph("Nobody works alone.")
        document.add_paragraph().add_run("This is a warning that is set in bold letters.").bold = True
        table = document.add_table(rows=2, cols=2)
        for cell, text in zip(
            (*table.rows[0].cells, *table.rows[1].cells), ("Roof", "Rope", "Flat", "No"), strict=True
        ):
            cell.text = text
        document.add_heading("Fire", level=1)
        document.add_paragraph("Leave.")

    _, pages = read_here(word(tmp_path / "a.docx", safety), "docx")
    found = places(pages)
    assert [found[line] for line in ("Wear them.", "Tie them at the top.", "Nobody works alone.", "Leave.")] == [
        "Boots",
        "Ladders",
        "On roofs",
        "Fire",
    ]
    assert found["Roof: Flat | Rope: No"] == "On roofs"
