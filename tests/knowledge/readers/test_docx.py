from __future__ import annotations

import re
import zipfile

import pytest

from knowledge.readers import docx as docx_reader
from knowledge.readers.types import DamagedDocument, TooLarge, UnreadableDocument, UnsupportedDocument
from tests.knowledge.readers.made import read_here, repacked, word


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


def test_merged_cells_read_as_they_look(tmp_path):
    def build(document) -> None:
        table = document.add_table(rows=3, cols=2)
        texts = [("Member", "Cover"), ("Beam", "30 mm"), ("", "45 mm")]
        for row, (left, right) in zip(table.rows, texts, strict=True):
            row.cells[0].text, row.cells[1].text = left, right
        table.cell(1, 0).merge(table.cell(2, 0))

    lines = read_here(word(tmp_path / "a.docx", build), "docx")[1][0].text.split("\n")
    assert lines[1:] == ["Member: Beam | Cover: 30 mm", "Member: Beam | Cover: 45 mm"]


def test_f4_a_file_that_unpacks_to_far_more_is_refused_unopened(tmp_path):
    path = word(tmp_path / "a.docx", handbook)
    repacked(path, {"word/media/image1.bin": b"\0" * (docx_reader._RATIO_CHECKED_FROM_BYTES * 2)})
    with pytest.raises(TooLarge):
        docx_reader.check_archive(path)


def test_f4_a_file_of_very_many_parts_is_refused(tmp_path):
    path = word(tmp_path / "a.docx", handbook)
    repacked(path, {f"x/{number}": b"" for number in range(docx_reader.MAX_FILES)})
    with pytest.raises(TooLarge):
        docx_reader.check_archive(path)


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
