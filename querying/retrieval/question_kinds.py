"""Whether a question asks how to do what a heading names, or for something else about it: who, when, how much, why.

The embedder says it: the heading is put in the words of several questions, and the question is nearest to those of its
kind. Settled on tests/data/procedures (docs/evaluation.md, "Procedures").
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from knowledge.embedders import local_embedder

_STEPS = ("{}", "How do I do this: {}?", "How is this done: {}?", "What are the steps: {}?")
_OTHERS = (
    "When: {}?",
    "How often: {}?",
    "How often, when, how long: {}?",
    "How long does it take: {}?",
    "How many: {}?",
    "How much, what does it cost: {}?",
    "Who: {}?",
    "Who, where, which, why: {}?",
    "Where: {}?",
    "Which, what kind of: {}?",
    "What is needed: {}?",
    "What does this mean: {}?",
    "Why: {}?",
    "Is it allowed, necessary or dangerous: {}?",
)
# A question must be as near to one of the first kind, and nearer than to all of the second, but for so much.
_MIN_NEARNESS, _TOLERANCE = 0.58, 0.015
_MAX_CACHED_HEADINGS = 128


def nearness_to_steps(question: str, heading: str) -> float:
    """How near the question is to one for the steps of what the heading names, up to 1; 0 where it asks for something
    else. Raises `EmbedderError`."""
    similar = _wordings(" ".join(heading.split()).rstrip(":.?")) @ local_embedder().embed_one(question)
    steps, others = float(similar[: len(_STEPS)].max()), float(similar[len(_STEPS) :].max())
    return steps if steps >= max(_MIN_NEARNESS, others - _TOLERANCE) else 0.0


@lru_cache(maxsize=_MAX_CACHED_HEADINGS)
def _wordings(heading: str) -> NDArray[np.float32]:
    return local_embedder().embed([one.replace("{}", heading) for one in (*_STEPS, *_OTHERS)])
