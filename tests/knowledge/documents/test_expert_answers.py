"""The document of what experts answered, beside a folder that has a note of the same name."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from knowledge.documents.expert_answers import add_expert_answer, expert_answers
from knowledge.documents.file_store import open_stored
from knowledge.models import Document, KnowledgeBase
from tests.knowledge.bases import CountingEmbedder, make_base, registered
from tests.knowledge.sync.folders import synced, text_of, write

pytestmark = pytest.mark.django_db
NOTE = "expert-answers.md"


@pytest.fixture
def base() -> Iterator[KnowledgeBase]:
    with registered(CountingEmbedder()):
        yield make_base()


def answered(base: KnowledgeBase, answer: str) -> Document:
    return add_expert_answer(base, question=f"Why {answer}?", answer=answer, author="Alice", day=date(2026, 3, 1))


def written_text(document: Document) -> str:
    document.refresh_from_db()
    with open_stored(document.sha256) as file:
        return file.read().decode()


def test_answers_stay_together_beside_a_note_of_their_name(base: KnowledgeBase, tmp_path: Path) -> None:
    write(tmp_path, NOTE, "A note about experts.")
    synced(base, tmp_path)
    note = Document.objects.get(file_name=NOTE)
    first, second = answered(base, "Gloves are washed."), answered(base, "Helmets are replaced.")
    assert (first.pk == second.pk, first.pk == note.pk, expert_answers().get().pk == first.pk) == (True, False, True)
    text = written_text(second)
    assert ("Gloves are washed." in text, "Helmets are replaced." in text, "A note" in text) == (True, True, False)
    note.refresh_from_db()
    assert text_of(note) == "A note about experts."


def test_a_note_of_their_name_takes_over_no_answers(base: KnowledgeBase, tmp_path: Path) -> None:
    answers = answered(base, "Gloves are washed.")
    write(tmp_path, NOTE, "A note about experts.")
    assert synced(base, tmp_path).added == (NOTE,)
    assert "Gloves are washed." in written_text(answers)
    assert "Gloves are washed." in written_text(answered(base, "Helmets are replaced."))
    assert synced(base, tmp_path).counts["unchanged"] == 1
