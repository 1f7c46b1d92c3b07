from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation import dataset
from evaluation.eval_types import EvalQuestion
from querying.types.question import Turn
from tests.evaluation import made_set


def test_the_roles_filters_and_places_of_a_set_are_read(tmp_path: Path) -> None:
    data = dataset.read_dataset(made_set.documents_set(tmp_path / "made"))
    asked = {one.id: one for one in data.questions}
    assert [path.name for path in data.files] == ["harbour.md", "lease.txt", "winch.pdf"]
    assert data.metadata["harbour.md"]["doc_date"] == "2020-05-04"
    assert asked["pilot"].filters == {"tags_all": ["harbour"], "date_from": "2020-01-01", "date_to": "2020-12-31"}
    assert asked["grease"].gold[0].pages == {2}
    assert asked["explosives"].scope == ("lease.txt",)
    assert asked["explosives"].item == "explosives"
    assert asked["explosives"].gold[0].start == made_set.LEASE.index("The tenant must not")
    assert asked["outside"].forbidden == {"harbour.md"}
    assert asked["follow-up"].turns[1] == Turn(role="assistant", content="At twelve revolutions a minute.")


def test_the_test_split_is_asked_unless_another_is_named(tmp_path: Path) -> None:
    folder = made_set.corpus_set(tmp_path / "made")
    asked = {
        split: [one.id for one in dataset.read_dataset(folder, split=split).questions]
        for split in (None, "train", "all")
    }
    assert asked == {None: ["a", "b"], "train": ["c"], "all": ["a", "b", "c"]}


def test_judgements_decide_what_is_relevant(tmp_path: Path) -> None:
    data = dataset.read_dataset(made_set.corpus_set(tmp_path / "made"))
    assert [dict(one.relevant) for one in data.questions] == [{"1": 1}, {"3": 1}]


def test_passages_belong_to_the_document_they_were_cut_from(tmp_path: Path) -> None:
    folder = made_set.corpus_set(tmp_path / "made")
    made_set._write(
        folder / "questions.jsonl",
        [
            {
                "id": "a",
                "question": "?",
                "asked_about": "2",
                "evidence": [{"document": "birds", "passage": "2", "page": None, "text": "Terns dive"}],
            }
        ],
    )
    [anywhere] = dataset.read_dataset(folder).questions
    [narrowed] = dataset.read_dataset(folder, in_named_document=True).questions
    assert anywhere.gold[0].document == "2"
    assert (anywhere.scope, narrowed.scope) == (None, ("1", "2", "4"))


def test_a_folder_without_questions_is_no_set(tmp_path: Path) -> None:
    with pytest.raises(dataset.InvalidDataset):
        dataset.read_dataset(tmp_path)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("{", "questions.jsonl, line 2: this is not a JSON object."),
        ("[1]", "questions.jsonl, line 2: this is not a JSON object."),
        ('{"id": "a"}', "The question 'a' has no 'question'."),
    ],
)
def test_a_question_that_makes_no_sense_is_named(tmp_path: Path, row: str, said: str) -> None:
    folder = made_set.corpus_set(tmp_path / "made")
    (folder / "questions.jsonl").write_text(f"\n{row}\n")
    with pytest.raises(dataset.InvalidDataset) as caught:
        dataset.read_dataset(folder)
    assert caught.value.message == said


def test_a_folder_without_documents_is_no_set(tmp_path: Path) -> None:
    (tmp_path / "questions.jsonl").write_text("")
    with pytest.raises(dataset.InvalidDataset):
        dataset.read_dataset(tmp_path)


@given(count=st.integers(0, 30), small=st.integers(1, 30), more=st.integers(0, 10))
def test_a_larger_sample_holds_the_smaller_one(count: int, small: int, more: int) -> None:
    questions = [EvalQuestion(id=str(number), text="?") for number in range(count)]
    few, many = (dataset.sample_questions(questions, limit=limit) for limit in (small, small + more))
    assert len(few) == min(count, small)
    assert set(map(id, few)) <= set(map(id, many))
    assert list(few) == [one for one in questions if one in few]
