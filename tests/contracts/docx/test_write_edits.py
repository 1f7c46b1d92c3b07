from __future__ import annotations

import re
import zipfile
from dataclasses import replace
from pathlib import Path

import docx
import pytest
from lxml import etree

from contracts.docx.edits import EditKind, Obstacle, WordSigned, WordTextChanged
from contracts.docx.resolve_revisions import MarkKey, resolve_revisions
from knowledge.readers.docx.names import W
from knowledge.readers.types import DamagedDocument
from tests.contracts.docx.word_edits import (
    body,
    comment,
    commented_texts,
    marks,
    part,
    replacement,
    write_and_prove,
)
from tests.knowledge.readers.made import noted_document, read_text, repacked, word, word_xml
from tests.linear_time import grows_linearly

BY_BOB = "w:author='Bob' w:date='2026-01-01T00:00:00Z'"
OURS = 'w:author="Lexic" w:date="2026-03-04T05:06:07Z"'


def run(text: str, properties: str = "") -> str:
    look = f"<w:rPr>{properties}</w:rPr>" if properties else ""
    return f'<w:r>{look}<w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(*contents: str) -> str:
    return f"<w:p>{''.join(contents)}</w:p>"


def our_marks(path: Path) -> set[MarkKey]:
    found = re.findall(r'<w:(ins|del) w:id="(\d+)" w:author="Lexic"', body(path))
    return {MarkKey(f"{W}{kind}", number) for kind, number in found}


def test_a_replacement_is_a_deletion_of_exactly_these_characters_and_an_insertion(tmp_path):
    path = word_xml(tmp_path / "a.docx", paragraph(run("The term is "), run("five years", "<w:b/>"), run(" long.")))
    written = write_and_prove(path, [replacement(path, "is five", "runs for two")])
    assert body(written.path) == paragraph(
        run("The term "),
        f'<w:del w:id="1" {OURS}>'
        + (run("is ") + run("five", "<w:b/>")).replace("w:t ", "w:delText ").replace("/w:t>", "/w:delText>"),
        f'</w:del><w:ins w:id="2" {OURS}>{run("runs for two")}</w:ins>',
        run(" years", "<w:b/>"),
        run(" long."),
    )
    assert read_text(written.path, "docx") == "The term runs for two years long."


def test_python_docx_reads_the_comment_with_its_author_and_date(tmp_path):
    path = word(tmp_path / "a.docx", lambda document: document.add_paragraph("Liability is unlimited."))
    text = "RED: no cap.\nThe playbook asks for one."
    written = write_and_prove(path, [comment(path, "unlimited", text, "Ada Byron")])
    [found] = docx.Document(str(written.path)).comments
    assert (found.author, found.initials, found.text) == ("Ada Byron", "AB", text)
    assert found.timestamp.isoformat() == "2026-03-04T05:06:07+00:00"
    assert commented_texts(written.path) == {text: "unlimited"}


def test_comments_join_those_of_others(tmp_path):
    def build(document) -> None:
        first = document.add_paragraph("The term is five years.")
        document.add_comment(first.runs, text="Too long?", author="Bob", initials="B")
        document.add_paragraph("Liability is unlimited.")

    path = word(tmp_path / "a.docx", build)
    written = write_and_prove(path, [comment(path, "five years"), comment(path, "unlimited", "No cap.")])
    assert commented_texts(written.path) == {
        "Too long?": "The term is five years.",
        "Look at this.": "five years",
        "No cap.": "unlimited",
    }
    assert [found.author for found in docx.Document(str(written.path)).comments] == ["Bob", "Lexic", "Lexic"]


def test_every_other_part_is_the_same_byte_for_byte(tmp_path):
    path = repacked(
        word(tmp_path / "a.docx", lambda document: document.add_paragraph("Liability is unlimited.")),
        {"word/media/image1.png": b"\x89PNG not really", "customXml/item9.xml": b"<a  b = 'c'/>"},
    )
    written = write_and_prove(path, [comment(path, "unlimited"), replacement(path, "is unlimited", "is capped")])
    with zipfile.ZipFile(path) as before, zipfile.ZipFile(written.path) as after:
        assert after.namelist() == [*before.namelist(), "word/comments.xml"]
        changed = {name for name in before.namelist() if before.read(name) != after.read(name)}
        dates = [(member.filename, member.date_time) for member in before.infolist()]
        assert [(member.filename, member.date_time) for member in after.infolist()][: len(dates)] == dates
    assert changed == {"[Content_Types].xml", "word/_rels/document.xml.rels", "word/document.xml"}


BOBS = f"<w:ins w:id='7' {BY_BOB}>{run('three')}</w:ins>"
CAROLS = "<w:del w:id='8' w:author='Carol' w:date='2026-01-02T00:00:00Z'><w:r><w:delText>five</w:delText></w:r></w:del>"
FIELD = (
    "<w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText>REF x</w:instrText></w:r>"
    f"<w:r><w:fldChar w:fldCharType='separate'/></w:r>{run('three')}<w:r><w:fldChar w:fldCharType='end'/></w:r>"
)
CHANGED_LOOK = run("three", f"<w:b/><w:rPrChange w:id='9' {BY_BOB}><w:rPr/></w:rPrChange>")
NOTE = "<w:r><w:t>three</w:t><w:footnoteReference w:id='2'/></w:r>"


@pytest.mark.parametrize(
    ("middle", "quote", "obstacle"),
    [
        (BOBS, "is three years", Obstacle.REVISION),
        (BOBS, "three", Obstacle.REVISION),
        (BOBS, "hre", Obstacle.REVISION),
        (BOBS, "is ", Obstacle.REVISION),
        (BOBS, " years", Obstacle.REVISION),
        (BOBS, "term is", Obstacle.NONE),
        (BOBS, "years", Obstacle.NONE),
        (CAROLS, "is years", Obstacle.REVISION),
        (CAROLS, "term", Obstacle.NONE),
        (BOBS.replace("w:ins", "w:moveTo"), "three", Obstacle.REVISION),
        (CHANGED_LOOK, "is three", Obstacle.REVISION),
        (FIELD, "three", Obstacle.FIELD),
        (FIELD, "is three years", Obstacle.FIELD),
        (FIELD, " years", Obstacle.FIELD),
        (FIELD, "term is", Obstacle.NONE),
        (f"<w:fldSimple w:instr='PAGE'>{run('three')}</w:fldSimple>", "three", Obstacle.FIELD),
        (f"<w:sdt><w:sdtContent>{run('three')}</w:sdtContent></w:sdt>", "three", Obstacle.FIELD),
        (f"<w:hyperlink w:anchor='x'>{run('three')}</w:hyperlink>", "three", Obstacle.LINK),
        (f"<w:hyperlink w:anchor='x'>{run('three')}</w:hyperlink>", "is ", Obstacle.LINK),
        (f"<w:smartTag w:element='number'>{run('three')}</w:smartTag>", "is three years", Obstacle.NONE),
        (f"<w:smartTag w:element='number'>{run('three')}</w:smartTag>", "hre", Obstacle.NONE),
        (run("secret", "<w:vanish/>"), "is years", Obstacle.HIDDEN),
        (NOTE, "is three years", Obstacle.CONTENT),
        (NOTE, "is", Obstacle.NONE),
        ("<w:r><w:br w:type='page'/></w:r>", "is\nyears", Obstacle.CONTENT),
        ("<w:r><w:br/></w:r>", "is\nyears", Obstacle.NONE),
        ("<w:r><w:tab/></w:r>", "is years", Obstacle.NONE),
        ("<w:bookmarkStart w:id='5' w:name='a'/><w:bookmarkEnd w:id='5'/>", "is years", Obstacle.NONE),
    ],
)
def test_a_replacement_that_touches_more_than_plain_text_is_a_comment(tmp_path, middle, quote, obstacle):
    path = word_xml(tmp_path / "a.docx", paragraph(run("The term is "), middle, run(" years long.")))
    before = marks(path)
    written = write_and_prove(path, [replacement(path, quote, "as agreed")])
    assert written.obstacles == [obstacle]
    ours = [mark for mark in marks(written.path) if mark[1] == "Lexic"]
    assert [mark for mark in marks(written.path) if mark[1] != "Lexic"] == before
    if obstacle:
        [(words, text)] = commented_texts(written.path).items()
        assert words.startswith("Suggested instead: “as agreed”\n(Not written as a tracked change: ")
        assert "".join(quote.split()) in "".join(text.replace("secret", "").split())
        assert ours == []
    else:
        assert [kind for kind, _, _ in ours if kind == "ins"] == ["ins"]
        assert read_text(written.path, "docx").split() == read_text(path, "docx").replace(quote, "as agreed").split()


def test_a_comment_is_put_around_what_may_not_be_cut(tmp_path):
    body = paragraph(
        run("The term is "), BOBS, run(" years long."), f"<w:hyperlink w:anchor='x'>{run('See it')}</w:hyperlink>"
    )
    path = word_xml(tmp_path / "a.docx", body)
    written = write_and_prove(path, [comment(path, "hree ye", "One."), comment(path, "See", "Two.")])
    assert commented_texts(written.path) == {"One.": "three ye", "Two.": "See it"}


def test_spans_over_paragraphs_and_cells_are_commented_from_the_first_to_the_last(tmp_path):
    def build(document) -> None:
        document.add_paragraph("Each party shall:")
        document.add_paragraph("keep it secret.")
        table = document.add_table(rows=3, cols=2)
        for row, texts in zip(table.rows, [("Service", "Fee"), ("Setup", "10"), ("Support", "20")], strict=True):
            row.cells[0].text, row.cells[1].text = texts

    path = word(tmp_path / "a.docx", build)
    quotes = ["party shall:\n\nkeep it", "Service: Support | Fee: 20", "Service: Setup"]
    written = write_and_prove(path, [comment(path, quote, quote) for quote in quotes])
    assert list(commented_texts(written.path).values()) == ["party shall:keep it", "Support20", "Setup"]


def test_cells_are_replaced_where_no_other_cell_depends_on_them(tmp_path):
    def build(document) -> None:
        table = document.add_table(rows=4, cols=2)
        rows = [("Service", "Fee"), ("Setup", "ten"), ("Support", "twenty"), ("", "thirty")]
        for row, texts in zip(table.rows, rows, strict=True):
            row.cells[0].text, row.cells[1].text = texts
        table.cell(2, 0).merge(table.cell(3, 0))

    path = word(tmp_path / "a.docx", build)
    quotes = {"Service | Fee": "table", "ten": "table", "twenty": "", "Support": "table", "Fee: thirty": "table"}
    edits = [replacement(path, quote, "as agreed") for quote in quotes]
    written = write_and_prove(path, edits)
    assert written.obstacles == list(quotes.values())
    assert "Service: Support | Fee: as agreed" in read_text(written.path, "docx")


def test_a_tracked_row_a_locked_control_and_a_text_box_are_left_alone(tmp_path):
    tracked = f"<w:trPr><w:ins w:id='4' {BY_BOB}/></w:trPr>"
    rows = "".join(
        f"<w:tr>{tracked if text == 'rowed' else ''}<w:tc>{paragraph(run(text))}</w:tc></w:tr>"
        for text in ("one", "two", "rowed")
    )
    control = "<w:sdt><w:sdtPr>{}</w:sdtPr><w:sdtContent>{}</w:sdtContent></w:sdt>"
    locked = control.format("<w:lock w:val='contentLocked'/>", paragraph(run("locked")))
    free = control.format("", paragraph(run("free")))
    box = f"<w:p><w:r><w:pict><w:txbxContent>{paragraph(run('boxed'))}</w:txbxContent></w:pict></w:r></w:p>"
    path = word_xml(tmp_path / "a.docx", f"<w:tbl>{rows}</w:tbl>{locked}{free}{box}")
    quotes = {"rowed": "revision", "locked": "field", "free": "", "boxed": "content"}
    written = write_and_prove(path, [replacement(path, quote, "new") for quote in quotes])
    assert written.obstacles == list(quotes.values())
    assert "<w:txbxContent><w:p><w:r><w:t" in body(written.path).replace("<w:p><w:commentRangeStart", "")


def test_of_two_replacements_of_the_same_words_the_second_is_a_comment(tmp_path):
    path = word(tmp_path / "a.docx", lambda document: document.add_paragraph("The term is five years long."))
    edits = [replacement(path, "five years", "two years"), replacement(path, "is five", "runs for")]
    edits += [replacement(path, "years long", "weeks"), comment(path, "five", "Why?")]
    written = write_and_prove(path, edits)
    assert written.obstacles == [Obstacle.OVERLAP, Obstacle.NONE, Obstacle.NONE, Obstacle.NONE]
    assert read_text(written.path, "docx") == "The term runs for weeks."


def test_an_empty_replacement_only_deletes_and_lines_become_breaks(tmp_path):
    path = word(tmp_path / "a.docx", lambda document: document.add_paragraph("One two three four."))
    written = write_and_prove(path, [replacement(path, " two", ""), replacement(path, "four", "4:\n\n\tfive\f\x07")])
    assert read_text(written.path, "docx") == "One three 4:\nfive\n."
    assert "<w:br/><w:tab/>" in body(written.path)


def test_breaks_at_the_ends_of_a_span_stay(tmp_path):
    def build(document) -> None:
        for text in ("One.", "Two.", "Three."):
            document.add_paragraph(text)

    path = word(tmp_path / "a.docx", build)
    edits = [replacement(path, "\n\nTwo.\n\n", "2."), replacement(path, "\n\n", "x")]
    written = write_and_prove(path, edits)
    assert written.obstacles == [Obstacle.NONE, Obstacle.PARAGRAPHS]
    assert read_text(written.path, "docx") == "One.\n\n2.\n\nThree."


def test_paragraphs_are_joined_where_a_replacement_goes_over_them(tmp_path):
    centred = "<w:pPr><w:jc w:val='both'/><w:rPr><w:b/></w:rPr></w:pPr>"
    looks = "<w:pPr><w:pStyle w:val='Heading1'/></w:pPr>", "", centred, ""
    texts = "7 Term", " ", "It is five years. ", "It ends then."
    body_xml = "".join(paragraph(look, run(text)) for look, text in zip(looks, texts, strict=True))
    path = word_xml(tmp_path / "a.docx", body_xml)
    edit = replacement(path, "Term\n\nIt is five years.\n\nIt", "Term. It runs two years, and")
    written = write_and_prove(path, [edit])
    assert written.obstacles == [Obstacle.NONE]
    assert len(re.findall(rf'<w:pPr>.{{0,40}}<w:rPr><w:del w:id="\d" {OURS}/>', body(written.path))) == 3
    accepted = resolve_revisions(etree.fromstring(part(written.path).encode()), our_marks(written.path), accept=True)
    repacked(written.path, {"word/document.xml": etree.tostring(accepted)})
    assert read_text(written.path, "docx") == "7 Term. It runs two years, and ends then."


@pytest.mark.parametrize(
    ("first", "between", "obstacle"),
    [
        (f"<w:pPr><w:rPr><w:ins w:id='5' {BY_BOB}/></w:rPr></w:pPr>", "", Obstacle.REVISION),
        (f"<w:pPr><w:pPrChange w:id='5' {BY_BOB}><w:pPr/></w:pPrChange></w:pPr>", "", Obstacle.REVISION),
        ("<w:pPr><w:sectPr/></w:pPr>", "", Obstacle.PARAGRAPHS),
        ("", "<w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>", Obstacle.PARAGRAPHS),
        ("", f"<w:p><w:del w:id='6' {BY_BOB}><w:r><w:delText>x</w:delText></w:r></w:del></w:p>", Obstacle.REVISION),
        ("", "<w:p><w:r><w:drawing/></w:r></w:p>", Obstacle.CONTENT),
        ("", paragraph(run("hidden", "<w:vanish/>")), Obstacle.HIDDEN),
        ("", "<w:p/><w:bookmarkStart w:id='5' w:name='a'/>", Obstacle.NONE),
    ],
)
def test_paragraphs_are_not_joined_over_what_is_more_than_text(tmp_path, first, between, obstacle):
    path = word_xml(tmp_path / "a.docx", paragraph(first, run("One two.")) + between + paragraph(run("Three four.")))
    separator = read_text(path, "docx").removeprefix("One two.").removesuffix("Three four.")
    written = write_and_prove(path, [replacement(path, f"two.{separator}Three", "2")])
    assert written.obstacles == [obstacle]


def test_white_space_that_the_reader_shortens_goes_as_a_whole(tmp_path):
    path = word_xml(tmp_path / "a.docx", paragraph(run("One  "), run("  two "), run(" three")))
    written = write_and_prove(path, [replacement(path, " two ", "-")])
    assert read_text(written.path, "docx") == "One-three"


def test_numbers_of_marks_are_not_those_of_others(tmp_path):
    marked = paragraph(
        f"<w:bookmarkStart w:id='1' w:name='a'/>{run('The term')}<w:bookmarkEnd w:id='1'/>", BOBS, run("x y")
    )
    path = word_xml(
        tmp_path / "a.docx",
        marked,
        footnotes="<w:footnotes xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'>"
        "<w:footnote w:id='2'/></w:footnotes>",
    )
    written = write_and_prove(path, [replacement(path, "y", "z"), comment(path, "term")])
    numbers = re.findall(r'<w:(ins|del|commentRangeStart) w:id="(\d+)"', body(written.path))
    assert sorted(numbers) == [("commentRangeStart", "3"), ("del", "4"), ("ins", "5"), ("ins", "7")]


def test_text_without_its_mark_for_white_space_is_not_cut(tmp_path):
    path = word_xml(tmp_path / "a.docx", paragraph("<w:r><w:t> padded text </w:t></w:r>", run("more")))
    written = write_and_prove(path, [replacement(path, "padded", "bare"), comment(path, "text", "Here.")])
    assert written.obstacles == [Obstacle.CONTENT, Obstacle.NONE]
    assert "<w:t> padded text </w:t>" in body(written.path)


def test_a_quotation_that_is_not_there_is_refused(tmp_path):
    path = word(tmp_path / "a.docx", lambda document: document.add_paragraph("Liability is unlimited."))
    edit = comment(path, "Liability")
    with pytest.raises(WordTextChanged):
        write_and_prove(path, [replace(edit, quote="liability")])


def test_a_signed_file_is_refused(tmp_path):
    path = word(tmp_path / "a.docx", lambda document: document.add_paragraph("Liability is unlimited."))
    edits = [comment(path, "Liability")]
    repacked(path, {"_xmlsignatures/sig1.xml": b"<Signature/>"})
    with pytest.raises(WordSigned):
        write_and_prove(path, edits)


def test_f4_a_document_type_is_refused(tmp_path):
    path = word_xml(tmp_path / "a.docx", paragraph(run("Liability is unlimited.")))
    edits = [comment(path, "Liability")]
    declared = part(path).replace("<w:document", '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><w:document', 1)
    repacked(path, {"word/document.xml": declared.encode()})
    with pytest.raises(DamagedDocument):
        write_and_prove(path, edits)


def test_f2_two_parts_of_one_name_are_refused(tmp_path):
    path = word(tmp_path / "a.docx", lambda document: document.add_paragraph("Liability is unlimited."))
    edits = [comment(path, "Liability")]
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("word/document.xml", archive.read("word/document.xml"))
    with pytest.raises(DamagedDocument):
        write_and_prove(path, edits)


def test_the_time_grows_with_the_length_of_a_change(tmp_path):
    def change_all(text: str) -> None:
        words = text.split()
        path = word_xml(tmp_path / "a.docx", "".join(paragraph(run(word)) for word in words))
        page = read_text(path, "docx")
        edit = comment(path, page[:-1])
        written = write_and_prove(path, [replace(edit, kind=EditKind.REPLACEMENT, text="new")])
        assert written.obstacles == [Obstacle.NONE]

    assert grows_linearly(change_all, "word ")


def test_a_note_is_commented_where_it_is_referred_to_and_never_changed(tmp_path):
    path = noted_document(tmp_path / "a.docx")
    note = "Unless either party ends it."
    written = write_and_prove(path, [comment(path, note), replacement(path, note, "Unless both parties end it.")])
    assert written.obstacles == [Obstacle.NONE, Obstacle.NOTE]
    commented = commented_texts(written.path)
    assert set(commented.values()) == {"The term is three years."}
    assert any("stands in a note, a header or a footer" in words for words in commented)
    assert part(written.path, "word/footnotes77.xml") == part(path, "word/footnotes77.xml")
    assert read_text(written.path, "docx") == read_text(path, "docx")


CLAUSES = ["The term is five years.", "The fee is 10 EUR.", "The law is that of Kent."]


def numbered_contract(path: Path) -> Path:
    def build(document) -> None:
        for clause in CLAUSES:
            document.add_paragraph(clause, style="List Number")

    return word(path, build)


@pytest.mark.parametrize(
    ("quote", "text", "left"),
    [
        ("1. The term is five years.", "It is two years.", ["1. It is two years.", f"2. {CLAUSES[1]}"]),
        ("2. The fee is 10 EUR.", "", [f"1. {CLAUSES[0]}"]),
        ("The fee is 10 EUR.", "", [f"1. {CLAUSES[0]}"]),
        ("1. The term is five years.\n\n2. The fee is 10 EUR.", "No fee.", ["1. No fee."]),
    ],
)
def test_the_numbers_that_word_draws_do_not_stand_in_the_way_of_a_tracked_change(tmp_path, quote, text, left):
    path = numbered_contract(tmp_path / "a.docx")
    written = write_and_prove(path, [replacement(path, quote, text), comment(path, CLAUSES[2])])
    assert written.obstacles == [Obstacle.NONE, Obstacle.NONE]
    lines = [line for line in read_text(written.path, "docx").split("\n") if line]
    assert lines == [*left, f"{len(left) + 1}. {CLAUSES[2]}"]


def test_a_review_of_a_text_without_the_marks_of_lists_can_still_be_written(tmp_path):
    path = numbered_contract(tmp_path / "a.docx")
    page, quote = "\n\n".join(CLAUSES), "The fee is 10 EUR."
    start = page.index(quote)
    edit = replace(replacement(path, quote, "There is no fee."), start=start, end=start + len(quote))
    written = write_and_prove(path, [edit])
    assert written.obstacles == [Obstacle.NONE]
    assert "2. There is no fee." in read_text(written.path, "docx")
