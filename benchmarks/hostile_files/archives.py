"""Hostile Word, PowerPoint, Excel, EPUB and OpenDocument files: bombs, loops, and far too much of anything."""

from __future__ import annotations

import io
import random
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping

import docx
import openpyxl
import pptx

MEBIBYTE = 1 << 20
_OFFICE = "http://schemas.openxmlformats.org"
_WORD = f"{_OFFICE}/wordprocessingml/2006/main"
_SHEET = f"{_OFFICE}/spreadsheetml/2006/main"
LAUGHS = (
    '<!DOCTYPE x [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {name} "{f"&{old};" * 10}">' for old, name in zip("abcdefghi", "bcdefghij", strict=True))
    + "]>"
)
_OUTSIDE = '<!DOCTYPE x [<!ENTITY j SYSTEM "file:///etc/passwd">]>'
_LONG_ENTITY = f'<!DOCTYPE x [<!ENTITY j "{"ha" * 50_000}">]>'

_SHARED_STRINGS = (
    b'<Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-officedocument.'
    b'spreadsheetml.sharedStrings+xml"/>'
)
_PADDING = random.Random(1).randbytes(MEBIBYTE)

Make = Callable[[], bytes]


def packed(parts: Mapping[str, bytes], *, base: bytes = b"", is_padded: bool = True) -> bytes:
    """A zip file with these members, over those of another one, and with one that nothing can make smaller: the file
    does not unpack to a hundred times its size."""
    target = io.BytesIO()
    if base:
        with zipfile.ZipFile(io.BytesIO(base)) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()} | dict(parts)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (dict(parts) | ({"pad.bin": _PADDING} if is_padded else {})).items():
            archive.writestr(name, content)
    return target.getvalue()


def _saved(document: object) -> bytes:
    target = io.BytesIO()
    document.save(target)  # type: ignore[attr-defined]
    return target.getvalue()


def word(body: str, *, doctype: str = "") -> bytes:
    xml = f'{doctype}<w:document xmlns:w="{_WORD}"><w:body>{body}</w:body></w:document>'
    return packed({"word/document.xml": xml.encode()}, base=_saved(docx.Document()))


def workbook(rows: str, *, doctype: str = "", head: str = "", tail: str = "", **parts: bytes) -> bytes:
    xml = f'{doctype}<worksheet xmlns="{_SHEET}">{head}<sheetData>{rows}</sheetData>{tail}</worksheet>'
    others = {name.replace("__", "/") + ".xml": content for name, content in parts.items()}
    base = _saved(_book())
    with zipfile.ZipFile(io.BytesIO(base)) as archive:
        types = archive.read("[Content_Types].xml").replace(b"</Types>", _SHARED_STRINGS + b"</Types>")
    sheet = {"xl/sharedStrings.xml": _shared(""), "xl/worksheets/sheet1.xml": xml.encode()}
    return packed({**sheet, "[Content_Types].xml": types, **others}, base=base)


def _book() -> openpyxl.Workbook:
    book = openpyxl.Workbook()
    assert book.active is not None
    book.active["A1"] = "x"
    return book


def slides(count: int = 1, *, shapes: str = "", doctype: str = "", media: int = 0) -> bytes:
    deck = pptx.Presentation()
    for number in range(count):
        title = deck.slides.add_slide(deck.slide_layouts[5]).shapes.title
        assert title is not None
        title.text = f"Title {number} &j;"
    saved = _saved(deck)
    with zipfile.ZipFile(io.BytesIO(saved)) as archive:
        slide = archive.read("ppt/slides/slide1.xml").decode().replace("&amp;j;", "&j;" if doctype else "")
    head, _, rest = slide.partition("?>")
    xml = f"{head}?>{doctype}{rest}".replace("</p:spTree>", f"{shapes}</p:spTree>")
    pictures = {f"ppt/media/image{number}.png": bytes(50_000) for number in range(media)}
    return packed({"ppt/slides/slide1.xml": xml.encode(), **pictures}, base=saved)


def book(*chapters: bytes, spine: str = "", package: bytes = b"") -> bytes:
    items = "".join(
        f'<item id="c{at}" href="c{at}.xhtml" media-type="application/xhtml+xml"/>' for at in range(len(chapters))
    )
    order = spine or "".join(f'<itemref idref="c{at}"/>' for at in range(len(chapters)))
    opf = f'<package xmlns="http://www.idpf.org/2007/opf"><manifest>{items}</manifest><spine>{order}</spine></package>'
    container = b'<container><rootfiles><rootfile full-path="p.opf"/></rootfiles></container>'
    texts = {f"c{at}.xhtml": chapter for at, chapter in enumerate(chapters)}
    return packed({"META-INF/container.xml": container, "p.opf": package or opf.encode(), **texts})


def open_document(body: str, *, doctype: str = "") -> bytes:
    names = "".join(
        f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "text", "table")
    )
    xml = f"{doctype}<office:d{names}><office:body><office:text>{body}</office:text></office:body></office:d>"
    return packed({"content.xml": xml.encode()})


def lying_sizes(sound: bytes, name: str, *, stated: int) -> bytes:
    """A zip file that says in its directory that a member is so long."""
    data = bytearray(sound)
    at = data.rfind(name.encode())
    struct.pack_into("<I", data, at - 46 + 24, stated)
    return bytes(data)


def overlapping(count: int) -> bytes:
    """Many members that are one and the same stretch of the file."""
    content = zlib.compress(b" " * 60_000, 9)[2:-4]
    check = zlib.crc32(b" " * 60_000)
    local = struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, 0, 8, 0, 33, check, len(content), 60_000, 1, 0) + b"a" + content
    names = [b"[Content_Types].xml", *(f"word/{number}.xml".encode() for number in range(count))]
    entries = b"".join(
        struct.pack(
            "<IHHHHHHIIIHHHHHII",
            0x02014B50,
            20,
            20,
            0,
            8,
            0,
            33,
            check,
            len(content),
            60_000,
            len(name),
            0,
            0,
            0,
            0,
            0,
            0,
        )
        + name
        for name in names
    )
    end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, len(names), len(names), len(entries), len(local), 0)
    return local + entries + end


def _nested_zip() -> bytes:
    inner = bytes(20 * MEBIBYTE)
    for _ in range(6):
        inner = packed({"inner.zip": inner})
    return packed({"word/embeddings/inner.zip": inner}, base=word("<w:p><w:r><w:t>Text</w:t></w:r></w:p>"))


def _para(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def _cells(count: int, template: str) -> str:
    return "".join(f'<row r="{at}">{template.format(at)}</row>' for at in range(1, count + 1))


def _shared(texts: str) -> bytes:
    return f'<sst xmlns="{_SHEET}">{texts}</sst>'.encode()


_RUN = "<w:r><w:t>a</w:t></w:r>"
_BOX = ("<w:r><w:pict><w:txbxContent><w:p>", "</w:p></w:txbxContent></w:pict></w:r>")
_CELL = ("<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>")
_SHAPE = (
    '<p:sp><p:nvSpPr><p:cNvPr id="9" name="x"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/>'
    "<p:txBody><a:bodyPr/><a:p><a:r><a:t>word</a:t></a:r></a:p></p:txBody></p:sp>"
)
_STRING_CELL = '<c r="A{}" t="s"><v>0</v></c>'
_MERGED = '<mergeCells><mergeCell ref="A1:XFD1048576"/>' + '<mergeCell ref="A1:XFD1"/>' * 100_000 + "</mergeCells>"
_HTML = b"<html><body>%s</body></html>"

ARCHIVES: dict[str, Make] = {
    "zip-overlapping.docx": lambda: overlapping(4_000),
    "zip-nested.docx": _nested_zip,
    "zip-says-4-GB.docx": lambda: lying_sizes(word(_para("a")), "word/document.xml", stated=0xFFFFFFF0),
    "zip-says-nothing.docx": lambda: lying_sizes(word(_para("a" * 900_000)), "word/document.xml", stated=10),
    "zip-bomb.pptx": lambda: packed({"ppt/a.bin": bytes(280 * MEBIBYTE)}, base=slides(), is_padded=False),
    "laughs.docx": lambda: word(_para("&j;"), doctype=LAUGHS),
    "outside.docx": lambda: word(_para("&j;"), doctype=_OUTSIDE),
    "long-entity.docx": lambda: word(_para("&j;" * 5_000), doctype=_LONG_ENTITY),
    "deep.docx": lambda: word("<w:sdt>" * 100_000),
    "million-paragraphs.docx": lambda: word("<w:p/>" * 3_000_000 + _para("a")),
    "million-runs.docx": lambda: word(f"<w:p>{_RUN * 1_000_000}</w:p>"),
    "boxes-in-boxes.docx": lambda: word(f"<w:p>{_BOX[0] * 45}{_RUN}{_BOX[1] * 45}</w:p>"),
    "tables-in-tables.docx": lambda: word(_CELL[0] * 80 + _para("a") + _CELL[1] * 80),
    "wide-cells.docx": lambda: word(
        "<w:tbl>"
        + '<w:tr><w:tc><w:tcPr><w:gridSpan w:val="999999999"/></w:tcPr><w:p/></w:tc></w:tr>' * 200_000
        + "</w:tbl>"
    ),
    "long-cell-below.docx": lambda: word(
        "<w:tbl><w:tr><w:tc><w:tcPr><w:vMerge w:val='restart'/></w:tcPr>"
        + _para("long " * 20_000)
        + "</w:tc></w:tr>"
        + "<w:tr><w:tc><w:tcPr><w:vMerge/></w:tcPr></w:tc></w:tr>" * 100_000
        + "</w:tbl>"
    ),
    "laughs.pptx": lambda: slides(doctype=LAUGHS),
    "outside.pptx": lambda: slides(doctype=_OUTSIDE),
    "thousand-media.pptx": lambda: slides(media=3_000),
    "hundred-thousand-shapes.pptx": lambda: slides(shapes=_SHAPE * 100_000),
    "million-breaks.pptx": lambda: slides(shapes=_SHAPE.replace("<a:r>", "<a:br/>" * 3_000_000 + "<a:r>")),
    "million-styled-cells.xlsx": lambda: workbook(_cells(1_000, '<c s="0"/>' * 1_000)),
    "claims-all-cells.xlsx": lambda: workbook(
        '<row r="1"><c r="A1"><v>1</v></c></row>', head='<dimension ref="A1:XFD1048576"/>'
    ),
    "last-cell.xlsx": lambda: workbook('<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'),
    "shared-string-of-20-MB.xlsx": lambda: workbook(
        _cells(2_000, _STRING_CELL), xl__sharedStrings=_shared(f"<si><t>{'word ' * 4_000_000}</t></si>")
    ),
    "two-million-shared-strings.xlsx": lambda: workbook(
        _cells(2, _STRING_CELL), xl__sharedStrings=_shared("<si><t>a</t></si>" * 2_000_000)
    ),
    "million-merged.xlsx": lambda: workbook('<row r="1"><c r="A1"><v>1</v></c></row>', tail=_MERGED),
    "million-styles.xlsx": lambda: workbook(
        _cells(2, '<c s="9"><v>1</v></c>'),
        xl__styles=f'<styleSheet xmlns="{_SHEET}"><cellXfs>'.encode()
        + b'<xf numFmtId="14"/>' * 2_000_000
        + b"</cellXfs></styleSheet>",
    ),
    "broken-styles.xlsx": lambda: workbook(
        _cells(50_000, "<c><v>1</v></c>" * 30),
        xl__styles=f'<styleSheet xmlns="{_SHEET}"><fills><fill/></fills></styleSheet>'.encode(),
    ),
    "laughs.xlsx": lambda: workbook('<row><c t="inlineStr"><is><t>&j;</t></is></c></row>', doctype=LAUGHS),
    "outside.xlsx": lambda: workbook('<row><c t="inlineStr"><is><t>&j;</t></is></c></row>', doctype=_OUTSIDE),
    "spine-of-itself.epub": lambda: book(_HTML % b"<p>text</p>", spine='<itemref idref="c0"/>' * 500_000),
    "no-spine.epub": lambda: book(package=b"<package/>"),
    "package-of-itself.epub": lambda: book(
        package=b'<package><manifest><item id="a" href="p.opf" media-type="text/html"/></manifest></package>'
    ),
    "four-thousand-chapters.epub": lambda: book(*[_HTML % b"<p>text</p>"] * 4_900),
    "deep.epub": lambda: book(_HTML % (b"<div>" * 200_000)),
    "chapter-of-50-MB.epub": lambda: book(_HTML % (b"<p>some words stand here</p>" * 1_800_000)),
    "wide-cells.epub": lambda: book(_HTML % (b"<table>" + b"<tr><td colspan=100>a<td>b</tr>" * 300_000 + b"</table>")),
    "laughs.odt": lambda: open_document("<text:p>&j;</text:p>", doctype=LAUGHS),
    "outside.odt": lambda: open_document("<text:p>&j;</text:p>", doctype=_OUTSIDE),
    "deep.odt": lambda: open_document("<text:section>" * 200 + "<text:p>a</text:p>" + "</text:section>" * 200),
    "million-paragraphs.odt": lambda: open_document("<text:p/>" * 3_000_000 + "<text:p>a</text:p>"),
    "repeated.odt": lambda: open_document(
        "<table:table>" + '<table:table-row table:number-rows-repeated="99999999"><table:table-cell '
        'table:number-columns-repeated="99999999"><text:p>a</text:p></table:table-cell></table:table-row>'
        * 20_000
        + "</table:table>"
    ),
    "frames-in-frames.odt": lambda: open_document("<text:p>a" * 240 + "</text:p>" * 240),
}
