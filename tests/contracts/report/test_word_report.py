"""A review as a Word file: who finds what in it, for a Word original and for another one."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path

import docx
import pytest

from accounts.models import User
from contracts.docx.edits import WordTextChanged
from contracts.models import ContractReview, Finding, Verdict
from contracts.report import word_report as word_report_module
from contracts.report.report_formats import ReviewNotDone, write_report
from contracts.report.word_report import WordExportBusy, word_report
from contracts.review.run_review import run_review
from contracts.review.start_review import start_review
from knowledge.documents import file_store
from knowledge.documents.file_store import SourceFileMissing
from knowledge.documents.lifecycle import add_file
from knowledge.ingest import ingest
from knowledge.models import BaseKind, Document, KnowledgeBase
from tests.contracts.documents import NDA
from tests.contracts.docx.word_edits import commented_texts, marks, part
from tests.knowledge.readers.made import read_here, read_text, repacked, word
from tests.remembered import remembered
from tests.request_slot import held_request_slot
from tests.stored_files import stored_path

pytestmark = pytest.mark.django_db
BOBS = "<w:ins w:id='70' w:author='Bob' w:date='2026-01-01T00:00:00Z'><w:r><w:t>always </w:t></w:r></w:ins>"


def word_contract(folder: Path) -> Path:
    """The agreement as a Word file, with a tracked insertion of Bob."""

    def build(document) -> None:
        for block in NDA.split("\n\n"):
            if block.startswith("#"):
                document.add_heading(block.lstrip("# \n").strip(), level=1 if block.startswith("# ") else 2)
            else:
                document.add_paragraph(block.strip())

    path = word(folder / "nda.docx", build)
    old = "<w:r><w:t>On request the Receiving Party shall"
    revised = part(path).replace(old, f"{BOBS}{old}")
    assert BOBS in revised
    return repacked(path, {"word/document.xml": revised.encode()})


@pytest.fixture
@remembered
def word_review(alice: User, tmp_path_factory: pytest.TempPathFactory) -> ContractReview:
    base = KnowledgeBase.objects.create(owner=alice, kind=BaseKind.PROJECT, name="Word", embedder="local")
    content = word_contract(tmp_path_factory.mktemp("word")).read_bytes()
    added = add_file(knowledge_base=base, file_name="nda.docx", stream=io.BytesIO(content), enqueue=False)
    ingest(added.document.pk)
    review = start_review(Document.objects.get(pk=added.document.pk), by=alice, principal=alice)
    run_review(review)
    return review


def set_finding(review: ContractReview, number: int, quote: str, **columns: object) -> Finding:
    """Make a finding quote these words of the contract."""
    page = review.document.pages.get()
    start = page.text.index(quote)
    span = {"pageId": page.pk, "page": 1, "start": start, "end": start + len(quote), "text": quote, "clause": ""}
    Finding.objects.filter(review=review, number=number).update(
        **{"contract_spans": [span], "nearest_spans": [], "classification": "RED", "decision": "", **columns}
    )
    return Finding.objects.get(review=review, number=number)


@pytest.fixture
def made(tmp_path: Path):
    def make(review: ContractReview) -> Path:
        path = tmp_path / "review.docx"
        path.write_bytes(word_report(review))
        return path

    return make


def test_a_review_of_a_word_file_comes_back_as_comments_in_a_copy(word_review: ContractReview, made) -> None:
    """Every finding but those that are GREEN, on the words that it quotes or that come nearest."""
    path = made(word_review)
    shown = list(word_review.findings.exclude(classification="GREEN"))
    assert shown
    comments = [comment.text for comment in docx.Document(str(path)).comments]
    for finding in shown:
        spans = finding.contract_spans or finding.nearest_spans[:1] or [None]
        assert sum(text.startswith(f"{finding.number}. {finding.classification}: ") for text in comments) == len(spans)
    assert len(comments) == sum(len(one.contract_spans or [None]) for one in shown)
    assert read_text(path, "docx") == word_review.document.pages.get().text
    assert marks(path) == [("ins", "Bob", "always ")]


def test_an_accepted_suggestion_is_a_tracked_change_of_whoever_accepted_it(
    word_review: ContractReview, alice: User, made
) -> None:
    alice.display_name = "Alice Ashby"
    alice.save()
    term, when = "three (3) years", datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
    accepted = {"verdict": "denied", "decision": "accepted", "decided_by": alice, "decided_at": when}
    set_finding(word_review, 1, term, suggestion="two (2) years", reason="Too long.", **accepted)
    set_finding(word_review, 2, "On request", suggestion="At once", reason="Slow.", **accepted)
    path = made(word_review)
    assert [mark for mark in marks(path) if mark[1] != "Bob"] == [
        ("del", "Alice Ashby", term),
        ("ins", "Alice Ashby", "two (2) years"),
    ]
    assert 'w:date="2026-03-04T05:06:07Z"' in part(path)
    comments = commented_texts(path)
    assert comments["1. RED: Please look at this."] == "two (2) years"
    # Bob's insertion stands before it, so that a tracked change would touch it.
    [beside] = [words for words in comments if words.startswith("Suggested instead: “At once”")]
    assert "somebody's tracked change is there" in beside


def test_with_comments_only_an_accepted_suggestion_is_said_and_nothing_is_changed(
    word_review: ContractReview, alice: User, tmp_path: Path
) -> None:
    when = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
    accepted = {"verdict": "denied", "decision": "accepted", "decided_by": alice, "decided_at": when}
    set_finding(word_review, 1, "three (3) years", suggestion="two (2) years", reason="Too long.", **accepted)
    path = tmp_path / "comments.docx"
    path.write_bytes(write_report(word_review, "docx-comments").content)
    assert marks(path) == [("ins", "Bob", "always ")]
    said = "1. RED: Please look at this.\nAccepted, to replace this: “two (2) years”"
    assert commented_texts(path)[said] == "three (3) years"


def test_what_was_dismissed_and_what_the_playbook_says_stay_at_home(word_review: ContractReview, made) -> None:
    Finding.objects.filter(review=word_review).update(note="Between us.")
    set_finding(word_review, 3, "secret", decision="dismissed", reason="Dismissed reason.")
    path = made(word_review)
    everything = part(path) + part(path, "word/comments.xml")
    assert "Dismissed reason." not in everything
    assert "Between us." not in everything
    walk_aways = [
        span["text"] for one in word_review.findings.all() for span in one.playbook_spans if span["kind"] == "walk_away"
    ]
    assert not any(text in everything for text in walk_aways)


MODEL_OPINION = {
    "model": "stub",
    "agrees": False,
    "counts": True,
    "classification": "RED",
    "verdict": "limit_broken",
    "rulesClassification": "YELLOW",
    "rulesVerdict": "walk_away",
}


@pytest.mark.parametrize("form", ["docx", "docx-comments"])
@pytest.mark.parametrize("verdict", Verdict)
@pytest.mark.parametrize("is_comparison", [False, True])
def test_no_verdict_tells_the_other_side_a_word_of_the_playbook(
    word_review: ContractReview, tmp_path: Path, form: str, verdict: Verdict, is_comparison: bool
) -> None:
    kept = "A clause goes beyond the limit “liability ≤ 2 million EUR”."
    reason = f"Before: GREEN, the contract says what is preferred. Now: YELLOW, {kept}" if is_comparison else kept
    ContractReview.objects.filter(pk=word_review.pk).update(kind="comparison" if is_comparison else "contract")
    told = {"position": "Walk away at two million", "reason": reason, "model_opinion": MODEL_OPINION}
    for number in word_review.findings.values_list("number", flat=True):
        set_finding(word_review, number, "secret", verdict=verdict, suggestion="Add this.", **told)
    path = tmp_path / "copy.docx"
    path.write_bytes(write_report(word_review, form).content)
    comments = part(path, "word/comments.xml")
    assert comments.count("Add this.") == word_review.findings.count()
    for secret in ("million", "limit", "playbook", "rules", "prefer", "acceptable", "Walk away", "stub", "GREEN"):
        assert secret not in comments


def test_what_is_missing_is_said_at_the_nearest_words_or_at_the_beginning(word_review: ContractReview, made) -> None:
    Finding.objects.filter(review=word_review).update(classification="GREEN")
    missing = {"verdict": "missing", "reason": "Nothing says it."}
    finding = set_finding(word_review, 4, "secret", suggestion="Add this.", **missing)
    near = finding.contract_spans
    Finding.objects.filter(pk=finding.pk).update(contract_spans=[], nearest_spans=near, decision="accepted")
    first = set_finding(word_review, 5, "secret", suggestion="", **missing)
    Finding.objects.filter(pk=first.pk).update(contract_spans=[])
    path = made(word_review)
    assert commented_texts(path) == {
        "4. RED: Something is missing here.\nNot evidence: this is only the nearest passage."
        "\nAccepted, to be added: “Add this.”": "secret",
        "5. RED: Something is missing here.\nNot evidence: this is only the nearest passage.": (
            "MUTUAL NON-DISCLOSURE AGREEMENT"
        ),
    }
    assert [mark[1] for mark in marks(path)] == ["Bob"]


def test_another_original_gives_a_new_file_that_says_so(reviewed: ContractReview, tmp_path: Path) -> None:
    made_file = write_report(reviewed, "docx")
    assert made_file.content_type.endswith("wordprocessingml.document")
    path = tmp_path / "new.docx"
    path.write_bytes(made_file.content)
    header, [page] = read_here(path, "docx")
    assert header.title == f"{reviewed.playbook_name}: {reviewed.document.title}"
    notice = f"It is not a marked copy of “{reviewed.document.title}”, which is no Word file and was not changed."
    assert notice in page.text
    for finding in reviewed.findings.all():
        assert f"{finding.number}. {finding.position}: {finding.classification}" in page.text
        for span in finding.contract_spans:
            assert " ".join(span["text"].split()) in " ".join(page.text.split())


def test_the_file_of_another_original_is_not_read(reviewed: ContractReview, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_store, "site_storage", None)
    assert word_report(reviewed)


def test_a_word_file_that_was_replaced_meanwhile_is_still_the_original(word_review: ContractReview) -> None:
    before = word_report(word_review)
    word_review.document.sha256, word_review.document.source_type = "0" * 64, "pdf"
    assert word_report(word_review) == before


def test_a_file_that_is_gone_or_says_something_else_is_refused(word_review: ContractReview, tmp_path: Path) -> None:
    other = word(tmp_path / "other.docx", lambda document: document.add_paragraph("Something else. " * 400))
    page = word_review.document.pages.get()
    stored_path(page.source_sha256).write_bytes(other.read_bytes())
    with pytest.raises(WordTextChanged):
        word_report(word_review)
    stored_path(page.source_sha256).unlink()
    with pytest.raises(SourceFileMissing):
        word_report(word_review)


def test_a_review_that_is_not_done_has_no_file(queued: ContractReview) -> None:
    with pytest.raises(ReviewNotDone):
        write_report(queued, "docx")


def test_no_more_files_are_made_at_once_than_there_are_places(
    word_review: ContractReview, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_report_module, "_SLOT_TIMEOUT_SECONDS", 0.01)
    with word_report_module._word_slot(), word_report_module._word_slot(), pytest.raises(WordExportBusy):
        word_report(word_review)
    assert word_report(word_review)


def test_whoever_waits_for_a_place_lets_other_requests_in(word_review: ContractReview) -> None:
    with held_request_slot() as limit:
        word_report(word_review)
        assert limit._working == 0
