"""All questions' scores put together: one object with fixed keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from querying.evaluation import metrics
from querying.evaluation.types import Scored
from querying.types import Confidence

# Null where a set, or a mode, has no such thing.
KEYS = (
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
MORE = (
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
_COUNTED = ("set", "documents", "chunks", "questions")

Result = dict[str, str | int | float | None]
Statistic = Callable[[Sequence[Scored]], float | None]


def summarise(scored: Sequence[Scored], *, name: str, documents: int, chunks: int) -> Result:
    """Every key of `KEYS` in their order, then those of `MORE` that apply."""
    counts: Result = {"set": name, "documents": documents, "chunks": chunks, "questions": len(scored)}
    measured = {key: statistic(key)(scored) for key in (*KEYS, *MORE) if key not in counts}
    kept = {key: _rounded(value) for key, value in measured.items() if key in KEYS or value is not None}
    return {**counts, **kept}


def statistic(key: str) -> Statistic:
    """How a key is computed from scores."""
    return _SPECIAL.get(key) or (
        lambda scored: metrics.mean([one.values[key] for one in scored if key in one.values])
    )


def deciding_scores(scored: Sequence[Scored]) -> tuple[list[float], list[float]]:
    """The scores that decide: of answerable questions, and of those that are not."""
    return _by_kind([(one.answerable, one.score) for one in scored])


def _auc(scored: Sequence[Scored]) -> float | None:
    return metrics.auc(*deciding_scores(scored))


def _auc_of_evidence(scored: Sequence[Scored]) -> float | None:
    return metrics.auc(*_by_kind([(one.answerable, one.strength) for one in scored]))


def _by_kind(scores: Sequence[tuple[bool | None, float | None]]) -> tuple[list[float], list[float]]:
    known = [(answerable, score) for answerable, score in scores if score is not None]
    return [s for answerable, s in known if answerable], [s for answerable, s in known if answerable is False]


def _stated(scored: Sequence[Scored]) -> list[tuple[Confidence, float]]:
    """The confidence of each answer that can be judged, and whether it was right."""
    judged = [(one.confidence, one.values["answer_right"]) for one in scored if "answer_right" in one.values]
    return [(Confidence(level), right) for level, right in judged if level]


def _right_when(wanted: Confidence) -> Statistic:
    return lambda scored: metrics.mean([right for level, right in _stated(scored) if level == wanted])


def _called_high(scored: Sequence[Scored]) -> float | None:
    """The share of the answers whose confidence is high."""
    return metrics.mean([float(level == Confidence.HIGH) for level, _ in _stated(scored)])


def _confidence_auc(scored: Sequence[Scored]) -> float | None:
    """Whether the stated level puts right answers before wrong ones."""
    ranks = [(list(Confidence).index(level), right) for level, right in _stated(scored)]
    return metrics.auc([rank for rank, right in ranks if right], [rank for rank, right in ranks if not right])


def _surest_fifth_right(scored: Sequence[Scored]) -> float | None:
    """`answer_right` among the fifth of the answers whose deciding score is highest."""
    judged = [(one.score, one.values["answer_right"]) for one in scored if "answer_right" in one.values]
    ordered = sorted(judged, key=lambda pair: -(pair[0] or 0.0))
    return metrics.mean([right for _, right in ordered[: -(-len(ordered) // 5)]])


def _latency(share: float) -> Statistic:
    return lambda scored: metrics.percentile([one.milliseconds for one in scored], share)


_SPECIAL: Mapping[str, Statistic] = {
    "auc": _auc,
    "auc_of_evidence": _auc_of_evidence,
    "high_confidence_precision": _right_when(Confidence.HIGH),
    "right_when_medium": _right_when(Confidence.MEDIUM),
    "right_when_low": _right_when(Confidence.LOW),
    "called_high": _called_high,
    "confidence_auc": _confidence_auc,
    "surest_fifth_right": _surest_fifth_right,
    "p50_ms": _latency(0.5),
    "p95_ms": _latency(0.95),
}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
