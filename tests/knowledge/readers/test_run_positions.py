from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from knowledge.readers.docx.names import W
from knowledge.readers.docx.run_positions import PagePositions, read_positions
from knowledge.readers.types import UnreadableDocument
from tests.knowledge.readers.made import read_text, word, word_xml

ONE_CHARACTER = {f"{W}tab": " ", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-"}


def run_texts(path: Path) -> list[str]:
    """The text of every run of the document, deleted text left out, read without the reader."""
    with zipfile.ZipFile(path) as archive:
        root = etree.fromstring(archive.read("word/document.xml"))
    return [
        "".join(node.text or "" if node.tag == f"{W}t" else ONE_CHARACTER.get(node.tag, "") for node in run)
        for run in root.iter(f"{W}r")
    ]


def texts_at(path: Path, found: PagePositions) -> list[tuple[str, str]]:
    """The text of each position: on the page, and in its run."""
    runs = run_texts(path)
    return [(found.text[at.start : at.end], runs[at.run][at.run_start : at.run_end]) for at in found.positions]


def test_every_word_of_the_page_is_found_in_its_run(tmp_path):
    path = word_xml(
        tmp_path / "a.docx",
        "<w:p><w:r><w:t xml:space='preserve'>The  term </w:t></w:r><w:r><w:t>is</w:t><w:tab/><w:t>five</w:t></w:r>"
        "<w:r><w:t xml:space='preserve'> years</w:t><w:br/><w:t>long</w:t></w:r></w:p>"
        "<w:p><w:r><w:t>non</w:t><w:noBreakHyphen/><w:t>exclusive</w:t></w:r></w:p>",
    )
    found = read_positions(path)
    assert found.part == "word/document.xml"
    assert found.text == read_text(path, "docx") == "The term is five years\nlong\n\nnon-exclusive"
    assert texts_at(path, found) == [
        ("The", "The"),
        (" ", "  "),
        ("term ", "term "),
        ("is five", "is five"),
        (" years\nlong", " years\nlong"),
        ("non-exclusive", "non-exclusive"),
    ]
    assert [(at.paragraph, at.run) for at in found.positions] == [(0, 0), (0, 0), (0, 0), (0, 1), (0, 2), (1, 3)]


def test_a_white_space_over_two_runs_has_a_position_in_each(tmp_path):
    path = word_xml(tmp_path / "a.docx", "<w:p><w:r><w:t>a </w:t></w:r><w:r><w:t> b</w:t></w:r></w:p>")
    assert [tuple(at) for at in read_positions(path).positions] == [
        (0, 2, 0, 0, 0, 2),
        (1, 3, 0, 1, 0, 2),
    ]


def test_labels_have_no_position_and_repeated_cells_that_of_the_first(tmp_path):
    def build(document) -> None:
        table = document.add_table(rows=3, cols=2)
        texts = [("Member", "Cover"), ("Beam", "30 mm"), ("", "45 mm")]
        for row, (left, right) in zip(table.rows, texts, strict=True):
            row.cells[0].text, row.cells[1].text = left, right
        table.cell(1, 0).merge(table.cell(2, 0))

    path = word(tmp_path / "a.docx", build)
    found = read_positions(path)
    assert found.text.split("\n")[2] == "Member: Beam | Cover: 45 mm"
    assert [text for text, _ in texts_at(path, found)] == ["Member", "Cover", "Beam", "30 mm", "Beam", "45 mm"]
    assert all(on_page == in_run for on_page, in_run in texts_at(path, found))
    beams = [at.run for at in found.positions if found.text[at.start : at.end] == "Beam"]
    assert beams[0] == beams[1]


def test_what_nobody_sees_has_no_position(tmp_path):
    path = word_xml(
        tmp_path / "a.docx",
        "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>"
        "<w:del w:id='1'><w:r><w:delText>deleted</w:delText></w:r></w:del>"
        "<w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText>REF x</w:instrText></w:r>"
        "<w:r><w:fldChar w:fldCharType='separate'/></w:r><w:r><w:t>9.1</w:t></w:r>"
        "<w:r><w:fldChar w:fldCharType='end'/></w:r>"
        "<w:ins w:id='2'><w:r><w:t>inserted</w:t></w:r></w:ins></w:p>",
    )
    found = read_positions(path)
    assert texts_at(path, found) == [("9.1", "9.1"), ("inserted", "inserted")]


def test_characters_that_the_reader_drops_are_counted_in_the_run(tmp_path):
    path = word_xml(tmp_path / "a.docx", "<w:p><w:r><w:t>a\ufeffb\U000e0041c</w:t></w:r></w:p>")
    found = read_positions(path)
    assert found.text == "abc"
    assert [(at.run_start, at.run_end) for at in found.positions] == [(0, 1), (2, 3), (4, 5)]


PIECES = st.lists(
    st.one_of(
        st.text(st.sampled_from("ab \n\t\xa0\ufeffé|:"), max_size=6).map(
            lambda text: f"<w:t xml:space='preserve'>{text}</w:t>"
        ),
        st.sampled_from(["<w:tab/>", "<w:br/>", "<w:noBreakHyphen/>", "<w:softHyphen/>", "<w:delText>x</w:delText>"]),
    ),
    max_size=4,
)
RUNS = st.builds(
    lambda pieces, hidden: f"<w:r>{'<w:rPr><w:vanish/></w:rPr>' if hidden else ''}{''.join(pieces)}</w:r>",
    PIECES,
    st.sampled_from([False, False, True]),
)
PARAGRAPHS = st.lists(RUNS, max_size=5).map(lambda runs: f"<w:p>{''.join(runs)}</w:p>")
CELLS = st.lists(PARAGRAPHS, min_size=1, max_size=2).map(lambda texts: f"<w:tc>{''.join(texts)}</w:tc>")
ROWS = st.lists(CELLS, min_size=2, max_size=2).map(lambda cells: f"<w:tr>{''.join(cells)}</w:tr>")
TABLES = st.lists(ROWS, min_size=1, max_size=3).map(lambda rows: f"<w:tbl>{''.join(rows)}</w:tbl>")


@settings(max_examples=60)
@given(blocks=st.lists(st.one_of(PARAGRAPHS, TABLES), max_size=5))
def test_every_visible_character_stands_where_its_position_says(tmp_path_factory, blocks):
    path = word_xml(
        tmp_path_factory.mktemp("word") / "a.docx",
        "<w:p><w:r><w:t>Begin.</w:t></w:r></w:p>" + "".join(blocks),
    )
    found = read_positions(path)
    assert found.text == read_text(path, "docx")
    for on_page, in_run in texts_at(path, found):
        in_run = in_run.replace("\ufeff", "")
        assert on_page.split() == in_run.split()
        assert len(on_page) == len(in_run) or on_page.isspace()
    mapped = {offset for at in found.positions for offset in range(at.start, at.end)}
    unmapped = "".join(character for offset, character in enumerate(found.text) if offset not in mapped)
    # Without a table, only the breaks between lines stand in no run.
    assert any("<w:tbl>" in block for block in blocks) or not unmapped.strip()


def test_a_damaged_part_is_refused(tmp_path):
    path = word_xml(tmp_path / "a.docx", "<w:p>")
    with pytest.raises(UnreadableDocument):
        read_positions(path)


def test_paragraphs_of_a_text_box_stand_apart_and_are_found_in_their_runs(tmp_path):
    lines = "".join(f"<w:p><w:r><w:t>{word}</w:t></w:r></w:p>" for word in ("Datum", "plane"))
    box = f"<w:r><w:pict><w:txbxContent>{lines}</w:txbxContent></w:pict></w:r>"
    path = word_xml(tmp_path / "a.docx", f"<w:p><w:r><w:t>Before</w:t></w:r>{box}<w:r><w:t>after</w:t></w:r></w:p>")
    found = read_positions(path)
    assert found.text == read_text(path, "docx") == "Before Datum plane after"
    assert texts_at(path, found) == [(word, word) for word in ("Before", "Datum", "plane", "after")]
