"""Whether a question asks how to do what a heading names, or for something else about it: who, when, how much, why.

The embedder says it: the heading is put in the words of several questions, and the question is nearest to those of its
kind. Settled on tests/data/procedures (docs/evaluation.md, "Procedures").
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from knowledge.embedders import local_embedder
from language.procedure_questions import AskedFor, what_is_asked_for

_STEPS_OF_ANYTHING = ("{}", "How do I do this: {}?", "How is this done: {}?", "What are the steps: {}?")
# Of a heading these as well; of "this" they would be near to whatever asks what one has to know.
_STEPS = (
    *_STEPS_OF_ANYTHING,
    "What has to be done: {}?",
    "What must be done in case of: {}?",
    "What has to be checked: {}?",
)
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
# A question that is farther than this from all steps of "this" asks for one fact, and one beyond the second for steps:
# 38 procedures lie above -.10 (docs/evaluation.md).
_MIN_LEANING, _CLEAR_LEANING = -0.12, 0.0
_MAX_CACHED_WORDINGS = 256  # of headings, by kind


def may_ask_for_steps(question: str, *, language: str, shows_list: bool) -> bool:
    """Whether the question, taken alone, may be one for steps; where nothing that was found shows a list, whether it
    clearly is one. Costs nothing: the question was embedded for the search. In another language than English ("") its
    words tell. Raises `EmbedderError`."""
    if language:
        asked_for = what_is_asked_for(question, language)
        return asked_for is AskedFor.STEPS or (shows_list and asked_for is AskedFor.TOPIC)
    leaning = _nearness(question, "this", _STEPS_OF_ANYTHING) - _nearness(question, "this", _OTHERS)
    return leaning >= (_MIN_LEANING if shows_list else _CLEAR_LEANING)


def nearness_to_steps(question: str, heading: str) -> float:
    """How near the question is to one for the steps of what the heading names, up to 1; 0 where it asks for something
    else. Raises `EmbedderError`."""
    heading = " ".join(heading.split()).rstrip(":.?")
    steps = _nearness(question, heading, _STEPS)
    if steps < _MIN_NEARNESS:  # the model need not read the other wordings, of which there are twice as many
        return 0.0
    return steps if steps >= _nearness(question, heading, _OTHERS) - _TOLERANCE else 0.0


def _nearness(question: str, heading: str, kind: tuple[str, ...]) -> float:
    """How near the question is to the nearest wording of this kind."""
    return float((_wordings(heading, kind) @ local_embedder().embed_one(question)).max())


@lru_cache(maxsize=_MAX_CACHED_WORDINGS)
def _wordings(heading: str, kind: tuple[str, ...]) -> NDArray[np.float32]:
    return local_embedder().embed([one.replace("{}", heading) for one in kind])
