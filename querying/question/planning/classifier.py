"""Classifies what a question wants, and which of its labels and times are filters: two linear classifiers over MiniLM.

Both read the question with its labels and times masked by ordinary words, so that only the wording counts.
`benchmarks/planning.py` learns the weights from question lists.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from knowledge.embedders import local_embedder
from language.terms import terms
from querying.question.planning.query_plan import Mention

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

# "list": documents; "text": what they say; the others are intents, of somebody's doings.
INTENTS = ("accomplishments", "in_flight", "recap")
WANTS = ("list", "text", *INTENTS)
_KINDS = ("doc_types", "projects", "statuses", "tags", "time")
_MASKS = {"projects": "Atlas", "statuses": "finished", "tags": "cooking", "time": "then"}
_PREPOSITION = re.compile(r"(?:in|from|since|before|after|during|of|on|until|for|over|by|between)\b", re.IGNORECASE)
_MAX_CHARACTERS = 600


@dataclass(frozen=True, kw_only=True)
class QuestionClass:
    """`wants`: one of `WANTS`. `filters`: for each place how sure it is a filter; above 0 it is one."""

    wants: str
    filters: tuple[float, ...]


def classify(text: str, places: Sequence[Mention]) -> QuestionClass:
    """What the text wants, and how its places are meant. They must not overlap and stand in order.

    The local model reads the masked text once. Raises `EmbedderRejected` where its files are not installed.
    """
    sentence, named = features(text, places)
    weights = _weights()
    wants = WANTS[int(np.argmax(sentence @ weights["wants"]))]
    return QuestionClass(wants=wants, filters=tuple(float(one) for one in named @ weights["filters"]))


def says_intent(text: str, places: Sequence[Mention], place: Mention, *, gain: float) -> bool:
    """Whether the words at this place say what is wanted ("what am I *working* on?") and are no label. They do where
    the text is one of `INTENTS`, and its score falls by `gain` at least when the place is masked."""
    plain = _want_scores(text, [other for other in places if other != place])
    best = int(np.argmax(plain))
    is_intent = WANTS[best] in INTENTS and plain[best] > 0
    return is_intent and float(plain[best] - _want_scores(text, places)[best]) >= gain


def _want_scores(text: str, places: Sequence[Mention]) -> Vector:
    masked, _ = _masked(text, places)
    vector = local_embedder().embed_one(masked)
    return _sentence_features(text, places, vector) @ _weights()["wants"]


def features(text: str, places: Sequence[Mention]) -> tuple[Vector, Vector]:
    """What the classifiers see: one row for the sentence, and one for each place."""
    masked, spans = _masked(text, places)
    embedder = local_embedder()
    vector = embedder.embed_one(masked)
    ((states, offsets),) = embedder.token_states([masked])
    kinds = _kinds(places)
    sentence = _sentence_features(text, places, vector)
    rows = [_state(states, offsets, *span) for span in spans]
    named = [np.concatenate([row, sentence, kind]) for row, kind in zip(rows, kinds, strict=True)]
    return sentence.astype(np.float32), np.array(named, np.float32).reshape(
        len(named), states.shape[1] + len(sentence) + len(_KINDS)
    )


def _sentence_features(text: str, places: Sequence[Mention], vector: Vector) -> Vector:
    return np.concatenate([vector, _structure(text, places), _kinds(places).max(0, initial=0.0), [1.0]])


def _kinds(places: Sequence[Mention]) -> Vector:
    return np.array([[place.kind == kind for kind in _KINDS] for place in places], np.float32).reshape(-1, len(_KINDS))


def _masked(text: str, places: Sequence[Mention]) -> tuple[str, list[tuple[int, int]]]:
    """The text with a word for every place, and where these stand."""
    masked, spans, at = "", [], 0
    for place in places:
        said = text[place.start : place.end]
        mask = _MASKS.get(place.kind) or ("notes" if said.lower().endswith("s") else "note")
        if place.kind == "time" and (preposition := _PREPOSITION.match(said)):
            mask = f"{preposition.group()} {mask}"
        masked += text[at : place.start]
        spans.append((len(masked), len(masked) + len(mask)))
        masked, at = masked + mask, place.end
    return (masked + text[at:])[:_MAX_CHARACTERS], spans


def _structure(text: str, places: Sequence[Mention]) -> Vector:
    """How much of the text is neither a place nor a stop word, and how it ends."""
    rest, at = "", 0
    for place in places:
        rest, at = f"{rest}{text[at : place.start]} ", place.end
    left = len(terms(rest + text[at:]))
    return np.array([min(left, 6) / 3, left == 0, left == 1, text.rstrip().endswith("?")], np.float32)


def _state(states: Vector, offsets: Sequence[tuple[int, int]], start: int, end: int) -> Vector:
    """The mean of the states of the tokens there, about as long as a unit vector."""
    inside = [at for at, (first, last) in enumerate(offsets) if first < end and last > start]
    return states[inside].mean(0) / 8 if inside else np.zeros(states.shape[1], np.float32)


@cache
def _weights() -> dict[str, Vector]:
    with np.load(Path(__file__).with_name("classifier.npz")) as file:
        return {name: file[name].astype(np.float32) for name in file.files}
