"""Trains the cross-encoder of querying/question/tree_cross_encoder.py and writes its weights.

    python -m training.tree_selection OUT
    python -m training.tree_selection OUT --start WEIGHTS --sets SET.json … --epochs .8 --share .5

It goes on from the weights of the one that reads excerpts, with the sets of benchmarks/tree_questions: a question that
a tree should take with that tree, and with others; one that no tree should take with the nearest ones; and for each
tree questions about its name that are asked of documents. The sets in `held_out/` and those of `LEFT_OUT` are not
learnt: by three of the latter the network and the classifier are weighed (`benchmarks/tree_selection.py --weigh`).
With `--share` the weights are the mean of those of `--start` and of what was learnt, which counts so much.

OUT gets `tree_cross_encoder.safetensors` and `training.json`: the hash of the pairs, the settings and the loss. About
half an hour on one core. The same seed gives the same order of pairs; sums of several threads differ in their last
digits.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from benchmarks.tree_selection import SETS, question_text
from knowledge.embedders import cross_encoder_input, local_embedder
from knowledge.embedders.bert import pad_rows
from knowledge.embedders.wordpiece import PAD_ID
from querying.question import tree_cross_encoder
from querying.retrieval import answer_cross_encoder
from training import minilm
from training.export import average_weights, load_weights, save_weights
from training.inputs import function_word_ids
from training.network import CrossEncoderNetwork
from training.pairs import sha256_of_lines
from training.train import Settings, batches, make_optimizer, set_learning_rate
from trees.definition.parser import parse_tree

LEFT_OUT = ("hospital_ward", "mortgage_bank", "software_team", "employee_handbook")
SETTINGS = Settings(epochs=1.5, learning_rate=8e-5, new_parts_factor=3.0, warm_up_steps=100)
# Of the pairs that do not belong together these shares are learnt.
_NEAREST_OTHER, _ANY_OTHER, _OTHER_TOPIC, _SECOND_TREE = 0.5, 0.25, 0.8, 0.3
_WORDINGS_EACH = 2
_WITHOUT_DESCRIPTION = 0.25
# Of the questions in the words of a tree that should leave them alone, this share is learnt once more as replies to
# questions that it should take.
_AS_REPLY = 0.4
_NEAR_MISSES = frozenset({"term", "other_of_it", "further_condition"})


@dataclass(frozen=True, kw_only=True)
class TreePair:
    """A question and what is read of a tree; `is_own` where the tree should take it."""

    question: str
    tree_text: str
    is_own: bool


@dataclass(frozen=True, kw_only=True)
class Example:
    """A pair as the network reads it."""

    ids: list[int]
    marks: list[int]
    is_own: bool

    @property
    def length(self) -> int:
        return len(self.ids)


def learnt_sets() -> list[Path]:
    """The files of the sets that are learnt from."""
    paths = [*sorted(SETS.glob("*.json")), *sorted(SETS.glob("minimal_pairs/*.json"))]
    return [path for path in paths if path.stem not in LEFT_OUT]


def build_pairs(paths: Sequence[Path], *, seed: int = 5) -> list[TreePair]:
    """The pairs of the sets. The same sets and seed give the same pairs."""
    rng = random.Random(seed)
    return [pair for path in paths for pair in _pairs_of(json.loads(path.read_text(encoding="utf-8")), rng)]


def _pairs_of(data: dict[str, Any], rng: random.Random) -> Iterator[TreePair]:
    texts = _TreeTexts(data, rng)
    for question, nearest in zip(data["questions"], _nearest_trees(data), strict=True):
        for key in _trees_to_read(question, nearest, rng):
            yield TreePair(question=question_text(question), tree_text=texts[key], is_own=key == question["tree"])
        if question["why"] in _NEAR_MISSES and rng.random() < _AS_REPLY:
            asked = rng.choice([one for one in data["questions"] if one["tree"] == nearest[0]])
            reply = {**question, "earlier": [question_text(asked)]}
            yield TreePair(question=question_text(reply), tree_text=texts[nearest[0]], is_own=False)
    wordings = (SETS / "document_questions.txt").read_text(encoding="utf-8").splitlines()
    for tree in data["trees"]:
        for wording in rng.sample(wordings, _WORDINGS_EACH):
            asked = wording.format(tree["name"].rstrip("?."))
            yield TreePair(question=asked, tree_text=texts[tree["key"]], is_own=False)


class _TreeTexts:
    """What is read of each tree, of some pairs without its description: not every author writes one."""

    def __init__(self, data: dict[str, Any], rng: random.Random) -> None:
        self._rng = rng
        self._texts = {
            tree["key"]: (_tree_text(tree, tree["description"]), _tree_text(tree, "")) for tree in data["trees"]
        }

    def __getitem__(self, key: str) -> str:
        return self._texts[key][self._rng.random() < _WITHOUT_DESCRIPTION]


def _tree_text(tree: dict[str, Any], description: str) -> str:
    return tree_cross_encoder.tree_text(tree["name"], description, parse_tree(tree["tree"]))


def _trees_to_read(question: dict[str, Any], nearest: Sequence[str], rng: random.Random) -> Iterator[str]:
    if question["tree"]:
        yield question["tree"]
        others = [key for key in nearest if key != question["tree"]]
        if others and rng.random() < _NEAREST_OTHER:
            yield others[0]
        if others[1:] and rng.random() < _ANY_OTHER:
            yield rng.choice(others[1:])
    elif question["why"] == "other_topic":
        if rng.random() < _OTHER_TOPIC:
            yield rng.choice(nearest[:3])
    else:
        yield nearest[0]
        if len(nearest) > 1 and rng.random() < _SECOND_TREE:
            yield nearest[1]


def _nearest_trees(data: dict[str, Any]) -> list[list[str]]:
    """For each question the keys of the trees, those with the nearest name and description first."""
    embed = local_embedder().embed_one
    keys = [tree["key"] for tree in data["trees"]]
    trees = np.array([embed(f"{tree['name']}. {tree['description']}"[:600]) for tree in data["trees"]])
    questions = np.array([embed(question_text(question)[:600]) for question in data["questions"]])
    return [[keys[at] for at in order] for order in np.argsort(-(questions @ trees.T), axis=1)]


def train(
    pairs: Sequence[TreePair], settings: Settings, log: list[dict[str, Any]], *, start: Path
) -> CrossEncoderNetwork:
    """The trained network, from the weights of `start` on; `log` grows by the loss of every 50 steps."""
    torch.manual_seed(settings.seed)
    rng = random.Random(settings.seed)
    network = CrossEncoderNetwork()
    load_weights(network, start)
    optimizer = make_optimizer(network, settings)
    examples = [_prepare(pair) for pair in pairs]
    steps, losses = int(settings.epochs * len(examples) / settings.batch_size), list[float]()
    network.train()
    while len(losses) < steps:
        for batch in batches(examples, settings, rng):
            set_learning_rate(optimizer, settings, step=len(losses), steps=steps)
            losses.append(_learn(network, optimizer, batch))
            if len(losses) % 50 == 0 or len(losses) == steps:
                log.append({"step": len(losses), "loss": round(float(np.mean(losses[-100:])), 4)})
                print(f"{len(losses)} of {steps}: {log[-1]['loss']}", flush=True)
            if len(losses) == steps:
                break
    return network


def _learn(network: CrossEncoderNetwork, optimizer: torch.optim.Optimizer, batch: Sequence[Example]) -> float:
    likely, _ = network(*_padded(batch))
    expected = torch.tensor([float(example.is_own) for example in batch])
    loss = functional.binary_cross_entropy_with_logits(likely, expected)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    optimizer.step()
    return float(loss.item())


def _prepare(pair: TreePair) -> Example:
    ids, marks = cross_encoder_input.pair_tokens(
        tree_cross_encoder.question_tokens(minilm.tokenizer(), pair.question),
        tree_cross_encoder.tree_tokens(minilm.tokenizer(), pair.tree_text),
        function_words=function_word_ids(),
    )
    return Example(ids=ids, marks=marks, is_own=pair.is_own)


def _padded(batch: Sequence[Example]) -> tuple[Tensor, Tensor]:
    """Token numbers and marks, int64 [batch, tokens]."""
    ids = pad_rows([example.ids for example in batch], value=PAD_ID)
    marks = pad_rows([example.marks for example in batch], value=cross_encoder_input.SPECIAL)
    return torch.from_numpy(ids), torch.from_numpy(marks)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--start", type=Path, default=answer_cross_encoder.WEIGHTS, help="weights to go on from")
    parser.add_argument("--sets", type=Path, nargs="+", help="learn from these files alone")
    parser.add_argument("--epochs", type=float, default=SETTINGS.epochs)
    parser.add_argument("--learning-rate", type=float, default=SETTINGS.learning_rate)
    parser.add_argument("--seed", type=int, default=SETTINGS.seed)
    parser.add_argument("--share", type=float, default=1.0, help="what the new weights count for, of 1")
    given = parser.parse_args()
    settings = replace(SETTINGS, epochs=given.epochs, learning_rate=given.learning_rate, seed=given.seed)
    given.out.mkdir(parents=True, exist_ok=True)
    pairs, log = build_pairs(given.sets or learnt_sets()), list[dict[str, Any]]()
    network = train(pairs, settings, log, start=given.start)
    average_weights(network, given.start, share=given.share)
    save_weights(network, given.out / tree_cross_encoder.WEIGHTS.name)
    record = {
        "pairs": len(pairs),
        "pairs_sha256": sha256_of_lines([asdict(pair) for pair in pairs]),
        "settings": asdict(settings),
        "share": given.share,
        "log": log,
    }
    (given.out / "training.json").write_text(f"{json.dumps(record, indent=1)}\n")


if __name__ == "__main__":
    main()
