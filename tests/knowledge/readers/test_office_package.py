from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest

from knowledge.readers.docx.run_positions import read_positions
from knowledge.readers.types import UnsupportedDocument
from tests.knowledge.readers.made import read_here, read_text, repacked, word
from tests.knowledge.readers.test_pptx import cover, slides
from tests.knowledge.readers.test_sheets import prices, workbook

_USUAL_NAMES = re.compile(
    rb"http://schemas\.openxmlformats\.org/(officeDocument|wordprocessingml|spreadsheetml|presentationml|drawingml)/2006/"
)


def strict(path: Path) -> Path:
    """The file as Office saves it where “Strict Open XML” is chosen: with other names for everything."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    return repacked(path, {name: _USUAL_NAMES.sub(rb"http://purl.oclc.org/ooxml/\1/", parts[name]) for name in parts})


def test_files_of_the_strict_kind_are_read_like_others(tmp_path):
    letter = word(tmp_path / "a.docx", lambda document: document.add_heading("Nominal cover"))
    deck, book = slides(tmp_path / "a.pptx", cover), workbook(tmp_path / "a.xlsx", prices)
    for path, source_type in ((letter, "docx"), (deck, "pptx"), (book, "xlsx")):
        usual = read_here(path, source_type)
        assert read_here(strict(path), source_type) == usual


def test_a_document_of_the_strict_kind_says_that_it_is_not_written_in(tmp_path):
    path = strict(word(tmp_path / "a.docx", lambda document: document.add_paragraph("Cover")))
    assert read_text(path, "docx") == "Cover"
    with pytest.raises(UnsupportedDocument, match="Strict"):
        read_positions(path)


def test_faults_of_a_workbooks_looks_do_not_cost_its_cells_nor_the_formats_of_its_numbers(tmp_path):
    path = workbook(tmp_path / "a.xlsx", prices)
    usual = read_here(path, "xlsx")
    with zipfile.ZipFile(path) as archive:
        styles = re.sub(rb"(<fills[^>]*>)", rb"\1<fill/>", archive.read("xl/styles.xml"))
    assert read_here(repacked(path, {"xl/styles.xml": styles}), "xlsx") == usual
