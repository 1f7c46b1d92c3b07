"""PowerPoint: a slide is a page, with its title as heading; tables row by row, numbers of charts, and the speaker notes
apart. Macros, links and pictures are never opened; a slide that is hidden says nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from knowledge.readers.chart_text import chart_text
from knowledge.readers.metadata_titles import given_title
from knowledge.readers.office_package import open_transitional
from knowledge.readers.superscripts import REACH, raised_text
from knowledge.readers.tables import row_lines
from knowledge.readers.text_cleaning import clean_text, one_line
from knowledge.readers.types import (
    DamagedDocument,
    DocumentHeader,
    Heading,
    Limits,
    NoText,
    PageText,
    ReaderEvent,
    TooLarge,
    TooManyPages,
    UnreadableDocument,
    UnsupportedDocument,
)
from knowledge.readers.zip_checks import check_archive

NOTES_HEADING = "Speaker notes"
_MAX_GROUP_DEPTH = 20
_RAISED_BASELINE = re.compile(r"[1-9]\d*")
_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"


def read(path: Path, *, limits: Limits) -> Iterator[ReaderEvent]:
    check_archive(path)
    with open_transitional(path) as file:
        presentation = _open_presentation(file)
    total = _count_slides(presentation)
    if total > limits.max_pages:
        raise TooManyPages()
    pages = [_read_slide(slide, number, limits) for number, slide in enumerate(_slides(presentation), start=1)]
    if not any(letter.isalnum() for page in pages for letter in page.text):
        raise NoText()
    yield DocumentHeader(title=_title(presentation, pages), page_total=total, paged=True)
    yield from pages


def _open_presentation(file: IO[bytes]) -> Any:
    """Raises `DamagedDocument` or `UnsupportedDocument`."""
    # Imported late, so that the check of the archive above costs nothing to test or to fail.
    import pptx

    try:
        return pptx.Presentation(file)
    except ValueError as error:
        raise UnsupportedDocument() from error
    except MemoryError:
        raise
    except Exception as error:
        # Broken packages surface as KeyError, XMLSyntaxError, BadZipFile and more, depending on the part.
        raise DamagedDocument() from error


def _count_slides(presentation: Any) -> int:
    try:
        return len(presentation.slides._sldIdLst)
    except (KeyError, AttributeError) as error:  # the list names a slide that is not there
        raise DamagedDocument() from error


def _slides(presentation: Any) -> Iterator[Any]:
    try:
        yield from presentation.slides
    except (KeyError, AttributeError) as error:  # the list names a slide that is not there
        raise DamagedDocument() from error


def _title(presentation: Any, pages: list[PageText]) -> str | None:
    stated = given_title(presentation.core_properties.title)
    return stated or next((heading.title for page in pages for heading in page.headings[:1] if heading.title), None)


def _read_slide(slide: Any, number: int, limits: Limits) -> PageText:
    try:
        text, headings = ("", ()) if slide._element.get("show") in ("0", "false") else _slide_text(slide, number)
    except (UnreadableDocument, MemoryError):
        raise
    except Exception as error:
        # The library trusts the parts of a slide: what they lack surfaces as AttributeError, KeyError and more.
        raise DamagedDocument() from error
    if len(text) > limits.max_page_characters:
        raise TooLarge()
    return PageText(number=number, text=text, headings=headings, label=f"slide {number}")


def _slide_text(slide: Any, number: int) -> tuple[str, tuple[Heading, ...]]:
    """The text of a slide, and its headings: the title, and that of the notes."""
    title_shape = slide.shapes.title
    title = one_line(_frame_text(title_shape.text_frame)) if title_shape is not None else ""
    blocks = [title] if title else []
    # Without a title the slide stands under no heading, not under that of the slide before.
    headings = [Heading(page=number, start=0, level=1, title=title[:200])]
    title_element = None if title_shape is None else title_shape._element
    shapes = (shape for shape in _shapes(slide.shapes) if shape._element is not title_element)
    blocks += filter(None, (_shape_text(shape, slide) for shape in shapes))
    if notes := _notes(slide):
        start = sum(len(block) + 2 for block in blocks)
        headings.append(Heading(page=number, start=start, level=2, title=NOTES_HEADING))
        blocks += [NOTES_HEADING, notes]
    return "\n\n".join(blocks), tuple(headings)


def _shapes(shapes: Any) -> Iterator[Any]:
    """The shapes in the order in which they are read aloud, those of a group in its place."""
    stack = [iter(shapes)]
    while stack:
        shape = next(stack[-1], None)
        if shape is None:
            stack.pop()
        elif hasattr(shape, "shapes"):
            if len(stack) > _MAX_GROUP_DEPTH:
                raise TooLarge("The shapes of a slide are nested too deeply.")
            stack.append(iter(shape.shapes))
        else:
            yield shape


def _shape_text(shape: Any, slide: Any) -> str:
    if getattr(shape, "has_table", False):
        return "\n".join(row_lines(_table_rows(shape.table)))
    if getattr(shape, "has_chart", False):
        return chart_text(shape.chart)
    if shape.has_text_frame:
        return _frame_text(shape.text_frame)
    return _diagram_text(shape, slide)


def _frame_text(frame: Any) -> str:
    lines = (line for paragraph in frame.paragraphs for line in _paragraph_text(paragraph).split("\n"))
    return "\n".join(filter(None, map(one_line, lines)))


def _paragraph_text(paragraph: Any) -> str:
    text = ""
    for run in paragraph._p.content_children:
        properties = run.find(f"{_DRAWING}rPr")
        is_raised = properties is not None and _RAISED_BASELINE.match(properties.get("baseline", ""))
        text += raised_text(run.text, text[-REACH:]) if is_raised else run.text
    return _cleaned(text)


def _cleaned(text: str) -> str:
    """The text with each line break as one; the library writes some of them as a control character."""
    return clean_text(text.replace("\v", "\n"))


def _table_rows(table: Any) -> list[list[str]]:
    """The cells row by row. One over several rows is repeated, one over columns leaves gaps."""
    rows: list[list[str]] = []
    for row in table.rows:
        cells = [one_line(_frame_text(cell.text_frame)) for cell in row.cells]
        for column, cell in enumerate(row.cells):
            if cell._tc.vMerge and rows and column < len(rows[-1]):
                cells[column] = rows[-1][column]
        rows.append(cells)
    return rows


def _diagram_text(shape: Any, slide: Any) -> str:
    """The words of SmartArt, which stand in a part of their own."""
    relation = next((one.get(name) for one in shape._element.iter() for name in one.attrib if name.endswith("}dm")), "")
    if not relation:
        return ""
    from lxml import etree

    part = slide.part.related_part(relation)
    root = etree.fromstring(part.blob, etree.XMLParser(resolve_entities=False, no_network=True))
    paragraphs = ("".join(text.text or "" for text in one.iter(f"{_DRAWING}t")) for one in root.iter(f"{_DRAWING}p"))
    return "\n".join(filter(None, (one_line(clean_text(text)) for text in paragraphs)))


def _notes(slide: Any) -> str:
    if not slide.has_notes_slide:
        return ""
    frame = slide.notes_slide.notes_text_frame
    return _frame_text(frame) if frame is not None else ""
