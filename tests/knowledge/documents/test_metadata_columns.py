from __future__ import annotations

import io
from datetime import date

import pytest

from knowledge.documents.lifecycle import add_file, update_details
from knowledge.documents.metadata_columns import is_title_of_file, title_from_file_name
from knowledge.ingest import ingest
from knowledge.models import Document, KnowledgeBase
from tests.knowledge.bases import CountingEmbedder, make_base, registered


@pytest.mark.parametrize(
    ("file_name", "title"),
    [
        ("hive_inspection-v2.pdf", "Hive inspection v2"),
        ("OPENING times_v2-final.txt", "OPENING times v2"),
        ("report - final.pdf", "Report"),
        ("2024-05-01_notes final.md", "2024-05-01 notes"),
        ("Report (1).pdf", "Report"),
        ("Well-being at work.docx", "Well-being at work"),
        ("The semi-final.txt", "The semi-final"),
        ("Copy of x_y.txt", "X y"),
    ],
)
def test_a_title_is_the_file_name_in_words(file_name: str, title: str) -> None:
    assert title_from_file_name(file_name) == title
    assert is_title_of_file(title, file_name)


def test_a_title_that_somebody_typed_is_not_that_of_the_file() -> None:
    assert not is_title_of_file("Opening times", "OPENING times_v2-final.txt")


def upload(base: KnowledgeBase, *labels: str) -> Document:
    text = "\n".join(["---", *labels, "---", "Wear boots."])
    stream = io.BytesIO(text.encode())
    document = add_file(knowledge_base=base, file_name="boots.md", stream=stream, enqueue=False).document
    with registered(CountingEmbedder()):
        ingest(document.pk)
    document.refresh_from_db()
    return document


@pytest.mark.django_db
@pytest.mark.parametrize("line", [(), ("superseded_on: some day",)])
def test_a_label_that_the_file_says_no_more_is_emptied(line: tuple[str, ...]) -> None:
    base = make_base()
    before = upload(base, "superseded_on: 2026-04-03", "doc_type: rule", "tags: feet, site")
    assert (before.superseded_on, before.doc_type, before.tags) == (date(2026, 4, 3), "rule", ["feet", "site"])
    after = upload(base, *line)
    assert after.pk == before.pk
    assert (after.superseded_on, after.doc_type, after.tags) == (None, "", [])


@pytest.mark.django_db
def test_a_label_that_a_person_changed_stays_when_the_file_says_it_no_more() -> None:
    base = make_base()
    document = upload(base, "doc_type: rule", "project: Quay")
    update_details(document, labels={"doc_type": "guide"}, enqueue=False)
    after = upload(base)
    assert (after.doc_type, after.project) == ("guide", "")
