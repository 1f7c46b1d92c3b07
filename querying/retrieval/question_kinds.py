"""Whether a question asks how to do what a heading names, or for something else about it: who, when, how much, why.

The embedder says it: the heading is put in the words of several questions, and the question is nearest to those of its
kind. Settled on tests/data/procedures (docs/evaluation.md, "Procedures").
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from knowledge.embedders import local_embedder

_STEPS = ("How do I do this: {}?", "What are the steps: {}?")
_OTHERS = (
    "When: {}?",
    "How often: {}?",
    "How often, when, how long: {}?",
    "How long does it take: {}?",
    "Who: {}?",
    "Who, where, which, why: {}?",
    "Where: {}?",
    "Which, what kind of: {}?",
    "Why: {}?",
    "Is it allowed, necessary or dangerous: {}?",
    "How much, what does it cost: {}?",
)
# A question must be as near to one of the first kind, and nearer than to any of the second by so much.
_MIN_NEARNESS, _MIN_LEAD = 0.6, 0.01
# Or it is the heading itself, but for its form.
_MIN_LEAD_OF_HEADING = 0.06
_MAX_CACHED_HEADINGS = 128


def nearness_to_steps(question: str, heading: str) -> float:
    """How near the question is to one for the steps of what the heading names, up to 1; 0 where it asks for something
    else. Raises `EmbedderError`."""
    similar = _wordings(" ".join(heading.split()).rstrip(":.?")) @ local_embedder().embed_one(question)
    bare, steps, others = similar[0], similar[1 : 1 + len(_STEPS)].max(), similar[1 + len(_STEPS) :].max()
    asks_for_steps = steps >= others + _MIN_LEAD or bare >= others + _MIN_LEAD_OF_HEADING
    nearness = float(max(steps, bare))
    return nearness if asks_for_steps and nearness >= _MIN_NEARNESS else 0.0


@lru_cache(maxsize=_MAX_CACHED_HEADINGS)
def _wordings(heading: str) -> NDArray[np.float32]:
    return local_embedder().embed([heading, *(one.format(heading) for one in (*_STEPS, *_OTHERS))])
