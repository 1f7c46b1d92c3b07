"""A whole evaluation: every question asked, judged and put together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from evaluation import run_question
from evaluation.eval_corpus import EvalCorpus
from evaluation.eval_types import EvalDataset, EvalQuestion, QuestionScores
from evaluation.scoring import question_scores
from evaluation.scoring.gold_locator import GoldLocator
from evaluation.scoring.summary import EvaluationResult, summarise
from querying.llm_interface import LLM

Mode = Literal["retrieval", "pipeline", "both", "review"]
MODES: tuple[Mode, ...] = ("retrieval", "pipeline", "both", "review")
# What a question goes through one after another is shown as it goes.
ProgressWrapper = Callable[[Sequence[EvalQuestion]], Iterable[EvalQuestion]]


class ScoreJournal(Protocol):
    """Keeps the scores of a run as they come, so that an interrupted run can be resumed."""

    def find(self, question_id: str) -> QuestionScores | None: ...

    def add(self, scores: QuestionScores) -> None: ...


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """The figures of a run, and each question's own."""

    result: EvaluationResult
    scored: tuple[QuestionScores, ...]
    mode: Mode


def evaluate(
    data: EvalDataset,
    *,
    library: EvalCorpus,
    mode: Mode,
    llm: LLM | None = None,
    with_progress: ProgressWrapper = iter,
    journal: ScoreJournal | None = None,
) -> Evaluation:
    """Ask every question of the set that the journal has no scores of. Two runs over the same library give the same
    figures, latencies aside."""
    places = GoldLocator(library.documents, files=data.files)
    if data.questions:  # the first question would pay for loading the model
        run_question.run_retrieval(run_question.build_question(data.questions[0], library))

    def score(asked: EvalQuestion) -> QuestionScores:
        if journal and (known := journal.find(asked.id)):
            return known
        scores = _score_question(asked, library, places, mode=mode, llm=llm)
        if journal:
            journal.add(scores)
        return scores

    scored = tuple(score(asked) for asked in with_progress(data.questions))
    documents = len(set(library.documents.values()))
    result = summarise(scored, name=data.name, documents=documents, chunks=library.chunks)
    return Evaluation(result=result, scored=scored, mode=mode)


def _score_question(
    asked: EvalQuestion, library: EvalCorpus, places: GoldLocator, *, mode: Mode, llm: LLM | None
) -> QuestionScores:
    question = run_question.build_question(asked, library)
    # The pipeline first: what the second one reads is remembered, and its time would be too good.
    given = run_question.run_pipeline(question, llm=llm) if mode != "retrieval" else None
    found = run_question.run_retrieval(question) if mode != "pipeline" else None
    key = question_scores.build_answer_key(asked, library=library, places=places)
    return question_scores.score_question(asked, key=key, found=found, given=given)
