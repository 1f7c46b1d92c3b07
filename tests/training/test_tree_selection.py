"""The program that trains the cross-encoder of trees, where PyTorch is installed (no dependency of the product)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.trees.growing import action, question, tree

torch = pytest.importorskip("torch", reason="PyTorch is not installed; only training needs it (training/README.md)")


def tree_of(key: str, name: str) -> dict[str, Any]:
    nodes = tree(question("kind", {"a": "x", "b": "y"}, text=f"Which {key}?"), action("x"), action("y"))
    return {"key": key, "name": name, "description": "", "tree": nodes}


SET = {
    "trees": [tree_of("cover", "Nominal cover"), tree_of("paint", "Paint systems"), tree_of("leave", "Annual leave")],
    "questions": [
        {"text": "Which cover does a beam need?", "tree": "cover", "why": "own"},
        {"text": "And indoors?", "tree": "cover", "why": "follow_up", "earlier": ["Which cover does a beam need?"]},
        {"text": "Who checks the cover?", "tree": "", "why": "other_matter"},
        {"text": "Where is the car park?", "tree": "", "why": "other_topic"},
    ],
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "office.json"
    path.write_text(json.dumps(SET))
    return path


def test_a_question_is_paired_with_its_own_tree_and_with_others(path: Path) -> None:
    from training.tree_selection import build_pairs

    pairs = build_pairs([path] * 8)
    assert build_pairs([path] * 8) == pairs
    own = [pair for pair in pairs if pair.is_own]
    assert {pair.question for pair in own} == {
        "Which cover does a beam need?",
        "Which cover does a beam need?\nAnd indoors?",
    }
    assert all(pair.tree_text.startswith("Nominal cover.") for pair in own)
    others = {pair.question: pair.tree_text for pair in pairs if not pair.is_own}
    assert {"Which cover does a beam need?", "Who checks the cover?", "Where is the car park?"} <= others.keys()
    assert any("Nominal cover" in pair.question and not pair.is_own for pair in pairs)  # asked of documents


def test_no_set_that_judges_is_learnt() -> None:
    from training.tree_selection import LEFT_OUT, SETS, learnt_sets

    learnt = {path.stem for path in learnt_sets()}
    assert len(learnt) > 30
    assert {path.stem for path in SETS.rglob("*.json")} >= set(LEFT_OUT)
    assert not learnt & {*LEFT_OUT, *(path.stem for path in SETS.glob("held_out/*.json"))}


def test_a_short_training_gives_a_network_that_has_moved(path: Path) -> None:
    from dataclasses import replace

    from querying.retrieval.answer_cross_encoder import WEIGHTS
    from training.tree_selection import SETTINGS, build_pairs, train

    log: list[dict[str, Any]] = []
    pairs = build_pairs([path] * 4)
    settings = replace(SETTINGS, batch_size=8, epochs=1, warm_up_steps=1)
    network = train(pairs, settings, log, start=WEIGHTS)
    assert log[-1]["step"] == len(pairs) // 8
    again = train(pairs, replace(settings, epochs=8.5 / len(pairs)), [], start=WEIGHTS)
    moved = zip(network.trained_weights(), again.trained_weights(), strict=True)
    assert any(not torch.allclose(one, other) for (_, one), (_, other) in moved)
