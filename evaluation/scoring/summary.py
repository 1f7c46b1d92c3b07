"""Summarises the scores of all questions in one object with fixed keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from evaluation.eval_types import QuestionScores
from evaluation.scoring import metrics
from querying.types.confidence import Confidence

# Null where a set, or a mode, has no such thing.
REPORTED_KEYS = (
    "set",
    "documents",
    "chunks",
    "questions",
    "ndcg@10",
    "mrr@10",
    "recall@8",
    "recall@100",
    "page@1",
    "page@5",
    "page@10",
    "sentence@1",
    "span@5",
    "citation_validity",
    "citation_precision",
    "citation_recall",
    "answered_when_answerable",
    "refused_when_unanswerable",
    "auc",
    "high_confidence_precision",
    "p50_ms",
    "p95_ms",
)
# Shown and kept beside those, where there is such a thing.
OPTIONAL_KEYS = (
    "document@1",
    "document@5",
    "chunk@1",
    "chunk@5",
    "chunk@10",
    "auc_of_evidence",
    "answer_right",
    "surest_fifth_right",
    "right_when_low",
    "right_when_medium",
    "called_high",
    "confidence_auc",
    "golden_passed",
    "forbidden_found",
    "forbidden_cited",
)


EvaluationResult = dict[str, str | int | float | None]
Statistic = Callable[[Sequence[QuestionScores]], float | None]


def summarise(scored: Sequence[QuestionScores], *, name: str, documents: int, chunks: int) -> EvaluationResult:
    """Every key of `REPORTED_KEYS` in their order, then those of `OPTIONAL_KEYS` that apply."""
    counts: EvaluationResult = {"set": name, "documents": documents, "chunks": chunks, "questions": len(scored)}
    measured = {key: statistic_for(key)(scored) for key in (*REPORTED_KEYS, *OPTIONAL_KEYS) if key not in counts}
    rounded = {key: None if value is None else round(value, 4) for key, value in measured.items()}
    return {**counts, **{key: value for key, value in rounded.items() if key in REPORTED_KEYS or value is not None}}


def statistic_for(key: str) -> Statistic:
    """How a key is computed from scores."""
    return _STATISTICS.get(key) or (
        lambda scored: metrics.mean([one.values[key] for one in scored if key in one.values])
    )


def deciding_scores(scored: Sequence[QuestionScores]) -> tuple[list[float], list[float]]:
    """The scores that decide: of answerable questions, and of those that are not."""
    return _split_by_answerable([(one.answerable, one.score) for one in scored])


def _split_by_answerable(scores: Sequence[tuple[bool | None, float | None]]) -> tuple[list[float], list[float]]:
    known = [(answerable, score) for answerable, score in scores if score is not None]
    return [s for answerable, s in known if answerable], [s for answerable, s in known if answerable is False]


def _stated_confidences(scored: Sequence[QuestionScores]) -> list[tuple[Confidence, float]]:
    """The confidence of each answer that can be judged, and whether it was right."""
    judged = [(one.confidence, one.values["answer_right"]) for one in scored if "answer_right" in one.values]
    return [(Confidence(level), right) for level, right in judged if level]


def _precision_at(wanted: Confidence) -> Statistic:
    return lambda scored: metrics.mean([right for level, right in _stated_confidences(scored) if level == wanted])


def _share_called_high(scored: Sequence[QuestionScores]) -> float | None:
    """The share of the answers whose confidence is high."""
    return metrics.mean([float(level == Confidence.HIGH) for level, _ in _stated_confidences(scored)])


def _confidence_auc(scored: Sequence[QuestionScores]) -> float | None:
    """Whether the stated level puts right answers before wrong ones."""
    ranks = [(list(Confidence).index(level), right) for level, right in _stated_confidences(scored)]
    return metrics.auc([rank for rank, right in ranks if right], [rank for rank, right in ranks if not right])


def _top_fifth_precision(scored: Sequence[QuestionScores]) -> float | None:
    """`answer_right` among the fifth of the answers whose deciding score is highest."""
    judged = [(one.score, one.values["answer_right"]) for one in scored if "answer_right" in one.values]
    ordered = sorted(judged, key=lambda pair: -(pair[0] or 0.0))
    return metrics.mean([right for _, right in ordered[: -(-len(ordered) // 5)]])


def _latency_percentile(share: float) -> Statistic:
    return lambda scored: metrics.percentile([one.milliseconds for one in scored], share)


_STATISTICS: Mapping[str, Statistic] = {
    "auc": lambda scored: metrics.auc(*deciding_scores(scored)),
    "auc_of_evidence": lambda scored: metrics.auc(
        *_split_by_answerable([(one.answerable, one.strength) for one in scored])
    ),
    "high_confidence_precision": _precision_at(Confidence.HIGH),
    "right_when_medium": _precision_at(Confidence.MEDIUM),
    "right_when_low": _precision_at(Confidence.LOW),
    "called_high": _share_called_high,
    "confidence_auc": _confidence_auc,
    "surest_fifth_right": _top_fifth_precision,
    "p50_ms": _latency_percentile(0.5),
    "p95_ms": _latency_percentile(0.95),
}
