"""Learns which questions a decision tree takes, and says how right that is of trees that it did not learn from.

python -m benchmarks.tree_selection                 five folds of trees; writes nothing
python -m benchmarks.tree_selection --save          weights of all sets, into querying/question/tree_selection.npz
python -m benchmarks.tree_selection --only FILE     how right the saved weights are of the questions in this file

A set holds trees of one plugin, and questions with the tree that should take them, or none: `other_topic` questions are
of the same organisation, the rest of those without a tree are about another matter of a tree's subject.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._logistic_regression import fit_logistic_regression

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lexic.settings")

SETS = Path(__file__).with_name("tree_questions")
FOLDS = 5
NUMBERS = 15  # of the features, before the 384 of the masked question
# How strongly large weights are punished: found by leaving out one fold after another.
_RIDGE = np.array([1.0] * NUMBERS + [0.3] * 384 + [1e-6])


@dataclass(frozen=True, kw_only=True)
class Pair:
    """A question and one of the trees of its set. `tree` and `taken_by` are named with the set; `taken_by` is empty
    where no tree should take the question."""

    set: str
    text: str
    tree: str
    taken_by: str
    is_other_topic: bool
    features: Any

    @property
    def is_own(self) -> bool:
        return self.tree == self.taken_by


def pairs(path: Path) -> Iterator[Pair]:
    """Every question of the set with every tree of it."""
    from querying.question.tree_selection import features, profile_tree
    from trees.definition.parser import parse_tree

    data = json.loads(path.read_text(encoding="utf-8"))
    for tree in data["trees"]:
        profile = profile_tree(f"{tree['name']} {tree['description']}", parse_tree(tree["tree"]))
        for question in data["questions"]:
            yield Pair(
                set=path.stem,
                text=question["text"],
                tree=f"{path.stem} {tree['key']}",
                taken_by=f"{path.stem} {question['tree']}" if question["tree"] else "",
                is_other_topic=question["why"] == "other_topic",
                features=features(profile, question["text"]),
            )


def learnt(seen: Sequence[Pair]) -> Any:
    """The weights, float [400], by logistic regression. Of the pairs that do not belong together
    an eighth counts, but for each question the nearest one: those are the ones to tell apart."""
    nearest: dict[tuple[str, str], Pair] = {}
    for one in seen:
        best = nearest.setdefault((one.set, one.text), one)
        if one.features[:4].max() > best.features[:4].max():
            nearest[one.set, one.text] = one
    dice = random.Random(3)
    kept = [one for one in seen if one.is_own or one is nearest[one.set, one.text] or dice.random() < 0.125]
    rows, is_own = np.array([one.features for one in kept], float), np.array([one.is_own for one in kept])
    scale = np.ones(rows.shape[1])
    scale[:NUMBERS] = rows[:, :NUMBERS].std(0) + 1e-9
    rows /= scale
    return fit_logistic_regression(rows, is_own, _RIDGE, steps=8) / scale


def print_shares(name: str, found: Sequence[tuple[Pair, float]]) -> None:
    """How many questions come out right, where each is taken by the tree with the highest score above the threshold."""
    from querying.question.tree_selection import THRESHOLD

    best: dict[tuple[str, str], tuple[Pair, float]] = {}
    for pair, score in found:
        key = (pair.set, pair.text)
        if key not in best or score > best[key][1]:
            best[key] = (pair, score)
    right: dict[str, list[bool]] = {"own": [], "same subject": [], "other topics": []}
    for pair, score in best.values():
        kind = "own" if pair.taken_by else "other topics" if pair.is_other_topic else "same subject"
        right[kind].append(pair.is_own and score > THRESHOLD if pair.taken_by else score <= THRESHOLD)
    shares = (
        f"{kind} {sum(which)} of {len(which)} ({sum(which) / max(1, len(which)):.3f})" for kind, which in right.items()
    )
    print(f"{name}: {', '.join(shares)}", flush=True)


def main() -> None:
    import django

    django.setup()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--save", action="store_true")
    parser.add_argument("--only", type=Path)
    given = parser.parse_args()
    if given.only:
        from querying.question.tree_selection import _weights

        print_shares(given.only.stem, [(one, float(one.features @ _weights())) for one in pairs(given.only)])
        return
    found = [one for path in sorted(SETS.glob("*.json")) for one in pairs(path)]
    if given.save:
        np.savez_compressed(Path("querying/question/tree_selection.npz"), weights=learnt(found).astype(np.float16))
    trees = sorted({one.tree for one in found})
    random.Random(1).shuffle(trees)
    judged: list[tuple[Pair, float]] = []
    for start in range(FOLDS):
        left_out = set(trees[start::FOLDS])
        seen = [one for one in found if not {one.tree, one.taken_by} & left_out]
        weights = learnt(seen)
        judged += [(one, float(one.features @ weights)) for one in found if one.tree in left_out]
    for name in sorted({one.set for one in found}):
        print_shares(name, [(pair, score) for pair, score in judged if pair.set == name])
    print_shares("all", judged)


if __name__ == "__main__":
    main()
