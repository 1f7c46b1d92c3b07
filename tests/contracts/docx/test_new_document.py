from __future__ import annotations

import io
from datetime import UTC, datetime

import docx
import pytest

from contracts.docx.new_document import (
    HeadingBlock,
    NewDocument,
    ParagraphBlock,
    QuotationBlock,
    TableBlock,
    make_word_file,
)
from tests.knowledge.readers.made import read_here

CONTENT = NewDocument(
    title="Review of the supply agreement",
    original="supply.pdf",
    date=datetime(2026, 3, 4, 5, 6, tzinfo=UTC),
    blocks=[
        HeadingBlock(text="Liability"),
        ParagraphBlock(label="RED.", text="The contract has no cap.\x00\f"),
        QuotationBlock(text="Liability is <unlimited> & joint.", source="page 4"),
        TableBlock(header=["Position", "Class"], rows=[["Liability cap", "RED"], ["Term", "GREEN"]]),
        HeadingBlock(text="Deep", level=40),
    ],
)


def test_the_file_says_that_it_is_new_and_all_that_it_was_given(tmp_path):
    path = tmp_path / "report.docx"
    path.write_bytes(make_word_file(CONTENT))
    header, [page] = read_here(path, "docx")
    assert header.title == "Review of the supply agreement"
    assert page.text.split("\n\n") == [
        "Review of the supply agreement",
        "This is a new document, made by Lexic on 4 March 2026. It is not a marked copy of “supply.pdf”, which is no "
        "Word file and was not changed.",
        "Liability",
        "RED. The contract has no cap.",
        "“Liability is <unlimited> & joint.” (page 4)",
        "Position | Class\nPosition: Liability cap | Class: RED\nPosition: Term | Class: GREEN",
        "Deep",
    ]
    assert [(heading.level, heading.title) for heading in page.headings] == [
        (1, "Review of the supply agreement"),
        (1, "Liability"),
        (6, "Deep"),
    ]


def test_its_properties_name_nobody_and_no_other_time():
    properties = docx.Document(io.BytesIO(make_word_file(CONTENT))).core_properties
    assert (properties.author, properties.last_modified_by, properties.comments) == ("Lexic", "Lexic", "")
    assert properties.created == properties.modified == datetime(2026, 3, 4, 5, 6, tzinfo=UTC)


def test_a_row_with_too_few_cells_is_refused():
    with pytest.raises(ValueError, match="a cell for each header"):
        TableBlock(header=["Position", "Class"], rows=[["Liability cap"]])
