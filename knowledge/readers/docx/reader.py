"""Word documents: paragraphs, headings by style, tables row by row, notes below what refers to them, and headers and
footers at the end. Nothing outside the file is followed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple

from knowledge.readers.docx.footnotes import Notes, margin_texts
from knowledge.readers.docx.hidden_text import HiddenText
from knowledge.readers.docx.list_marks import ListMarks
from knowledge.readers.docx.names import W, attribute, is_on
from knowledge.readers.docx.visible_text import paragraph_text
from knowledge.readers.docx.word_tables import WordTableCell, table_rows
from knowledge.readers.metadata_titles import MAX_TITLE_LENGTH, given_title
from knowledge.readers.office_package import is_strict, open_transitional
from knowledge.readers.single_page import single_page_events
from knowledge.readers.tables import CELL_SEPARATOR, LabelledCell, layout_rows, row_lines
from knowledge.readers.text_cleaning import clean_text, one_line
from knowledge.readers.text_lines import TextLines
from knowledge.readers.types import (
    DamagedDocument,
    Heading,
    Limits,
    ReaderEvent,
    UnreadableDocument,
    UnsupportedDocument,
)
from knowledge.readers.zip_checks import check_archive

_HEADING_STYLE = re.compile(r"heading (\d)", re.IGNORECASE)
# A short paragraph that is bold from end to end stands over what follows like a heading of the lowest level.
_BOLD_LINE_LEVEL, _MAX_BOLD_LINE = 6, 100
# The title stands on the first page.
_TITLE_BLOCKS = 20
_CONTAINER_TAGS = frozenset(f"{W}{name}" for name in ("sdt", "sdtContent", "customXml", "ins"))


def read(path: Path, *, limits: Limits) -> Iterator[ReaderEvent]:
    check_archive(path)
    with open_transitional(path) as file:
        document = open_document(file)
    body = read_body(document)
    text = body.text()
    title = _title(document, body, text=text)
    yield from single_page_events(text=text, limits=limits, title=title, headings=body.headings)


def _title(document: Any, body: BodyText, *, text: str) -> str | None:
    """What is set as the title on the page, else the one in the file's properties, which may be left from a template,
    else the first heading."""
    styled = _styled_title(document)
    return (styled if styled and styled in text else given_title(_stated_title(document))) or body.first_title()


def _styled_title(document: Any) -> str:
    first = islice(document.iter_inner_content(), _TITLE_BLOCKS)
    titles = (one_line(clean_text(block.text)) for block in first if _is_title(block))
    return next(filter(None, titles), "")[:MAX_TITLE_LENGTH]


def _is_title(block: Any) -> bool:
    # A table has a style too, and no text of its own.
    return hasattr(block, "text") and block.style is not None and block.style.name == "Title"


def _stated_title(document: Any) -> str:
    """The title in the file's properties. Where it has none, the library would make up “Word Document”."""
    from docx.opc.constants import RELATIONSHIP_TYPE

    kinds = {relation.reltype for relation in document.part.package.rels.values()}
    return str(document.core_properties.title or "") if RELATIONSHIP_TYPE.CORE_PROPERTIES in kinds else ""


def open_document(source: Path | IO[bytes]) -> Any:
    """The parsed document of a checked archive. Raises `DamagedDocument` or `UnsupportedDocument`."""
    # Imported late, so that the check of the archive above costs nothing to test or to fail.
    import docx

    try:
        document = docx.Document(str(source) if isinstance(source, Path) else source)
    except ValueError as error:
        raise UnsupportedDocument() from error
    except MemoryError:
        raise
    except Exception as error:
        # Broken packages surface as KeyError, XMLSyntaxError, BadZipFile and more, depending on the part.
        raise _not_opened(source) from error
    if getattr(document.element, "body", None) is None:
        raise DamagedDocument()
    return document


def _not_opened(source: Path | IO[bytes]) -> UnreadableDocument:
    if isinstance(source, Path) and is_strict(source):
        hint = "Save it in Word as “Word Document (.docx)” and use that."
        return UnsupportedDocument("A “Strict Open XML” document can be read, and not written in.", hint=hint)
    return DamagedDocument()


def read_body(document: Any, *, has_marks: bool = True) -> BodyText:
    """The text of the document's body, with the segments it is made of. Without `has_marks` as texts were read before
    the marks of lists were."""
    hidden = HiddenText(document.styles.element)
    notes, marks = Notes(document, hidden), ListMarks(document) if has_marks else None
    body = BodyText(styles=_style_levels(document), hidden=hidden, notes=notes, marks=marks)
    body.add_blocks(document.element.body)
    body.add_lines(margin_texts(document, hidden))
    return body


def _style_levels(document: Any) -> dict[str, int]:
    """Heading level by the id of the paragraph style; style names are English in every language of Word."""
    levels = {}
    for style in document.styles.element.iter(f"{W}style"):
        name = style.find(f"{W}name")
        if name is not None and (level := _level_of_style(name.get(f"{W}val", ""))):
            levels[style.get(f"{W}styleId", "")] = level
    return levels


def _level_of_style(name: str) -> int | None:
    if name.lower() == "title":
        return 1
    match = _HEADING_STYLE.fullmatch(name)
    return min(max(int(match[1]), 1), 6) if match else None


class ParagraphSegment(NamedTuple):
    """Text of the page that stands in paragraphs of the document, from `start` on."""

    start: int
    text: str
    paragraphs: tuple[Any, ...]


class BodyText(TextLines):
    """Gathers the text of a document body, with the offsets of its headings and the paragraphs it stands in. A note
    stands below what refers to it; neither notes nor headers and footers have segments, nor have the marks of lists."""

    def __init__(self, *, styles: dict[str, int], hidden: HiddenText, notes: Notes, marks: ListMarks | None) -> None:
        super().__init__()
        self.styles = styles
        self.hidden = hidden
        self.notes = notes
        self.marks = marks
        self.segments: list[ParagraphSegment] = []
        self.mark_spans: list[tuple[int, int]] = []

    def text_without_marks(self) -> str:
        """The same text, as long, with spaces in place of the marks of lists."""
        text, pieces, at = self.text(), [], 0
        for start, end in self.mark_spans:
            pieces += [text[at:start], " " * (end - start)]
            at = end
        return "".join([*pieces, text[at:]])

    def first_title(self) -> str | None:
        """The first heading of the highest level there is."""
        headings = (heading for heading in self.headings if heading.level != _BOLD_LINE_LEVEL)
        first = min(headings, key=lambda heading: heading.level, default=None)
        return first.title if first else None

    def add_blocks(self, container: Any) -> None:
        stack = [iter(container)]
        while stack:
            block = next(stack[-1], None)
            if block is None:
                stack.pop()
            elif block.tag == f"{W}p":
                self._add_paragraph(block)
            elif block.tag == f"{W}tbl":
                self._add_table(table_rows(block, self.hidden))
            elif block.tag in _CONTAINER_TAGS:
                stack.append(iter(block))

    def add_lines(self, lines: Iterable[str]) -> None:
        """Text that stands in no paragraph of the body, each line for itself."""
        for line in lines:
            self.append(line)
            self.append("")

    def _add_paragraph(self, paragraph: Any) -> None:
        lines = [one_line(line) for line in paragraph_text(paragraph, self.hidden).split("\n")]
        text = "\n".join(filter(None, lines))
        if text:
            self._add_text(paragraph, text, mark=self.marks.next_mark(paragraph) if self.marks else "")
        self.add_lines(self.notes.texts([paragraph]))

    def _add_text(self, paragraph: Any, text: str, *, mark: str) -> None:
        level = self.styles.get(attribute(paragraph.find(f"{W}pPr/{W}pStyle"), "val"))
        if level is None and len(text) <= _MAX_BOLD_LINE and text[-1] not in ".,;" and self._is_bold(paragraph):
            level = _BOLD_LINE_LEVEL
        if level:
            mark = ""
            self.headings.append(
                Heading(page=1, start=self.length, level=level, title=one_line(text).removesuffix(":")[:200])
            )
        if mark:
            self.mark_spans.append((self.length, self.length + len(mark)))
        self.segments.append(ParagraphSegment(self.length + len(mark), text, (paragraph,)))
        self.append(f"{mark}{text}")
        self.append("")

    def _add_table(self, rows: list[list[WordTableCell]]) -> None:
        texts = [[cell.text for cell in row] for row in rows]
        filled = [(row, layout) for row, layout in zip(rows, layout_rows(texts), strict=True) if layout]
        for line, (row, layout) in zip(row_lines(texts), filled, strict=True):
            self._add_row(row, layout)
            self.append(line)
        self.append("")
        cells = dict.fromkeys(paragraph for row in rows for cell in row for paragraph in cell.paragraphs)
        self.add_lines(self.notes.texts(cells))

    def _add_row(self, row: list[WordTableCell], layout: list[LabelledCell]) -> None:
        start = self.length
        for label, column in layout:
            start += len(f"{label}: ") if label else 0
            self.segments.append(ParagraphSegment(start, *row[column]))
            start += len(row[column].text) + len(CELL_SEPARATOR)

    def _is_bold(self, paragraph: Any) -> bool:
        """Whether each run with text says that it is bold."""
        runs = [run for run in paragraph.iter(f"{W}r") if paragraph_text(run, self.hidden).strip()]
        return bool(runs) and all(_is_run_bold(run) for run in runs)


def _is_run_bold(run: Any) -> bool:
    bold = run.find(f"{W}rPr/{W}b")
    return bold is not None and is_on(bold)
