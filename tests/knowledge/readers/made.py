"""Documents made for tests, so that nothing binary lies in the repository."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import docx
from reportlab.lib import colors, pdfencrypt
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Table

from knowledge.readers import read
from knowledge.readers.types import DocumentHeader, Limits, PageText

COVER = [
    ["Exposure", "Nominal cover", "Grade"],
    ["Mild", "20 mm", "M20"],
    ["Severe", "45 mm", "M30"],
]


def pdf(path: Path, *draw: Callable[[Canvas], None], **options: object) -> Path:
    """A PDF with one page for each function."""
    canvas = Canvas(str(path), pagesize=A4, **options)
    for page in draw:
        page(canvas)
        canvas.showPage()
    canvas.save()
    return path


def lines(*texts: str, top: float = 780, size: float = 11) -> Callable[[Canvas], None]:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", size)
        for number, text in enumerate(texts):
            canvas.drawString(72, top - 16 * number, text)

    return draw


def ruled_table(
    rows: Sequence[Sequence[str]] = COVER, *, merged: Sequence[tuple[tuple[int, int], tuple[int, int]]] = ()
) -> Callable[[Canvas], None]:
    """A sentence, a table with lines, a sentence. `merged`: the first and the last place (column, row) of a cell over
    several of them."""

    def draw(canvas: Canvas) -> None:
        lines("The table gives the cover.")(canvas)
        table = Table([list(row) for row in rows])
        spans = [("SPAN", first, last) for first, last in merged]
        table.setStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.black), ("VALIGN", (0, 0), (-1, -1), "MIDDLE"), *spans])
        table.wrapOn(canvas, 400, 400)
        table.drawOn(canvas, 72, 600)
        lines("Read it row by row.", top=560)(canvas)

    return draw


def picture(canvas: Canvas) -> None:
    """A page that is all picture, as a scanner leaves it."""
    pixels = b"P6 2 2 255 " + bytes(range(12))
    canvas.drawImage(ImageReader(io.BytesIO(_png(pixels))), 0, 0, *A4)


def _png(ppm: bytes) -> bytes:
    from PIL import Image

    target = io.BytesIO()
    Image.open(io.BytesIO(ppm)).save(target, "PNG")
    return target.getvalue()


def locked(*, user_password: str) -> pdfencrypt.StandardEncryption:
    return pdfencrypt.StandardEncryption(user_password, ownerPassword="owner", canCopy=0)


def word(path: Path, build: Callable[[docx.document.Document], None]) -> Path:
    document = docx.Document()
    build(document)
    document.save(str(path))
    return path


def repacked(path: Path, replacements: dict[str, bytes]) -> Path:
    """A zip file with some of its members replaced or added."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()} | replacements
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def read_here(path: Path, source_type: str, **limits: float) -> tuple[DocumentHeader, list[PageText]]:
    """Read in this process: quicker than the sandbox, same reader."""
    header, *pages = read(path, source_type=source_type, limits=Limits(**limits))
    assert isinstance(header, DocumentHeader)
    assert all(isinstance(page, PageText) for page in pages)
    return header, pages


def read_text(path: Path, source_type: str) -> str:
    _, [page] = read_here(path, source_type)
    return page.text


WORD_XML = (
    '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><w:body>{body}</w:body></w:document>'
)


def word_xml(path: Path, body: str, **parts: str) -> Path:
    """A Word file whose body is this XML. `parts` replace or add others, by the name without folder and ending."""
    word(path, lambda document: None)
    others = {f"word/{name}.xml": content.encode() for name, content in parts.items()}
    return repacked(path, {"word/document.xml": WORD_XML.format(body=body).encode(), **others})


_NOTED_BODY = (
    "<w:p><w:r><w:t>The term is three years.</w:t><w:footnoteReference w:id='2'/></w:r></w:p>"
    "<w:p><w:r><w:t>The law is that of Kent.</w:t><w:endnoteReference w:id='2'/></w:r></w:p>"
    "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>A cell</w:t><w:footnoteReference w:id='3'/></w:r></w:p></w:tc></w:tr></w:tbl>"
)


def noted_document(path: Path, *, body: str = _NOTED_BODY, margins: bool = True) -> Path:
    """A Word file with the footnotes 2 and 3, the endnote 2, and unless told otherwise a header and two footers."""

    def note(kind: str, number: int, *lines: str, attributes: str = "") -> str:
        paragraphs = "".join(f"<w:p><w:r><w:t>{line}</w:t></w:r></w:p>" for line in lines)
        return f"<w:{kind} w:id='{number}'{attributes}>{paragraphs}</w:{kind}>"

    separator = " w:type='separator'"
    parts = {
        "footnotes": note("footnote", 0, "-----", attributes=separator)
        + note("footnote", 2, "Unless either party ends it.")
        + note("footnote", 3, "A note of the cell."),
        "endnotes": note("endnote", 2, "Kent includes Medway.", "No exceptions."),
    }
    if margins:
        draft = "<w:p><w:r><w:t>Draft of May, subject to contract</w:t></w:r></w:p>"
        number = "<w:p><w:fldSimple w:instr='PAGE'><w:r><w:t>7</w:t></w:r></w:fldSimple></w:p>"
        parts |= {"header": draft, "footer": number}
    tags = {"header": "hdr", "footer": "ftr"}
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    files = {
        f"{name}77": f"<w:{tags.get(name, name)} xmlns:w='{space}'>{content}</w:{tags.get(name, name)}>"
        for name, content in parts.items()
    }
    word_xml(path, body, **files)
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    relations = "".join(f"<Relationship Id='n{name}' Type='{office}/{name}' Target='{name}77.xml'/>" for name in parts)
    with zipfile.ZipFile(path) as archive:
        listed = archive.read("word/_rels/document.xml.rels").decode()
    listed = listed.replace("</Relationships>", f"{relations}</Relationships>")
    return repacked(path, {"word/_rels/document.xml.rels": listed.encode()})
