from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from knowledge.readers.isolation.reader_process import read_pages
from knowledge.readers.types import EncryptedDocument, TooLarge, UnreadableDocument, UnsupportedDocument
from tests.knowledge.readers.made import read_here, read_text, repacked
from tests.knowledge.readers.test_sheets import LAUGHS

CONTENT = (
    '<?xml version="1.0"?>{doctype}<office:document-content '
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"><office:body><office:text>{body}</office:text>'
    "</office:body></office:document-content>"
)


def odt(path: Path, body: str, *, doctype: str = "") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text", zipfile.ZIP_STORED)
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
        archive.writestr("content.xml", CONTENT.format(body=body, doctype=doctype))
    return path


def cell(text: str, attributes: str = "") -> str:
    return f"<table:table-cell {attributes}><text:p>{text}</text:p></table:table-cell>"


def row(*cells: str, attributes: str = "") -> str:
    return f"<table:table-row {attributes}>{''.join(cells)}</table:table-row>"


def test_paragraphs_headings_notes_and_tables_come_in_order(tmp_path):
    said = "<text:note-body><text:p>On the coast.</text:p></text:note-body>"
    note = f"<text:note><text:note-citation>1</text:note-citation>{said}</text:note>"
    rows = row(cell("Exposure"), cell("Cover")) + row(cell("Severe"), cell("45<text:s/>mm"))
    body = (
        '<text:h text:outline-level="1">Durability</text:h>'
        f"<text:p>Cover <text:span>protects</text:span>{note} the steel.</text:p>"
        '<text:h text:outline-level="2">Nominal cover</text:h>'
        f"<table:table><table:table-header-rows>{rows}</table:table-header-rows></table:table>"
        "<text:list><text:list-item><text:p>First item</text:p></text:list-item></text:list>"
    )
    header, [page] = read_here(odt(tmp_path / "a.odt", body), "odt")
    assert header.title == "Durability"
    assert page.text.split("\n") == [
        "Durability",
        "",
        "Cover protects the steel.",
        "",
        "On the coast.",
        "",
        "Nominal cover",
        "",
        "Exposure | Cover",
        "Exposure: Severe | Cover: 45 mm",
        "",
        "First item",
    ]
    assert [(one.level, one.title) for one in page.headings] == [(1, "Durability"), (2, "Nominal cover")]
    assert all(page.text.startswith(one.title, one.start) for one in page.headings)


def test_what_was_deleted_hidden_or_only_remarked_is_left_out(tmp_path):
    body = (
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>Deleted.</text:p></text:deletion>"
        "</text:changed-region></text:tracked-changes>"
        "<text:p>Seen<office:annotation><text:p>A remark.</text:p></office:annotation>"
        "<text:hidden-text>Hidden</text:hidden-text>.</text:p>"
        '<text:section text:display="none"><text:p>Not shown.</text:p></text:section>'
    )
    assert read_text(odt(tmp_path / "a.odt", body), "odt") == "Seen."


def test_cells_over_several_rows_are_repeated(tmp_path):
    rows = (
        row(cell("Exposure"), cell("Member"), cell("Cover"))
        + row(cell("Severe", 'table:number-rows-spanned="2"'), cell("Beam"), cell("45 mm"))
        + row("<table:covered-table-cell/>", cell("Slab"), cell("40 mm"))
    )
    text = read_text(odt(tmp_path / "a.odt", f"<table:table>{rows}</table:table>"), "odt")
    assert text.split("\n")[2] == "Exposure: Severe | Member: Slab | Cover: 40 mm"


def test_a_locked_document_says_so(tmp_path):
    manifest = b"<manifest><file-entry><encryption-data/></file-entry></manifest>"
    path = repacked(odt(tmp_path / "a.odt", "<text:p>x</text:p>"), {"META-INF/manifest.xml": manifest})
    with pytest.raises(EncryptedDocument):
        read_here(path, "odt")


def test_any_other_zip_is_not_a_document(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.odt", "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(UnsupportedDocument):
        read_here(tmp_path / "a.odt", "odt")


def test_f2_rows_and_cells_that_are_said_to_be_there_a_million_times_are_not(tmp_path):
    many = 'table:number-columns-repeated="99999999"'
    rows = row(cell("x", many), attributes='table:number-rows-repeated="99999999"') * 3
    text = read_text(odt(tmp_path / "a.odt", f"<table:table>{rows}</table:table>"), "odt")
    assert len(text) < 400_000


@pytest.mark.parametrize(
    ("body", "doctype"),
    [
        ("<text:p>&j;</text:p>", LAUGHS),
        ("<text:span>" * 5_000 + "</text:span>" * 5_000, ""),
        ("<text:p>", ""),
        (" " * 70_000_000, ""),
        ("<text:p>&secret;</text:p>", '<!DOCTYPE x [<!ENTITY secret SYSTEM "file:///etc/passwd">]>'),
    ],
)
def test_f2_hostile_documents_end_with_a_reason(tmp_path, body, doctype):
    with pytest.raises(UnreadableDocument) as refused:
        list(read_pages(odt(tmp_path / "a.odt", body, doctype=doctype), source_type="odt"))
    assert refused.value.code in ("too_large", "damaged", "empty")


def test_a_table_that_repeats_itself_into_millions_is_refused(tmp_path):
    repeated = cell("45 mm", 'table:number-columns-repeated="16384"')
    rows = row(repeated, attributes='table:number-rows-repeated="99999999"') * 100
    with pytest.raises(TooLarge, match="more than 500,000 cells"):
        read_here(odt(tmp_path / "a.odt", f"<table:table>{rows}</table:table>"), "odt")


def test_what_stands_in_a_frame_is_parted_from_what_holds_it_and_margins_come_last(tmp_path):
    frame = (
        '<draw:frame xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" '
        'xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"><svg:desc>A photograph</svg:desc>'
        "<draw:text-box><text:p>Figure 1</text:p><text:p>Links</text:p></draw:text-box></draw:frame>"
    )
    path = odt(tmp_path / "a.odt", f"<text:p>Before{frame}after.</text:p>")
    margin = "<style:header{0}><text:p>{1}</text:p></style:header{0}>"
    styles = (
        '<office:document-styles xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
        'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
        'xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0">'
        f"{margin.format('', 'Draft of May')}{margin.format('-left', 'Draft of May')}{margin.format('-first', '7')}"
        "</office:document-styles>"
    )
    read = read_text(repacked(path, {"styles.xml": styles.encode()}), "odt")
    assert read.split("\n") == ["Before", "Figure 1", "Links", "after.", "", "Draft of May"]
