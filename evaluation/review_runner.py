"""Contract reviews, measured: each line of a checklist becomes a position of a playbook, and the product's own code
judges it in its contract."""

from __future__ import annotations

import random
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from uuid import UUID

from contracts.models import Verdict
from contracts.playbook.playbook_types import PlaybookStatement, Position
from contracts.review.checklist_prior import Observation, item_priors
from contracts.review.document_search import PASSAGES, DocumentRevision, search_statement
from contracts.review.learned_thresholds import thresholds_of
from contracts.review.rule_judge import DEFAULT_THRESHOLDS, Judgement, Thresholds, judge_position
from contracts.risk import Classification
from evaluation.eval_corpus import EvalCorpus
from evaluation.eval_types import EvalDataset, EvalQuestion
from evaluation.evaluation_runner import Evaluation, ProgressWrapper
from evaluation.run_question import retrieval_outcome
from evaluation.scoring import question_scores
from evaluation.scoring.gold_locator import GoldLocator
from evaluation.scoring.summary import summarise
from knowledge.models import Document
from querying.types.evidence import Evidence

# The labels of contractnli; other sets have none, and no figure for them.
ENTAILED, CONTRADICTED, NOT_MENTIONED = "Entailment", "Contradiction", "NotMentioned"
_AGAINST = (Verdict.DENIED, Verdict.WALK_AWAY, Verdict.LIMIT_BROKEN)
_FOR = (Verdict.PREFERRED, Verdict.ACCEPTABLE)
# As `evaluation.tuning.checklist_prior_effect` draws them.
_DRAWS = 10


@dataclass(frozen=True, kw_only=True)
class _Reviewed:
    """A line of the checklist in one contract, with what was found."""

    asked: EvalQuestion
    evidence: Evidence
    judged: Judgement


def evaluate_reviews(
    data: EvalDataset, *, library: EvalCorpus, reviewed: int | None = None, with_progress: ProgressWrapper = iter
) -> Evaluation:
    """Judge every line in the contract that it is about, and hold the verdicts against the labels. Lines about a
    contract that could not be read are left out. With so many
    `reviewed` contracts, also as if these had been decided on."""
    places = GoldLocator(library.documents, files=data.files)
    versions = _document_versions(library)
    rows, scored = [], []
    for asked in with_progress([one for one in data.questions if _contract_of(one) in library.documents]):
        row, milliseconds = _review_line(asked, versions[library.documents[_contract_of(asked)]])
        passes = _is_found(row.judged)
        outcome = retrieval_outcome(row.evidence, passes=passes, milliseconds=milliseconds, weighed=PASSAGES)
        key = question_scores.build_answer_key(asked, library=library, places=places)
        scored.append(question_scores.score_question(asked, key=key, found=outcome, given=None))
        rows.append(row)
    result = summarise(scored, name=data.name, documents=len(versions), chunks=library.chunks)
    return Evaluation(result={**result, **_verdict_figures(rows, reviewed)}, scored=tuple(scored), mode="review")


def _contract_of(asked: EvalQuestion) -> str:
    """The one document that it is about; "" where it is about several or any."""
    return asked.scope[0] if asked.scope and len(asked.scope) == 1 else ""


def _document_versions(library: EvalCorpus) -> Mapping[UUID, DocumentRevision]:
    rows = Document.objects.select_related("knowledge_base").filter(pk__in=set(library.documents.values()))
    return {document.pk: DocumentRevision.of(document) for document in rows}


def _review_line(asked: EvalQuestion, document: DocumentRevision) -> tuple[_Reviewed, float]:
    begun = time.perf_counter()
    evidence = search_statement(document, " ".join(asked.text.split()))
    judged = judge_position(_position(asked), search=lambda text: evidence)
    return _Reviewed(asked=asked, evidence=evidence, judged=judged), 1000 * (time.perf_counter() - begun)


def _position(asked: EvalQuestion) -> Position:
    """The line as the one thing that a position wants."""
    statement = PlaybookStatement(kind="preferred", text=asked.text, start=0, end=len(asked.text))
    return Position(
        number=1,
        name=asked.item,
        topic="",
        statements=(statement,),
        limits=(),
        is_required=False,
        severity=3,
        likelihood=3,
        start=0,
        end=len(asked.text),
    )


# --- Figures ------------------------------------------------------------------------------------------------------


def _is_found(judged: Judgement) -> bool:
    return judged.verdict != Verdict.MISSING


def _verdict_figures(rows: Sequence[_Reviewed], reviewed: int | None) -> dict[str, float | None]:
    present = [row for row in rows if row.asked.answerable]
    absent = [row for row in rows if row.asked.answerable is False]
    green = [row for row in rows if row.judged.classification == Classification.GREEN]
    labelled = [row for row in rows if row.asked.label]
    figures: dict[str, float | None] = {
        "present_called_absent": _rate([not _is_found(row.judged) for row in present]),
        "absent_called_present": _rate([_is_found(row.judged) for row in absent]),
        "green": _rate([row.judged.classification == Classification.GREEN for row in rows]),
        "green_is_right": _rate([_is_rightly_green(row) for row in green]),
        "three_labels": _rate([_label_of(row.judged, DEFAULT_THRESHOLDS) == row.asked.label for row in labelled]),
    }
    if reviewed:
        figures |= _decided_figures(rows, reviewed)
    return {name: value for name, value in figures.items() if value is not None}


def _is_rightly_green(row: _Reviewed) -> bool:
    return row.asked.label == ENTAILED if row.asked.label else bool(row.asked.answerable)


def _label_of(judged: Judgement, thresholds: Thresholds) -> str:
    """The label of a verdict, or the label that unclear evidence is closest to."""
    if judged.verdict in _AGAINST:
        return CONTRADICTED
    leans = judged.verdict == Verdict.UNCLEAR and judged.strength >= thresholds.said
    return ENTAILED if judged.verdict in _FOR or leans else NOT_MENTIONED


def _decided_figures(rows: Sequence[_Reviewed], reviewed: int) -> dict[str, float | None]:
    """The mean of ten draws of contracts that count as decided; the others are judged by what these teach."""
    contracts = sorted({_contract_of(row.asked) for row in rows})
    if not 0 < reviewed < len(contracts):
        return {}
    draws = [random.Random(seed).sample(contracts, reviewed) for seed in range(_DRAWS)]  # noqa: S311  # no secret
    collected: defaultdict[str, list[float]] = defaultdict(list)
    for draw in draws:
        for name, value in _figures_of_draw(rows, decided=frozenset(draw)).items():
            if value is not None:
                collected[f"{name}_with_{reviewed}"].append(value)
    return {name: fmean(values) for name, values in collected.items()}


def _figures_of_draw(rows: Sequence[_Reviewed], *, decided: frozenset[str]) -> dict[str, float | None]:
    items, _ = item_priors([_observation(row) for row in rows if _contract_of(row.asked) in decided])
    learned = {item: thresholds_of(prior) for item, prior in items.items()}
    others = [row for row in rows if _contract_of(row.asked) not in decided]
    judged = [_judge_again(row, learned.get(row.asked.item, DEFAULT_THRESHOLDS)) for row in others]
    figures = _verdict_figures(judged, None)
    labelled = [row for row in judged if row.asked.label]
    right = [
        _label_of(row.judged, learned.get(row.asked.item, DEFAULT_THRESHOLDS)) == row.asked.label for row in labelled
    ]
    return {**figures, "three_labels": _rate(right)}


def _judge_again(row: _Reviewed, thresholds: Thresholds) -> _Reviewed:
    judged = judge_position(_position(row.asked), search=lambda text: row.evidence, thresholds=thresholds)
    return replace(row, judged=judged)


def _observation(row: _Reviewed) -> Observation:
    return Observation(
        item=row.asked.item,
        is_present=bool(row.asked.answerable),
        strength=row.evidence.strength,
        is_against=row.asked.label == CONTRADICTED,
    )


def _rate(hits: Sequence[bool]) -> float | None:
    return round(sum(hits) / len(hits), 4) if hits else None
