from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file

from knowledge.embedders import bert
from knowledge.embedders.cross_encoder import FROZEN_LAYERS
from querying.question.tree_cross_encoder import (
    MAX_QUESTION_TOKENS,
    MAX_TREE_TOKENS,
    WEIGHTS,
    TreeCrossEncoder,
    is_english,
    tree_text,
)
from tests.trees.growing import action, condition, cover_tree, question, tree
from trees.definition.parser import parse_tree

COVER = "Nominal cover. The least cover that concrete members need, by exposure. 45 mm. Which exposure?"
VET = "How soon must the animal be seen? See it at once. See it the same day. What is the worst sign?"
# Question, tree, and what the network of training/network.py says of them with the shipped weights (PyTorch 2.13,
# float32). New weights need new figures.
REFERENCE = [
    ("What cover does a beam need outdoors?", COVER, 0.0298),
    ("Who checks the cover of a beam?", COVER, 0.0015),
    ("My Labrador has vomited since Tuesday: how soon must he be seen?", VET, 0.0129),
    ("My Labrador has vomited since Tuesday: who pays if the vet comes out?", VET, 0.0004),
]


@pytest.fixture(scope="module")
def exact() -> TreeCrossEncoder:
    return TreeCrossEncoder(precision="f32", threads=1)


@pytest.mark.parametrize(("asked", "text", "expected"), REFERENCE)
def test_the_product_computes_what_was_trained(exact: TreeCrossEncoder, asked: str, text: str, expected: float):
    assert exact.probabilities(asked, [text]) == [pytest.approx(expected, abs=3e-3)]


def test_several_trees_in_one_run_are_read_as_each_alone(exact: TreeCrossEncoder):
    asked = "What cover does a beam need outdoors?"
    alone = [exact.probabilities(asked, [text])[0] for text in (COVER, VET)]
    assert exact.probabilities(asked, [COVER, VET]) == pytest.approx(alone, abs=1e-4)
    assert exact.probabilities(asked, []) == []


@pytest.mark.parametrize(("is_native", "precision"), [(True, "bf16"), (False, "f32")])
def test_without_measured_ranges_nothing_is_rounded_to_eight_bits(
    monkeypatch: pytest.MonkeyPatch, is_native: bool, precision: str
):
    monkeypatch.setattr(bert, "computes_in_bf16", lambda: is_native)
    assert TreeCrossEncoder(threads=1).precision == precision


def test_of_a_long_question_the_end_is_read_and_of_a_long_tree_the_start(exact: TreeCrossEncoder):
    story = "He was fine in the morning. " * 400
    ((asked, read),) = exact.pairs(f"{story}How soon must he be seen?", [VET + " See it later." * 400])
    assert len(asked) == MAX_QUESTION_TOKENS
    assert asked[-7:] == exact.tokenizer.tokens("How soon must he be seen?").ids
    assert len(read) == MAX_TREE_TOKENS
    assert read[:8] == exact.tokenizer.tokens("How soon must the animal be seen?").ids


def test_a_tree_is_read_as_its_name_its_description_its_questions_with_answers_and_its_advice():
    synonyms = {"steel": ["iron", "metal", "girder"]}
    painted = parse_tree(
        tree(
            question(
                "surface",
                {"steel": "thick", "wood": "b"},
                text="Which surface is painted?",
                extractFrom="surface",
                synonyms=synonyms,
            ),
            action("a", "Two coats of primer."),
            action("b", "One coat of varnish."),
            condition("thick", "thickness_mm", "gt", 3, true="a", false="b"),
        )
    )
    expected = (
        "Paint. By surface. Which surface is painted? steel (iron, metal), wood. What is the thickness mm? "
        "One coat of varnish. Two coats of primer."
    )
    assert tree_text("Paint", "By surface.", painted) == expected
    assert tree_text("Paint.", "", painted).startswith("Paint. Which surface")
    assert tree_text("Which paint?", "", painted).startswith("Which paint? Which surface")


def test_of_many_answers_the_first_are_read_so_that_the_advice_still_is():
    countries = {f"Country {number}": "a" for number in range(100)}
    spelled = {"country 0": ["Home"]}
    asked = question("where", countries, text="Where is it?", extractFrom="country", synonyms=spelled)
    text = tree_text("Travel", "", parse_tree(tree(asked, action("a", "Ask first."))))
    assert text.startswith("Travel. Where is it? Country 0 (Home), Country 1, ")
    assert text.endswith("Country 11. Ask first.")


@given(asked=st.text(max_size=60), text=st.text(max_size=200))
@settings(max_examples=25)
def test_any_texts_get_a_probability(exact: TreeCrossEncoder, asked: str, text: str):
    (found,) = exact.probabilities(asked, [text])
    assert 0 <= found <= 1


def test_the_weights_are_small_and_hold_no_layer_of_minilm():
    weights = load_file(WEIGHTS)
    layers = {int(name.split(".")[2]) for name in weights if name.startswith("encoder.layer.")}
    assert min(layers) == FROZEN_LAYERS
    assert WEIGHTS.stat().st_size < 8_000_000
    assert all(np.isfinite(values).all() for values in weights.values())


def test_what_an_authors_tree_says_can_be_read(exact: TreeCrossEncoder):
    text = tree_text("Nominal cover", "", cover_tree())
    asked, another = (exact.probabilities(one, [text])[0] for one in ("What cover is required?", "Who won the cup?"))
    assert asked > 0.5 > another


@pytest.mark.xfail(strict=True, reason="“outdoors” looks like a condition that the tree, which says “exposure”, lacks")
def test_a_condition_in_other_words_than_the_trees_is_no_further_one(exact: TreeCrossEncoder):
    about = "The least cover that concrete members such as beams and slabs need, by exposure."
    text = tree_text("Nominal cover", about, cover_tree())
    assert exact.probabilities("What nominal cover does a concrete beam need outdoors?", [text])[0] > 0.5


def test_eight_bits_without_ranges_are_refused():
    with pytest.raises(ValueError, match="ranges"):
        TreeCrossEncoder(precision="int8")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("How soon must the animal be seen?", True),
        ("Vomiting for 30 hours?", True),
        ("Wat is de betondekking van een balk buiten?", False),
        ("Darf ich nächste Woche Work from Home machen?", False),
    ],
)
def test_what_is_english_is_told_from_what_is_not(text: str, expected: bool):
    assert is_english(text) is expected
