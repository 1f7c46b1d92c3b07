"""Learns the weights of the planner's classifiers, and says how right plans are of a list that they did not learn from.

python -m benchmarks.planning            each list planned with weights of all the other lists; writes nothing
python -m benchmarks.planning --save     weights of all lists, into querying/question/planning/classifier.npz
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._logistic_regression import fit_logistic_regression

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lexic.settings")

LISTS = ("seen", "unseen", "held_out", "posts", "own", "own_f", *(f"stranger_{letter}" for letter in "abcde"))
PRACTICE = Path(__file__).with_suffix(".txt")
_KINDS = {"d": "doc_types", "g": "tags", "p": "projects", "s": "statuses", "t": "time"}
_PLACE = re.compile(r"[\[{](\w):([^\]}]*)[\]}]")
# How strongly large weights are punished: found by leaving out one list after another.
_RIDGE = {"wants": 0.05, "filters": 0.2}


@dataclass(frozen=True, kw_only=True)
class Marked:
    """A place of a practised question."""

    kind: str
    start: int
    end: int
    is_filter: bool


@dataclass(frozen=True, kw_only=True)
class Example:
    """What the classifiers see of a question, and what they should say."""

    list: str
    sentence: Any
    named: Any
    wants: int
    filters: Sequence[bool]


def practice() -> Iterator[Example]:
    """The questions of `planning.txt`."""
    for line in PRACTICE.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            wants, _, marked = line.partition(" | ")
            text, places, at = "", [], 0
            for match in _PLACE.finditer(marked):
                text += marked[at : match.start()]
                end = len(text) + len(match[2])
                is_filter = match.group()[0] == "["
                places.append(Marked(kind=_KINDS[match[1]], start=len(text), end=end, is_filter=is_filter))
                text, at = text + match[2], match.end()
            yield _example("practice", text + marked[at:], places, wants, [place.is_filter for place in places])


def examples(name: str) -> Iterator[Example]:
    """The questions of one list of tests/querying/question/planning."""
    from querying.question.planning.rule_planner import find_mentions
    from tests.querying.question.planning.lists import TODAY, read

    for asked in read(name):
        places = find_mentions(asked.question, asked.vocabulary, TODAY)
        intent = asked.labels.get("intent") or asked.intent or "list"
        wants = "text" if asked.kind in ("search", "open") else "list" if intent == "lookup" else intent
        yield _example(name, asked.question, places, wants, [_is_filter(place, asked) for place in places])


def _is_filter(place: Any, asked: Any) -> bool:
    if place.kind == "time":
        days = (place.days.first, place.days.last)
        return bool(asked.days == tuple(day and day.isoformat() for day in days))
    named = asked.labels.get({"projects": "project"}.get(place.kind, place.kind), ())
    return place.label == named or (not isinstance(named, str) and place.label in named)


def _example(name: str, text: str, places: Sequence[Any], wants: str, filters: Sequence[bool]) -> Example:
    from querying.question.planning.classifier import WANTS, features

    sentence, named = features(text, places)
    return Example(list=name, sentence=sentence, named=named, wants=WANTS.index(wants), filters=filters)


def learnt(seen: Sequence[Example]) -> dict[str, Any]:
    """The weights that these examples give."""
    sentences = np.array([one.sentence for one in seen], float)
    wants = np.array([one.wants for one in seen])
    named = np.concatenate([one.named for one in seen if len(one.named)]).astype(float)
    filters = np.concatenate([one.filters for one in seen])
    columns = [fit_logistic_regression(sentences, wants == number, _RIDGE["wants"]) for number in range(5)]
    return {"wants": np.array(columns).T, "filters": fit_logistic_regression(named, filters, _RIDGE["filters"])}


def _right(name: str, weights: dict[str, Any], *, is_told: bool) -> tuple[int, int]:
    from querying.question.planning import classifier
    from tests.querying.question.planning.lists import read

    plain = classifier._weights
    classifier._weights = lambda: weights  # type: ignore[assignment]
    try:
        right = {asked.question: asked.is_right() for asked in read(name)}
        if is_told:
            for asked in read(name):
                if not right[asked.question]:
                    print("   ", asked.question, asked.plan().as_dict())
    finally:
        classifier._weights = plain
    return sum(right.values()), len(right)


def main() -> None:
    import django

    django.setup()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--save", action="store_true")
    parser.add_argument("--wrong", action="store_true", help="print the plans that are not right")
    given = parser.parse_args()
    found = [*practice(), *(one for name in LISTS for one in examples(name))]
    if given.save:
        weights = {name: value.astype(np.float16) for name, value in learnt(found).items()}
        np.savez_compressed(Path("querying/question/planning/classifier.npz"), **weights)
        weights = {name: value.astype(np.float32) for name, value in weights.items()}
    for name in LISTS:
        others = weights if given.save else learnt([one for one in found if one.list != name])
        right, number = _right(name, others, is_told=given.wrong)
        print(f"{name}: {right} of {number}", flush=True)


if __name__ == "__main__":
    main()
