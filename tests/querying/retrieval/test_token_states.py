"""Evidence is weighed by the token states that were kept with the passages, as by those that the model reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from knowledge.chunking.title_path import title_path
from knowledge.embedders import local_embedder
from knowledge.embedders.packed_states import PackedStates, unpack
from knowledge.ingest import ingest
from knowledge.search.passages import Passage
from language.terms import terms
from querying import releases
from querying.question.resolve import ResolvedQuestion, WeightedTurn
from querying.retrieval import evidence, retriever
from querying.types.evidence import Evidence
from querying.types.question import Caller, Question
from tests.knowledge.bases import add_markdown, make_base
from tests.querying.passages import passage

RULES = (
    "A beam exposed to weather needs 45 mm of cover. A slab on the ground needs 30 mm. The site engineer checks the "
    "spacers before every pour. Where the cover is less than the table says, the pour waits. Spacers of plastic are "
    "not used outside. The drawings show the cover of every member that is exposed to chlorides. "
)
TABLE = (
    "| Size | Price | Stock |\n| --- | --- | --- |\n| Small helmet | 25 EUR | 4 |\n| Large helmet | 32 EUR | 9 |\n"
    + "".join(f"| Tyre {number} | {10 + number} EUR | {number} |\n" for number in range(30))
    + "| Inner tube | 6 EUR | 40 |\n"
)
FAR = "The yard keeps its gravel in the third bay behind the office. " * 20


def kept(passages: Sequence[Passage]) -> dict[int, PackedStates]:
    texts = [(title_path(one.document_title, one.section_path), one.content) for one in passages]
    read = local_embedder().embed_chunks(texts, keeps_states=True)
    found = {one.chunk_id: unpack(chunk.states) for one, chunk in zip(passages, read, strict=True)}
    return {chunk_id: states for chunk_id, states in found.items() if states is not None}


def weighed(text: str, passages: Sequence[Passage], **options: Any) -> Evidence:
    turns = [WeightedTurn(text=text, weight=1.0)]
    return evidence.score_evidence(turns=turns, passages=passages, weights=dict.fromkeys(terms(text), 1.0), **options)


PASSAGES = [
    passage(RULES * 4 + FAR, number=1, section_path=("Cover",)),
    passage(TABLE, number=2, section_path=("Prices",)),
    passage(FAR, number=3),
]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What holds from 01.02.2024?", "The fee holds from 01.02.2024 on."),
        ("Who gets 2.5 mg?", "Children get 2.5 mg a day."),
        ("Which x-ray follow-up is needed?", "A follow-up is needed after each x-ray."),
    ],
)
def test_the_punctuation_in_a_word_is_not_looked_for_as_none_is_kept(question: str, text: str) -> None:
    passages = [passage(text, number=1)]
    by_model, by_kept = weighed(question, passages), weighed(question, passages, kept=kept(passages))
    assert abs(by_model.strength - by_kept.strength) < 0.01


@pytest.mark.parametrize(
    "question",
    [
        "What cover does a beam exposed to weather need?",
        "Who checks the spacers?",
        "Where is the gravel, and who checks the spacers before the pour?",
        "What is the depth of the pool?",
    ],
)
def test_sentences_have_nearly_the_scores_that_the_model_gives(question: str) -> None:
    by_model, by_kept = weighed(question, PASSAGES), weighed(question, PASSAGES, kept=kept(PASSAGES))
    assert abs(by_model.strength - by_kept.strength) < 0.06
    scores = {(one.source, one.start): one.score for one in by_model.sentences}
    differences = [abs(scores[one.source, one.start] - one.score) for one in by_kept.sentences[:5]]
    assert max(differences) < 0.08


def test_the_row_that_is_asked_for_comes_first_with_its_header() -> None:
    found = weighed("What is the price of an inner tube?", PASSAGES, kept=kept(PASSAGES)).sentences[0]
    assert "Inner tube" in found.text
    assert "Price" in found.header


def test_the_model_reads_no_passage_whose_states_were_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    real = evidence.read_states
    monkeypatch.setattr(evidence, "read_states", lambda embedder, texts: read.extend(texts) or real(embedder, texts))
    states = kept(PASSAGES)
    weighed("Who checks the spacers?", PASSAGES, kept=states)
    assert read == []
    del states[1]
    weighed("Who checks the spacers?", PASSAGES, kept=states)
    assert read
    assert all("spacers" in text or "gravel" in text for text in read)


@pytest.mark.django_db
def test_states_of_another_text_are_not_taken_for_a_passage(settings: Any) -> None:
    """A section that was joined from several chunks has the number of its first."""

    base = make_base(embedder="local")
    ingest(add_markdown(base, RULES).pk)
    base.refresh_from_db()
    question = ResolvedQuestion.of(
        Question(text="Who checks the spacers?", release=releases.snapshot(base.plugin), caller=Caller(name="alice"))
    )
    found = retriever.retrieve(question)
    assert set(retriever.kept_states(question, found)) == {one.chunk_id for one in found}
    longer = [replace(one, content=f"{one.content} And more.") for one in found]
    assert retriever.kept_states(question, longer) == {}
    settings.LEXIC_TOKEN_STATES_MAX_CHUNKS = 0
    assert retriever.kept_states(question, found) == {}


def test_a_follow_up_finds_its_topic_in_the_title_alone() -> None:
    timetable = [passage("Dogs ride free. Bicycles cost 2 EUR.", number=7, document_title="Route 44 bus timetable")]
    turns = [
        WeightedTurn(text="And bicycles?", weight=1.0, preceding_text="What do dogs cost on the bus of route 44?"),
        WeightedTurn(text="What do dogs cost on the bus of route 44?", weight=0.3),
    ]
    weights = dict.fromkeys(terms(" ".join(turn.text for turn in turns)), 1.0)
    by_model, by_kept = (
        evidence.score_evidence(turns=turns, passages=timetable, weights=weights, kept=states)
        for states in ({}, kept(timetable))
    )
    assert abs(by_model.strength - by_kept.strength) < 0.05
