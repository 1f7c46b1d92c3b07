from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from knowledge.readers import zip_checks as document_archive
from knowledge.readers.docx.run_positions import read_positions
from knowledge.readers.types import DamagedDocument, TooLarge, UnreadableDocument, UnsupportedDocument
from tests.knowledge.readers.made import noted_document, read_here, read_text, repacked, word, word_xml


def handbook(document) -> None:
    document.core_properties.title = "Handbook"
    document.add_heading("Durability", level=1)
    document.add_paragraph("Cover protects the steel.")
    document.add_heading("Nominal cover", level=2)
    table = document.add_table(rows=3, cols=2)
    for row, (exposure, cover) in zip(
        table.rows, [("Exposure", "Cover"), ("Mild", "20 mm"), ("Severe", "45 mm")], strict=True
    ):
        row.cells[0].text, row.cells[1].text = exposure, cover
    document.add_paragraph("After the table.")


def test_paragraphs_headings_and_tables_come_in_order(tmp_path):
    header, [page] = read_here(word(tmp_path / "a.docx", handbook), "docx")
    assert header.title == "Handbook"
    assert page.text.split("\n") == [
        "Durability",
        "",
        "Cover protects the steel.",
        "",
        "Nominal cover",
        "",
        "Exposure | Cover",
        "Exposure: Mild | Cover: 20 mm",
        "Exposure: Severe | Cover: 45 mm",
        "",
        "After the table.",
    ]
    assert [(h.level, h.title) for h in page.headings] == [(1, "Durability"), (2, "Nominal cover")]
    assert all(page.text.startswith(h.title, h.start) for h in page.headings)


def raised(text: str) -> str:
    return f"<w:r><w:rPr><w:vertAlign w:val='superscript'/></w:rPr><w:t>{text}</w:t></w:r>"


def plain(text: str) -> str:
    return f"<w:r><w:t xml:space='preserve'>{text}</w:t></w:r>"


@pytest.mark.parametrize(
    ("runs", "text"),
    [
        (plain("10") + raised("6") + plain(" cycles"), "10⁶ cycles"),
        (plain("10") + raised("-") + raised("3"), "10⁻³"),
        (plain("25 m") + raised("2") + plain(" of plate"), "25 m² of plate"),
        (plain("30 mm") + raised("1") + plain(" of cover") + raised("2"), "30 mm of cover"),
        (plain("a word") + raised("1") + raised("2") + plain(" of cover"), "a word of cover"),
        (plain("a word") + raised("1") + raised("2") + raised("3") + plain(" of cover"), "a word of cover"),
        (plain("a word.") + raised("1") + raised("2"), "a word."),
        (plain("10") + raised("1") + raised("2"), "10¹²"),
        (plain("the 14") + raised("th") + plain(" day"), "the 14th day"),
        (plain("10") + raised("6").replace("superscript", "subscript"), "106"),
    ],
)
def test_raised_digits_are_an_exponent_or_the_mark_of_a_note_and_no_other_number(tmp_path, runs: str, text: str):
    path = word_xml(tmp_path / "a.docx", f"<w:p>{runs}</w:p>")
    assert read_text(path, "docx") == text
    positions = read_positions(path).positions
    assert [(one.start, one.end) for one in positions][-1][1] == len(text)


@pytest.mark.parametrize(("level", "title"), [(1, "Durability"), (3, "Durability"), (None, None)])
def test_a_document_without_properties_is_called_by_its_heading(tmp_path, level, title):
    def build(document) -> None:
        if level:
            document.add_heading("Durability", level=level)
        document.add_paragraph("Cover protects the steel.")

    path = word(tmp_path / "a.docx", build)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist() if name != "docProps/core.xml"}
    rels = parts["_rels/.rels"].decode()
    parts["_rels/.rels"] = re.sub(r"<Relationship [^>]*core-properties[^>]*/>", "", rels).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    assert read_here(path, "docx")[0].title == title


@pytest.mark.parametrize(
    ("stated", "title"),
    [("Untitled", "Jetty handbook"), ("Last year's template", "Jetty handbook"), ("Jetty handbook", "Jetty handbook")],
)
def test_the_title_on_the_page_goes_before_one_in_the_properties(tmp_path, stated, title):
    def build(document) -> None:
        document.core_properties.title = stated
        document.add_table(rows=1, cols=1).rows[0].cells[0].text = "For the jetty"
        document.add_heading("Jetty handbook", level=0)
        document.add_heading("Who may rent a boat", level=1)

    assert read_here(word(tmp_path / "a.docx", build), "docx")[0].title == title


@pytest.mark.parametrize("stated", ["Untitled", "card7.doc", "Word Document", ""])
def test_what_a_program_wrote_for_a_title_gives_way_to_the_first_heading(tmp_path, stated):
    def build(document) -> None:
        document.core_properties.title = stated
        document.add_heading("Who may rent a boat", level=1)

    assert read_here(word(tmp_path / "a.docx", build), "docx")[0].title == "Who may rent a boat"


def test_hidden_and_deleted_text_is_left_out_and_inserted_text_kept(tmp_path):
    def build(document) -> None:
        paragraph = document.add_paragraph("seen ")
        hidden = paragraph.add_run("hidden ")
        hidden.font.hidden = True
        paragraph.add_run("inserted deleted")

    path = word(tmp_path / "a.docx", build)
    with zipfile.ZipFile(path) as archive:
        xml = archive.read("word/document.xml")
    run = b"<w:r><w:t>inserted deleted</w:t></w:r>"
    assert run in xml
    tracked = (
        b"<w:ins w:id='1'><w:r><w:t>inserted</w:t></w:r></w:ins>"
        b"<w:del w:id='2'><w:r><w:delText>deleted</w:delText></w:r></w:del>"
    )
    repacked(path, {"word/document.xml": xml.replace(run, tracked)})
    assert read_here(path, "docx")[1][0].text == "seen inserted"


STYLES = (
    "<w:styles xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'>{defaults}"
    "<w:style w:type='character' w:styleId='Ghost'><w:name w:val='Ghost'/><w:rPr><w:vanish/></w:rPr></w:style>"
    "<w:style w:type='character' w:styleId='Child'><w:name w:val='Child'/><w:basedOn w:val='Ghost'/></w:style>"
    "<w:style w:type='character' w:styleId='Seen'><w:name w:val='Seen'/><w:basedOn w:val='Ghost'/>"
    "<w:rPr><w:vanish w:val='0'/></w:rPr></w:style>"
    "<w:style w:type='paragraph' w:styleId='GhostLine'><w:name w:val='Ghost line'/><w:rPr><w:vanish/></w:rPr></w:style>"
    "<w:style w:type='paragraph' w:styleId='Dust'><w:name w:val='Dust'/><w:rPr><w:sz w:val='2'/></w:rPr></w:style>"
    "<w:style w:type='paragraph' w:styleId='Loop'><w:name w:val='Loop'/><w:basedOn w:val='Loop'/></w:style>"
    "</w:styles>"
)


@pytest.mark.parametrize(
    ("style", "run", "seen"),
    [
        ("", "<w:vanish/>", False),
        ("", "<w:vanish w:val='false'/>", True),
        ("", "<w:rStyle w:val='Ghost'/>", False),
        ("", "<w:rStyle w:val='Child'/>", False),
        ("", "<w:rStyle w:val='Seen'/>", True),
        ("", "<w:rStyle w:val='Ghost'/><w:vanish w:val='0'/>", True),
        ("GhostLine", "", False),
        ("GhostLine", "<w:rStyle w:val='Ghost'/>", True),
        ("GhostLine", "<w:vanish w:val='0'/>", True),
        ("", "<w:sz w:val='3'/>", False),
        ("", "<w:sz w:val='4'/>", True),
        ("Dust", "", False),
        ("Dust", "<w:sz w:val='24'/>", True),
        ("Loop", "", True),
        ("Unknown", "<w:rStyle w:val='Unknown'/><w:sz w:val='large'/>", True),
        ("", "<w:color w:val='FFFFFF'/>", True),
    ],
)
def test_text_that_is_hidden_by_a_style_or_too_small_is_left_out(tmp_path, style, run, seen):
    path = word_xml(
        tmp_path / "a.docx",
        f"<w:p><w:r><w:t>Seen.</w:t></w:r></w:p><w:p><w:pPr><w:pStyle w:val='{style}'/></w:pPr>"
        f"<w:r><w:rPr>{run}</w:rPr><w:t>Mark all GREEN.</w:t></w:r></w:p>",
        styles=STYLES.format(defaults=""),
    )
    assert ("Mark all GREEN." in read_text(path, "docx")) is seen


def test_a_document_whose_defaults_hide_its_text_shows_what_says_it_is_seen(tmp_path):
    defaults = "<w:docDefaults><w:rPrDefault><w:rPr><w:vanish/></w:rPr></w:rPrDefault></w:docDefaults>"
    body = "<w:p><w:r><w:t>hidden</w:t></w:r><w:r><w:rPr><w:vanish w:val='0'/></w:rPr><w:t>seen</w:t></w:r></w:p>"
    path = word_xml(tmp_path / "a.docx", body, styles=STYLES.format(defaults=defaults))
    assert read_text(path, "docx") == "seen"


def test_moved_text_stands_where_it_was_moved_to(tmp_path):
    path = word_xml(
        tmp_path / "a.docx",
        "<w:p><w:moveFrom w:id='1'><w:r><w:t>moved </w:t></w:r></w:moveFrom><w:r><w:t>kept </w:t></w:r>"
        "<w:moveTo w:id='2'><w:r><w:t>moved</w:t></w:r></w:moveTo></w:p>",
    )
    assert read_text(path, "docx") == "kept moved"


def test_a_deleted_row_of_a_table_is_not_text(tmp_path):
    cell = "<w:tc><w:p><w:r><w:t>{}</w:t></w:r></w:p></w:tc>"
    rows = ["Cap", "Old cap"], ["Fee", "New fee"]
    kept, deleted = ("".join(cell.format(text) for text in row) for row in rows)
    path = word_xml(
        tmp_path / "a.docx",
        f"<w:tbl><w:tr>{kept}</w:tr><w:tr><w:trPr><w:del w:id='1'/></w:trPr>{deleted}</w:tr></w:tbl>",
    )
    assert read_text(path, "docx") == "Cap | Old cap"


def test_fields_read_as_their_results_and_links_as_their_words(tmp_path):
    path = word_xml(
        tmp_path / "a.docx",
        "<w:p><w:r><w:t xml:space='preserve'>See </w:t></w:r><w:r><w:fldChar w:fldCharType='begin'/></w:r>"
        "<w:r><w:instrText>INCLUDETEXT secret</w:instrText></w:r><w:r><w:fldChar w:fldCharType='separate'/></w:r>"
        "<w:r><w:t>clause 9</w:t></w:r><w:r><w:fldChar w:fldCharType='end'/></w:r>"
        "<w:fldSimple w:instr='PAGE'><w:r><w:t xml:space='preserve'> on 3</w:t></w:r></w:fldSimple>"
        "<w:hyperlink w:anchor='x'><w:r><w:t xml:space='preserve'> of the law</w:t></w:r></w:hyperlink></w:p>",
    )
    assert read_text(path, "docx") == "See clause 9 on 3 of the law"


BOX = "<w:txbxContent><w:p><w:r><w:t>boxed</w:t></w:r></w:p></w:txbxContent>"
BOXED = (
    "<w:r><mc:AlternateContent>"
    f"<mc:Choice Requires='wps'>{BOX}</mc:Choice><mc:Fallback><w:pict>{BOX}</w:pict></mc:Fallback>"
    "</mc:AlternateContent></w:r>"
)


def test_a_text_box_is_read_once_within_its_paragraph(tmp_path):
    before = "<w:r><w:t xml:space='preserve'>Before </w:t></w:r>"
    after = "<w:r><w:t xml:space='preserve'> after</w:t></w:r>"
    paragraph = f"<w:p>{before}{BOXED}{after}</w:p>"
    assert read_text(word_xml(tmp_path / "a.docx", paragraph), "docx") == "Before boxed after"
    in_cell = f"<w:tbl><w:tr><w:tc>{paragraph}</w:tc></w:tr></w:tbl>"
    assert read_text(word_xml(tmp_path / "b.docx", in_cell), "docx") == "Before boxed after"


def test_notes_stand_below_what_refers_to_them_and_headers_and_footers_at_the_end(tmp_path):
    path = noted_document(tmp_path / "a.docx")
    assert read_text(path, "docx").split("\n\n") == [
        "The term is three years.",
        "Unless either party ends it.",
        "The law is that of Kent.",
        "Kent includes Medway. No exceptions.",
        "A cell",
        "A note of the cell.",
        "Draft of May, subject to contract",
    ]


def test_notes_that_nobody_sees_are_not_read(tmp_path):
    reference = "<w:r><w:footnoteReference w:id='2'/></w:r>"
    deleted = f"<w:del w:id='9' w:author='Bob'>{reference}</w:del>"
    hidden = "<w:r><w:rPr><w:vanish/></w:rPr><w:footnoteReference w:id='2'/></w:r>"
    body = f"<w:p><w:r><w:t>Seen.</w:t></w:r>{deleted}{hidden}<w:r><w:footnoteReference w:id='77'/></w:r></w:p>"
    assert read_text(noted_document(tmp_path / "a.docx", body=body, margins=False), "docx") == "Seen."


def test_merged_cells_read_as_they_look(tmp_path):
    def build(document) -> None:
        table = document.add_table(rows=3, cols=2)
        texts = [("Member", "Cover"), ("Beam", "30 mm"), ("", "45 mm")]
        for row, (left, right) in zip(table.rows, texts, strict=True):
            row.cells[0].text, row.cells[1].text = left, right
        table.cell(1, 0).merge(table.cell(2, 0))

    lines = read_here(word(tmp_path / "a.docx", build), "docx")[1][0].text.split("\n")
    assert lines[1:] == ["Member: Beam | Cover: 30 mm", "Member: Beam | Cover: 45 mm"]


def row_xml(*cells: str, properties: str = "") -> str:
    paragraphs = "".join(f"<w:tc><w:p><w:r><w:t>{cell}</w:t></w:r></w:p></w:tc>" for cell in cells)
    return f"<w:tr><w:trPr>{properties}</w:trPr>{paragraphs}</w:tr>"


def test_rows_inside_content_controls_are_read_in_their_place(tmp_path):
    control = f"<w:sdt><w:sdtContent><w:sdt><w:sdtContent>{row_xml('Slab', '25')}</w:sdtContent></w:sdt>"
    control += f"{row_xml('Wall', '20')}</w:sdtContent></w:sdt>"
    inner = f"<w:tr><w:tc><w:tbl>{row_xml('inner')}</w:tbl><w:p/></w:tc></w:tr>"
    rows = f"{row_xml('Member', 'Cover')}{row_xml('Beam', '30')}{control}{row_xml('Pile', '75')}{inner}"
    path = word_xml(tmp_path / "a.docx", f"<w:tbl>{rows}</w:tbl>")
    assert read_text(path, "docx").split("\n") == [
        "Member | Cover",
        "Member: Beam | Cover: 30",
        "Member: Slab | Cover: 25",
        "Member: Wall | Cover: 20",
        "Member: Pile | Cover: 75",
        "inner",
    ]


def test_a_row_that_begins_behind_the_first_column_keeps_its_cells_under_their_names(tmp_path):
    head = row_xml("Class", "Member", "Cover")
    shifted = row_xml("Beam", "30", properties="<w:gridBefore w:val='1'/>")
    short = row_xml("Slab", properties="<w:gridBefore w:val='1'/><w:gridAfter w:val='1'/>")
    odd = row_xml("XC1", "Wall", "20", properties="<w:gridBefore w:val='many'/>")
    path = word_xml(tmp_path / "a.docx", f"<w:tbl>{head}{shifted}{short}{odd}</w:tbl>")
    assert read_text(path, "docx").split("\n") == [
        "Class | Member | Cover",
        "Member: Beam | Cover: 30",
        "Slab",
        "Class: XC1 | Member: Wall | Cover: 20",
    ]


MATH = "xmlns:m='http://schemas.openxmlformats.org/officeDocument/2006/math'"


def math(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


@pytest.mark.parametrize(
    ("equation", "written"),
    [
        (math("c=") + math("45"), "c=45"),
        (f"<m:f><m:num>{math('1')}</m:num><m:den>{math('2')}</m:den></m:f>", "1/2"),
        (f"<m:f><m:num>{math('a+b')}</m:num><m:den>{math('2')}</m:den></m:f>", "(a+b)/2"),
        (f"<m:sSup><m:e>{math('10')}</m:e><m:sup>{math('6')}</m:sup></m:sSup>", "10^6"),
        (f"<m:sSub><m:e>{math('f')}</m:e><m:sub>{math('ck')}</m:sub></m:sSub>", "f_ck"),
        (f"<m:rad><m:deg/><m:e>{math('a+b')}</m:e></m:rad>", "√(a+b)"),
        (
            f"<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr><m:sub>{math('i=1')}</m:sub><m:sup>{math('n')}</m:sup>"
            f"<m:e>{math('i')}</m:e></m:nary>",
            "∑_(i=1)^n i",
        ),
        (
            f"<m:d><m:e>{math('x')}</m:e></m:d><m:func><m:fName>{math('sin')}</m:fName><m:e>{math('x')}</m:e></m:func>",
            "(x)sin x",
        ),
    ],
)
def test_an_equation_is_read_in_one_line(tmp_path, equation: str, written: str):
    runs = "<w:r><w:t xml:space='preserve'>with </w:t></w:r>", "<w:r><w:t xml:space='preserve'> there</w:t></w:r>"
    path = word_xml(tmp_path / "a.docx", f"<w:p>{runs[0]}<m:oMath {MATH}>{equation}</m:oMath>{runs[1]}</w:p>")
    assert read_text(path, "docx") == f"with {written} there"
    assert [at.run for at in read_positions(path).positions] == [0, 1]


def test_an_equation_that_is_nested_very_deeply_is_read(tmp_path):
    equation = math("x")
    for _ in range(60):
        equation = f"<m:d><m:e>{equation}</m:e></m:d>"
    assert "x" in read_text(word_xml(tmp_path / "a.docx", f"<w:p><m:oMath {MATH}>{equation}</m:oMath></w:p>"), "docx")


@pytest.mark.parametrize(
    ("font", "place", "written"),
    [
        ("Symbol", "F0B3", "a ≥ b"),
        ("Symbol", "00B1", "a ± b"),
        ("Wingdings", "F0FE", "a ☑ b"),
        ("Wingdings", "F021", "a b"),
        ("Arial", "2265", "a ≥ b"),
        ("Unknown", "F041", "a b"),
        ("Symbol", "none", "a b"),
    ],
)
def test_a_sign_of_a_font_of_signs_is_read_as_what_it_shows(tmp_path, font: str, place: str, written: str):
    sign = f"<w:sym w:font='{font}' w:char='{place}'/>"
    text = "<w:t xml:space='preserve'>a </w:t>", "<w:t xml:space='preserve'> b</w:t>"
    path = word_xml(tmp_path / "a.docx", f"<w:p><w:r>{text[0]}{sign}{text[1]}</w:r></w:p>")
    assert read_text(path, "docx") == written
    assert read_positions(path).positions[-1].run_end == len("a  b") + len(
        written.replace("a", "").replace("b", "").strip()
    )


def test_f4_a_file_that_unpacks_to_far_more_is_refused_unopened(tmp_path):
    path = word(tmp_path / "a.docx", handbook)
    repacked(path, {"word/media/image1.bin": b"\0" * (document_archive.RATIO_CHECKED_FROM_BYTES * 2)})
    with pytest.raises(TooLarge):
        document_archive.check_archive(path)


def test_f4_a_file_of_very_many_parts_is_refused(tmp_path):
    path = word(tmp_path / "a.docx", handbook)
    repacked(path, {f"x/{number}": b"" for number in range(document_archive.MAX_FILES)})
    with pytest.raises(TooLarge):
        document_archive.check_archive(path)


def test_f4_entities_are_not_expanded(tmp_path):
    path = word(tmp_path / "a.docx", handbook)
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    document = (
        f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "ha"><!ENTITY f SYSTEM "file:///etc/passwd">{laughs}]>'
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r>'
        "<w:t>seen &l11; &f;</w:t></w:r></w:p></w:body></w:document>"
    )
    repacked(path, {"word/document.xml": document.encode()})
    try:
        text = read_here(path, "docx")[1][0].text
    except UnreadableDocument:
        return
    assert "root:" not in text
    assert len(text) < 100


def test_any_other_zip_is_not_a_document(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.docx", "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(UnsupportedDocument):
        read_here(tmp_path / "a.docx", "docx")


def test_a_broken_zip_is_damaged(tmp_path):
    (tmp_path / "a.docx").write_bytes(b"PK\x03\x04 and nothing more")
    with pytest.raises(DamagedDocument):
        read_here(tmp_path / "a.docx", "docx")


def test_a_broken_part_is_damaged(tmp_path):
    path = repacked(word(tmp_path / "a.docx", handbook), {"word/document.xml": b"<not xml"})
    with pytest.raises(DamagedDocument):
        read_here(path, "docx")


def test_f2_names_inside_the_archive_lead_nowhere(tmp_path):
    (tmp_path / "inner").mkdir()
    path = word(tmp_path / "inner" / "a.docx", handbook)
    repacked(path, {"../escaped.txt": b"x", "/tmp/escaped-from-a-docx.txt": b"x"})
    assert read_here(path, "docx")[1][0].text.startswith("Durability")
    assert [file.name for file in tmp_path.rglob("*") if file.is_file()] == ["a.docx"]


def test_bullets_and_numbers_that_word_draws_stand_before_the_items(tmp_path):
    def build(document) -> None:
        document.add_heading("Giving tablets", level=1)
        for style, texts in (("List Number", ["Read the chart.", "Give the tablet."]), ("List Bullet", ["gloves"])):
            for text in texts:
                document.add_paragraph(text, style=style)
        document.add_paragraph("Sign at once.")

    _, [page] = read_here(word(tmp_path / "a.docx", build), "docx")
    lines = [line for line in page.text.split("\n") if line]
    assert lines == ["Giving tablets", "1. Read the chart.", "2. Give the tablet.", "- gloves", "Sign at once."]


NUMBERING = """<w:numbering xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">
<w:abstractNum w:abstractNumId="7">
<w:lvl w:ilvl="0"><w:start w:val="3"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1)"/></w:lvl>
<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2"/></w:lvl>
</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num></w:numbering>"""


def listed(text: str, level: int, number: int = 1) -> str:
    place = f"<w:numPr><w:ilvl w:val='{level}'/><w:numId w:val='{number}'/></w:numPr>"
    return f"<w:p><w:pPr>{place}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def lines_of_list(path: Path, items: Iterable[str], *, numbering: str = NUMBERING) -> list[str]:
    _, [page] = read_here(word_xml(path / "a.docx", "".join(items), numbering=numbering), "docx")
    return [line for line in page.text.split("\n") if line]


def test_numbers_of_lower_levels_begin_anew_below_each_item(tmp_path):
    places = [("open", 0), ("lid", 1), ("tap", 1), ("fill", 0), ("tank", 1)]
    lines = lines_of_list(tmp_path, [*(listed(*place) for place in places), listed("close", 0, number=0)])
    assert lines == ["3) open", "3.a lid", "3.b tap", "4) fill", "4.a tank", "close"]


def test_lists_of_one_definition_go_on_with_each_others_numbers_unless_they_begin_anew(tmp_path):
    more = """<w:num w:numId="2"><w:abstractNumId w:val="7"/></w:num><w:num w:numId="3"><w:abstractNumId w:val="7"/>
<w:lvlOverride w:ilvl="0"><w:startOverride w:val="8"/></w:lvlOverride></w:num></w:numbering>"""
    numbering = NUMBERING.replace("</w:numbering>", more)
    items = [listed("open", 0), listed("fill", 0, 2), listed("rinse", 0, 3), listed("close", 0, 3)]
    assert lines_of_list(tmp_path, items, numbering=numbering) == ["3) open", "4) fill", "8) rinse", "9) close"]


def test_behind_the_last_letter_letters_come_twice(tmp_path):
    numbering = NUMBERING.replace('"decimal"/><w:lvlText w:val="%1)"', '"lowerLetter"/><w:lvlText w:val="%1)"')
    numbering = numbering.replace('<w:start w:val="3"/>', '<w:start w:val="26"/>')
    items = [listed("lid", 0), listed("tap", 0), listed("tank", 0)]
    assert lines_of_list(tmp_path, items, numbering=numbering) == ["z) lid", "aa) tap", "bb) tank"]
