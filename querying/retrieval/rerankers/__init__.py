"""A second opinion on the order of passages. Without one configured they keep the order of their evidence, which is
the late interaction of querying/retrieval/late_interaction.py."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence

from django.conf import settings

from querying.retrieval.rerankers.hosted import HostedReranker
from querying.retrieval.rerankers.reranker import Reranker, RerankerFailed

__all__ = ["Reranker", "RerankerFailed", "get_reranker", "rerank_scores"]

logger = logging.getLogger(__name__)


def get_reranker() -> Reranker | None:
    """The one that the environment names, or None."""
    if not settings.LEXIC_RERANK_URL:
        return None
    return HostedReranker(
        url=settings.LEXIC_RERANK_URL,
        model=settings.LEXIC_RERANK_MODEL,
        key=settings.LEXIC_RERANK_KEY,
        timeout=settings.LEXIC_RERANK_TIMEOUT,
    )


def rerank_scores(question: str, texts: Sequence[str]) -> list[float] | None:
    """How well each text answers, 0 to 1. None when there is no reranker, or when it fails: that is logged, and costs
    the query nothing but time."""
    reranker = get_reranker()
    if reranker is None or not texts:
        return None
    try:
        scores = reranker.rerank(question, texts)
    except RerankerFailed as error:
        logger.warning("%s: %s", reranker.name, error.message)
        return None
    return scores if all(0 <= score <= 1 for score in scores) else [_sigmoid(score) for score in scores]


def _sigmoid(score: float) -> float:
    """Some models give log odds."""
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, score))))
