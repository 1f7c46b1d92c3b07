"""A whole evaluation: every question asked, judged and put together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from querying.evaluation import ask, judge
from querying.evaluation.library import Library
from querying.evaluation.places import Places
from querying.evaluation.summary import Result, summarise
from querying.evaluation.types import Asked, DataSet, Scored
from querying.llms.base import LLM

Mode = Literal["retrieval", "pipeline", "both"]
MODES: tuple[Mode, ...] = ("retrieval", "pipeline", "both")
# What a question goes through one after another is shown as it goes.
Watched = Callable[[Sequence[Asked]], Iterable[Asked]]


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """The figures of a run, and each question's own."""

    result: Result
    scored: tuple[Scored, ...]
    mode: Mode


def evaluate(
    data: DataSet, *, library: Library, mode: Mode, llm: LLM | None = None, watched: Watched = iter
) -> Evaluation:
    """Ask every question of the set. Two runs over the same library give the same figures, latencies aside."""
    places = Places(library.documents, files=data.files)
    if data.questions:
        _warm_up(data.questions[0], library)
    scored = tuple(_scored(asked, library, places, mode=mode, llm=llm) for asked in watched(data.questions))
    documents = len(set(library.documents.values()))
    result = summarise(scored, name=data.name, documents=documents, chunks=library.chunks)
    return Evaluation(result=result, scored=scored, mode=mode)


def _warm_up(asked: Asked, library: Library) -> None:
    """The first question would pay for loading the model."""
    ask.retrieve(ask.question_of(asked, library))


def _scored(asked: Asked, library: Library, places: Places, *, mode: Mode, llm: LLM | None) -> Scored:
    question = ask.question_of(asked, library)
    # The pipeline first: what the second one reads is remembered, and its time would be too good.
    given = ask.answer(question, llm=llm) if mode != "retrieval" else None
    found = ask.retrieve(question) if mode != "pipeline" else None
    key = judge.key_of(asked, library=library, places=places)
    return judge.score(asked, key=key, found=found, given=given)
