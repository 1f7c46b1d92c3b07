from __future__ import annotations

import pytest

from contracts.docx import annotate
from contracts.docx.annotate import annotate_word_file
from contracts.docx.edits import Obstacle, WordNotProven, WordTextChanged
from knowledge.readers.isolation.confined_call import confined_call
from knowledge.readers.types import DamagedDocument, Limits, TooLarge, UnreadableDocument
from tests.contracts.docx.word_edits import comment, commented_texts, replacement
from tests.knowledge.readers.made import read_text, repacked, word


@pytest.fixture
def contract(tmp_path):
    def build(document) -> None:
        document.add_paragraph("The term is five years.")
        document.add_paragraph("Liability is unlimited.")

    return word(tmp_path / "a.docx", build)


def test_the_confined_children_write_and_prove_the_file(contract, tmp_path):
    edits = [replacement(contract, "five", "two"), comment(contract, "unlimited", "No cap: “ä”.")]
    made = annotate_word_file(contract, edits)
    (tmp_path / "made.docx").write_bytes(made.content)
    assert made.obstacles == (Obstacle.NONE, Obstacle.NONE)
    assert read_text(tmp_path / "made.docx", "docx").startswith("The term is two years.")
    assert commented_texts(tmp_path / "made.docx") == {"No cap: “ä”.": "unlimited"}


def test_without_edits_the_file_comes_back_as_it_was(contract, tmp_path):
    (tmp_path / "made.docx").write_bytes(annotate_word_file(contract, []).content)
    assert read_text(tmp_path / "made.docx", "docx") == read_text(contract, "docx")


def test_a_file_that_no_longer_says_the_quotation_is_refused(contract):
    edits = [comment(contract, "unlimited")]
    word(contract, lambda document: document.add_paragraph("Something else entirely, and long enough for the span."))
    with pytest.raises(WordTextChanged):
        annotate_word_file(contract, edits)


def test_a_writer_that_was_taken_over_delivers_nothing(contract, monkeypatch):
    """Whatever comes from the child that parses the file, the other child has to prove it."""

    def taken_over(function, path, **options):
        if function.endswith(":check"):
            return confined_call(function, path, **options)
        return iter([["", ""], "UEsDBAoAAAAA"])

    monkeypatch.setattr(annotate, "confined_call", taken_over)
    with pytest.raises(WordNotProven) as refused:
        annotate_word_file(contract, [comment(contract, "unlimited"), comment(contract, "term")])
    assert refused.value.hint == WordNotProven.hint


@pytest.mark.parametrize("answers", [[], [["nothing"]], [["", ""], "not base64!"], [[""]], [3]])
def test_answers_of_a_child_are_checked(contract, monkeypatch, answers):
    monkeypatch.setattr(annotate, "confined_call", lambda *_args, **_options: iter(answers))
    with pytest.raises(DamagedDocument):
        annotate_word_file(contract, [comment(contract, "unlimited"), comment(contract, "term")])


def test_f4_a_bomb_is_refused(contract):
    edits = [comment(contract, "unlimited")]
    with pytest.raises(TooLarge):
        annotate_word_file(repacked(contract, {"word/media/x.bin": b"\0" * 30_000_000}), edits)


def test_memory_is_limited(contract):
    edits = [comment(contract, "unlimited")]
    with pytest.raises(UnreadableDocument):
        annotate_word_file(contract, edits, limits=Limits(memory_bytes=40 << 20))
