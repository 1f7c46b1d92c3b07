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


def ruled_table(rows: Sequence[Sequence[str]] = COVER) -> Callable[[Canvas], None]:
    """A sentence, a table with lines, a sentence."""

    def draw(canvas: Canvas) -> None:
        lines("The table gives the cover.")(canvas)
        table = Table([list(row) for row in rows])
        table.setStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.black)])
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
