"""Learns which questions a decision tree takes, and says how right that is of trees that it did not learn from.

python -m benchmarks.tree_selection                 the classifier alone, in five folds of trees; writes nothing
python -m benchmarks.tree_selection --save          its weights of all sets, into querying/question/tree_selection.npz
python -m benchmarks.tree_selection --also FILE…    learns from these sets as well
python -m benchmarks.tree_selection --only FILE…    which questions in these files are taken, by all that is saved;
                                                    with --asked FILE, questions of documents (JSON lines) instead
python -m benchmarks.tree_selection --weigh FILE…   what the classifier and the cross-encoder count for, by these sets

A set holds trees of one plugin, and questions with the tree that should take them, or none: `other_topic` questions are
of the same organisation, the rest of those without a tree are about another matter of a tree's subject. For learning
each tree also gets questions that its documents answer: the wordings of `document_questions.txt` about the tree's name.
The sets in `minimal_pairs/` have questions that begin alike, of which a tree should take one; some follow on what was
said `earlier`, and a `further_condition` is one that the tree knows nothing of. Of questions in a tree's own words
`own_words` and `harmless_words` (a word or two more, which change nothing) ask for its decision, `term` and
`other_of_it` for what a word of it means and for something else about it. Those in `held_out/` are of the same kind,
and to judge by (docs/evaluation.md, "Which questions a tree takes"). The cross-encoder is learnt by
training/tree_selection.py.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np

from benchmarks._logistic_regression import fit_logistic_regression

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from knowledge.search.passages import Passage
    from querying.question.tree_selection import Features, TreeProfile, Weights

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lexic.settings")

SETS = Path(__file__).with_name("tree_questions")
FOLDS = 5
NUMBERS = 15  # of the features, before the 384 of the masked question
# How strongly large weights are punished: found by leaving out one fold after another.
_RIDGE = [1.0] * NUMBERS + [0.3] * 384 + [1e-6]
_PHRASE_RIDGE = 1.0
_THRESHOLD = -0.5  # of the classifier alone
_WORDINGS_EACH = 25  # of the wordings of document questions, for each tree
_LEAST_OFTEN = 5  # a phrase of fewer pairs is not learnt


@dataclass(frozen=True, kw_only=True)
class Pair:
    """A question and one of the trees of its set. `tree` and `taken_by` are named with the set; `taken_by` is empty
    where no tree should take the question."""

    set: str
    text: str
    tree: str
    taken_by: str
    is_other_topic: bool
    features: Features

    @property
    def is_own(self) -> bool:
        return self.tree == self.taken_by

    @property
    def nearness(self) -> float:
        return float(self.features.numbers[:4].max())


def pairs(path: Path) -> Iterator[Pair]:
    """Every question of the set with every tree of it."""
    from querying.question.tree_selection import read_features

    data = json.loads(path.read_text(encoding="utf-8"))
    for tree, profile in zip(data["trees"], _profiles(data), strict=True):
        for question in data["questions"]:
            text = question_text(question)
            yield Pair(
                set=path.stem,
                text=text,
                tree=f"{path.stem} {tree['key']}",
                taken_by=f"{path.stem} {question['tree']}" if question["tree"] else "",
                is_other_topic=question["why"] == "other_topic",
                features=read_features(profile, text),
            )


def document_questions(path: Path) -> Iterator[Pair]:
    """For each tree of the set some questions about its name that are no decision."""
    from querying.question.tree_selection import read_features

    wordings = (SETS / "document_questions.txt").read_text(encoding="utf-8").splitlines()
    data = json.loads(path.read_text(encoding="utf-8"))
    for tree, profile in zip(data["trees"], _profiles(data), strict=True):
        for wording in random.Random(f"{path.stem} {tree['key']}").sample(wordings, _WORDINGS_EACH):
            text = wording.format(tree["name"].rstrip("?."))
            yield Pair(
                set=path.stem,
                text=text,
                tree=f"{path.stem} {tree['key']}",
                taken_by="",
                is_other_topic=False,
                features=read_features(profile, text),
            )


def _profiles(data: dict[str, Any]) -> list[TreeProfile]:
    from querying.question.tree_selection import profile_tree
    from trees.definition.parser import parse_tree

    return [
        profile_tree(tree["name"], parse_tree(tree["tree"]), description=tree["description"]) for tree in data["trees"]
    ]


def question_text(question: dict[str, Any]) -> str:
    """As it is read, behind what was said before."""
    return "\n".join([*question.get("earlier", []), question["text"]])


def learnt(seen: Sequence[Pair]) -> Weights:
    """The weights, by logistic regression. Of the pairs that do not belong together an eighth counts, but for each
    question the nearest one: those are the ones to tell apart."""
    from querying.question.tree_selection import Weights

    nearest: dict[tuple[str, str], Pair] = {}
    for one in seen:
        best = nearest.setdefault((one.set, one.text), one)
        if one.nearness > best.nearness:
            nearest[one.set, one.text] = one
    dice = random.Random(3)
    kept = [one for one in seen if one.is_own or one is nearest[one.set, one.text] or dice.random() < 0.125]
    often = Counter(phrase for one in kept for phrase in one.features.phrases)
    phrases = sorted(phrase for phrase, count in often.items() if count >= _LEAST_OFTEN)
    rows, is_own = _rows(kept, phrases), np.array([one.is_own for one in kept])
    scale = np.ones(rows.shape[1], np.float32)
    scale[:NUMBERS] = rows[:, :NUMBERS].std(0, dtype=np.float64) + 1e-9
    rows /= scale
    ridge = np.array(_RIDGE + [_PHRASE_RIDGE] * len(phrases))
    weights = fit_logistic_regression(rows, is_own, ridge, steps=8) / scale
    return Weights(
        numbers=weights[: len(_RIDGE)].astype(np.float32),
        phrases=dict(zip(phrases, weights[len(_RIDGE) :].tolist(), strict=True)),
    )


def _rows(kept: Sequence[Pair], phrases: Sequence[str]) -> Any:
    """Float32 [pairs, numbers and phrases]."""
    column = {phrase: len(_RIDGE) + number for number, phrase in enumerate(phrases)}
    rows = np.zeros((len(kept), len(_RIDGE) + len(phrases)), np.float32)
    for row, one in zip(rows, kept, strict=True):
        row[: len(_RIDGE)] = one.features.numbers
        row[[column[phrase] for phrase in one.features.phrases if phrase in column]] = 1
    return rows


def print_taken(path: Path) -> None:
    """Of each kind of the questions, how many come out right: where nothing was found in the documents, and where they
    say each word of the question, but no passage two of them."""
    data = json.loads(path.read_text(encoding="utf-8"))
    stored = [
        {"name": one["name"], "description": one["description"], "tree_data": one["tree"]} for one in data["trees"]
    ]
    keys = {profile.name: tree["key"] for profile, tree in zip(_profiles(data), data["trees"], strict=True)}
    right = dict[str, list[tuple[bool, bool]]]()
    for question in data["questions"]:
        names = [_taken_by(stored, question, said_by_pages=words) for words in ("", question["text"])]
        silent, speaking = ((question["tree"] or "") == keys.get(name, "") for name in names)
        for kind in ("all of a tree" if question["tree"] else "all others", question["why"]):
            right.setdefault(kind, []).append((silent, speaking))
    print(path.stem)
    for kind, each in sorted(right.items()):
        totals = (sum(found) for found in zip(*each, strict=True))
        print(f"  {kind}: right {', '.join(map(str, totals))} of {len(each)}", flush=True)


def _taken_by(stored: list[dict[str, Any]], question: dict[str, Any], *, said_by_pages: str) -> str:
    """The name of the tree that answers or asks back, by all that the product goes by; "" where the documents do."""
    from asgiref.sync import async_to_sync

    from plugins.models import Release
    from querying.answering.llms.extractive import Extractive
    from querying.question.tree_consultation import consult_trees
    from querying.types.question import Caller, Question, Turn

    asked = Question(
        text=question["text"],
        release=Release(trees=stored),
        caller=Caller(name="benchmark"),
        context=tuple(Turn(role="user", content=text) for text in question.get("earlier", [])),
    )
    passages = [_passage(word) for word in said_by_pages.split()]
    return async_to_sync(consult_trees)(asked, passages=passages, llm=Extractive()).tree_name


def _passage(content: str) -> Passage:
    from knowledge.search.passages import Passage

    return Passage(
        chunk_id=0,
        document_id=UUID(int=0),
        document_title="",
        source_type="md",
        page_id=0,
        page_number=None,
        section_path=(),
        start=0,
        end=len(content),
        content=content,
        cosine=None,
        lexical=0.0,
        score=0.0,
        knowledge_base_id=0,
    )


def print_asked_of_documents(path: Path, asked: Path) -> None:
    """Which questions, none of which asks for a decision, the trees of the set take."""
    from querying.question.tree_selection import select_tree

    profiles = _profiles(json.loads(path.read_text(encoding="utf-8")))
    questions = [json.loads(line)["question"] for line in asked.read_text(encoding="utf-8").splitlines()]
    taken = [text for text in questions if select_tree(profiles, question=text)]
    print(f"{path.stem}: {len(taken)} of {len(questions)} taken", *taken, sep="\n  ", flush=True)


def weigh(paths: Sequence[Path]) -> NDArray[np.float64]:
    """What a constant, the classifier's score and the cross-encoder's log odds count for: float64 [3]. By questions
    that neither has learnt, with each tree that the classifier does not rule out: also those beyond the likeliest."""
    from querying.question.tree_selection import score_parts

    rows, is_own = list[tuple[float, float, float]](), list[bool]()
    for path in paths:
        data = json.loads(path.read_text(encoding="utf-8"))
        profiles = _profiles(data)
        for question in data["questions"]:
            parts = score_parts(profiles, question_text(question), most_read=len(profiles))
            for tree, part in zip(data["trees"], parts, strict=True):
                if part.log_odds is not None:
                    rows.append((1.0, part.by_words, part.log_odds))
                    is_own.append(tree["key"] == question["tree"])
    return fit_logistic_regression(np.array(rows), np.array(is_own), 1e-3, steps=20)


def print_shares(name: str, found: Sequence[tuple[Pair, float]]) -> None:
    """How many questions come out right by the classifier alone, where each is taken by the tree with the highest score
    above the threshold."""
    best: dict[tuple[str, str], tuple[Pair, float]] = {}
    for pair, score in found:
        key = (pair.set, pair.text)
        if key not in best or score > best[key][1]:
            best[key] = (pair, score)
    right: dict[str, list[bool]] = {"own": [], "same subject": [], "other topics": []}
    for pair, score in best.values():
        kind = "own" if pair.taken_by else "other topics" if pair.is_other_topic else "same subject"
        right[kind].append(pair.is_own and score > _THRESHOLD if pair.taken_by else score <= _THRESHOLD)
    shares = (
        f"{kind} {sum(which)} of {len(which)} ({sum(which) / max(1, len(which)):.3f})" for kind, which in right.items()
    )
    print(f"{name}: {', '.join(shares)}", flush=True)


def main() -> None:
    import django

    django.setup()
    from querying.question.tree_selection import save_weights

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--save", action="store_true")
    parser.add_argument("--also", type=Path, nargs="+", default=[])
    parser.add_argument("--only", type=Path, nargs="+")
    parser.add_argument("--asked", type=Path)
    parser.add_argument("--weigh", type=Path, nargs="+")
    given = parser.parse_args()
    if given.only:
        for path in given.only:
            print_asked_of_documents(path, given.asked) if given.asked else print_taken(path)
        return
    if given.weigh:
        print(weigh(given.weigh).round(3))
        return
    paths = [*sorted(SETS.glob("*.json")), *given.also]
    found = [one for path in paths for one in pairs(path)]
    made = [one for path in paths for one in document_questions(path)]
    if given.save:
        save_weights(learnt([*found, *made]))
    judged = judge_by_folds(found, made)
    for name in sorted({one.set for one in found}):
        print_shares(name, [(pair, score) for pair, score in judged if pair.set == name])
    print_shares("all", judged)


def judge_by_folds(found: Sequence[Pair], made: Sequence[Pair]) -> list[tuple[Pair, float]]:
    """Each pair with the score by weights that saw neither its tree nor the one that takes its question."""
    trees = sorted({one.tree for one in found})
    random.Random(1).shuffle(trees)
    judged: list[tuple[Pair, float]] = []
    for start in range(FOLDS):
        left_out = set(trees[start::FOLDS])
        weights = learnt([one for one in [*found, *made] if not {one.tree, one.taken_by} & left_out])
        judged += [(one, weights.score(one.features)) for one in found if one.tree in left_out]
    return judged


if __name__ == "__main__":
    main()
