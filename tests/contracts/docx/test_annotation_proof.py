from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from contracts.docx.annotation_proof import prove
from contracts.docx.edits import Edit, WordNotProven
from contracts.docx.write_edits import write_edits
from tests.contracts.docx.word_edits import comment, part, replacement
from tests.knowledge.readers.made import repacked, word

BOBS = "<w:ins w:id='70' w:author='Bob' w:date='2026-01-01T00:00:00Z'><w:r><w:t>hereby </w:t></w:r></w:ins>"
SEEN = '<w:r><w:t xml:space="preserve">'
HIDDEN = '<w:r><w:rPr><w:vanish/></w:rPr><w:t xml:space="preserve">'


@pytest.fixture
def contract(tmp_path) -> Path:
    """A contract with an insertion and a comment of Bob."""

    def build(document) -> None:
        first = document.add_paragraph("The parties agree as follows.")
        document.add_comment(first.runs, text="Who are they?", author="Bob", initials="B")
        document.add_paragraph("The term is five years.")
        document.add_paragraph("Liability is unlimited.")

    path = word(tmp_path / "contract.docx", build)
    return repacked(
        path, {"word/document.xml": part(path).replace("<w:r><w:t>The term", f"{BOBS}<w:r><w:t>The term").encode()}
    )


@pytest.fixture
def edits(contract) -> list[Edit]:
    return [replacement(contract, "five years", "two years"), comment(contract, "unlimited", "No cap.")]


@pytest.fixture
def produced(contract, edits, tmp_path) -> Path:
    path = tmp_path / "produced.docx"
    path.write_bytes(write_edits(contract, edits)[0])
    return path


def test_what_was_written_is_proven(contract, edits, produced):
    prove(contract, produced, edits)


def in_document(old: str, new: str) -> Callable[[Path], object]:
    def tamper(path: Path) -> None:
        changed = part(path).replace(old, new, 1)
        assert changed != part(path)
        repacked(path, {"word/document.xml": changed.encode()})

    return tamper


def in_part(name: str, old: str, new: str) -> Callable[[Path], object]:
    def tamper(path: Path) -> None:
        changed = part(path, name).replace(old, new, 1)
        assert changed != part(path, name)
        repacked(path, {name: changed.encode()})

    return tamper


@pytest.mark.parametrize(
    ("tamper", "reason"),
    [
        (in_document("parties agree", "parties disagree"), "rejecting"),
        (in_document(">five years<", ">five year<"), "rejecting"),
        (in_document(">two years<", ">ten years<"), "accepting"),
        (in_document("hereby ", "never "), "others changed"),
        (in_document('w:author="Bob"', 'w:author="Lexic"'), "others changed"),
        (in_document('w:id="70"', 'w:id="71"'), "others changed"),
        (in_document('w:author="Lexic"', 'w:author="Bob"'), "another author"),
        (in_document("2026-03-04T05:06:07Z", "2020-03-04T05:06:07Z"), "another author or date"),
        (in_document("<w:p><w:ins", "<w:p><w:pPr><w:jc w:val='center'/></w:pPr><w:ins"), "rejecting"),
        (in_document(">two years</w:t>", ">two years</w:t><w:drawing/>"), "more than text"),
        (
            in_document(SEEN + "two", HIDDEN + "two"),
            "more than text",
        ),
        (in_document('<w:commentRangeEnd w:id="1"/>', ""), "anchored"),
        (
            in_document('<w:r><w:t xml:space="preserve">Liability', HIDDEN + "Liability"),
            "rejecting",
        ),
        (in_part("word/comments.xml", "Who are they?", "Who?"), "comments of others"),
        (in_part("word/comments.xml", "No cap.", "Fine."), "do not say"),
        (in_part("word/styles.xml", "<w:styles ", "<w:styles a='b' "), "other parts"),
        (in_part("word/_rels/document.xml.rels", "theme/theme1.xml", "theme/theme2.xml"), "lists of parts"),
        (
            in_part(
                "word/_rels/document.xml.rels",
                "</Relationships>",
                '<Relationship Id="x" Type="t" Target="http://evil.example/" TargetMode="External"/></Relationships>',
            ),
            "none of comments",
        ),
        (lambda path: repacked(path, {"word/vbaProject.bin": b"x"}), "other parts"),
    ],
)
def test_a_file_that_changes_anything_else_is_refused(contract, edits, produced, tamper, reason):
    tamper(produced)
    with pytest.raises(WordNotProven) as refused:
        prove(contract, produced, edits)
    assert reason in refused.value.message
    assert refused.value.hint


def test_an_edit_that_was_left_out_is_noticed(contract, edits, produced):
    for left_out in edits:
        with pytest.raises(WordNotProven):
            prove(contract, produced, [edit for edit in edits if edit is not left_out])
