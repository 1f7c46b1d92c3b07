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
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"><office:automatic-styles>{styles}'
    "</office:automatic-styles><office:body><office:text>{body}</office:text></office:body></office:document-content>"
)


def odt(path: Path, body: str, *, doctype: str = "", styles: str = "") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text", zipfile.ZIP_STORED)
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
        archive.writestr("content.xml", CONTENT.format(body=body, doctype=doctype, styles=styles))
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


LISTS = (
    '<text:list-style style:name="Steps">'
    '<text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/>'
    '<text:list-level-style-number text:level="2" style:num-format="a" style:num-prefix="(" style:num-suffix=")"/>'
    '<text:list-level-style-number text:level="3" style:num-format="1" style:num-suffix="." text:display-levels="3"/>'
    '</text:list-style><text:list-style style:name="Points"><text:list-level-style-bullet text:level="1"/>'
    '</text:list-style><text:list-style style:name="Late">'
    '<text:list-level-style-number text:level="1" style:num-format="I" text:start-value="4"/></text:list-style>'
)


def steps(*items: str, attributes: str = 'text:style-name="Steps"') -> str:
    return f"<text:list {attributes}>{''.join(items)}</text:list>"


def item(*paragraphs: str, inner: str = "", attributes: str = "") -> str:
    written = "".join(f"<text:p>{one}</text:p>" for one in paragraphs)
    return f"<text:list-item {attributes}>{written}{inner}</text:list-item>"


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        (steps(item("Drain", "Wait."), item("Fill")), ["1. Drain", "Wait.", "2. Fill"]),
        (
            steps(item("Drain", inner=steps(item("oil"), item("fuel"), attributes="")), item("Fill")),
            ["1. Drain", "(a) oil", "(b) fuel", "2. Fill"],
        ),
        (
            steps(item("A", inner=steps(item("b", inner=steps(item("c"), attributes="")), attributes=""))),
            ["1. A", "(a) b", "1.a.1. c"],
        ),
        (steps(item("Drain")) + "<text:p>Then</text:p>" + steps(item("Fill")), ["1. Drain", "Then", "1. Fill"]),
        (
            steps(item("Drain"))
            + steps(item("Fill"), attributes='text:style-name="Steps" text:continue-numbering="true"'),
            ["1. Drain", "2. Fill"],
        ),
        (steps(item("Drain"), item("Fill", attributes='text:start-value="7"')), ["1. Drain", "7. Fill"]),
        (steps(item("Drain"), attributes='text:style-name="Points"'), ["- Drain"]),
        (steps(item("Drain"), item("Fill"), attributes='text:style-name="Late"'), ["IV Drain", "V Fill"]),
        (steps("<text:list-header><text:p>Steps</text:p></text:list-header>", item("Fill")), ["Steps", "1. Fill"]),
        (
            steps("<text:list-item><text:h>Durability</text:h></text:list-item>", item("Fill")),
            ["Durability", "2. Fill"],
        ),
    ],
)
def test_items_of_lists_have_the_marks_of_their_style(tmp_path, body: str, lines: list[str]):
    text = read_text(odt(tmp_path / "a.odt", body, styles=LISTS), "odt")
    assert [line for line in text.split("\n") if line] == lines


@pytest.mark.parametrize("position", ["super 58%", "33% 58%"])
def test_raised_digits_are_an_exponent_or_the_mark_of_a_note_and_no_other_number(tmp_path, position: str):
    look = f'<style:text-properties style:text-position="{position}"/>'
    styles = f'<style:style style:name="T1" style:family="text">{look}</style:style>'
    body = "<text:p>10{0}6</text:span> cycles on 3 m{0}2</text:span> of the cover{0}1</text:span>.</text:p>"
    span = '<text:span text:style-name="T1">'
    text = read_text(odt(tmp_path / "a.odt", body.format(span), styles=styles), "odt")
    assert text == "10⁶ cycles on 3 m² of the cover."


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
