from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file

from knowledge.embedders import bert, cross_encoder, cross_encoder_input, minilm
from knowledge.embedders.bert import Precision, usual_precision
from knowledge.embedders.cross_encoder import FROZEN_LAYERS
from knowledge.embedders.int8 import load_inputs
from querying.retrieval import answer_cross_encoder
from querying.retrieval.answer_cross_encoder import INT8_INPUTS, WEIGHTS, AnswerCrossEncoder, Excerpt

LEAVE = "| Employment | Annual leave |\n| --- | --- |\n| Full-time staff | 25 days |\n| Interns | 10 days |"
COVER = "The minimum cover for beams is 45 mm. Records are kept for audit."
REPORT = "The report is signed by the head of the laboratory. " + "It is kept for ten years. " * 60
# Question, title, text, and what the network of training/network.py says of them with the shipped weights (PyTorch
# 2.13, float32). New weights need new figures.
REFERENCE = [
    ("What is the minimum cover for a beam?", "Concrete > Cover", COVER, 0.9956),
    ("What is the minimum cover for a slab?", "Concrete > Cover", COVER, 0.0025),
    ("How many days of leave do part-time staff get?", "Staff handbook", LEAVE, 0.0019),
    ("How many days of leave do interns get?", "Staff handbook", LEAVE, 0.9770),
    ("When may a visitor leave the building?", "", "Visitors sign in at the desk and wear a badge.", 0.0111),
    ("Who signs the report?", "Reports", REPORT, 0.9874),
]


@pytest.fixture(scope="module")
def exact() -> AnswerCrossEncoder:
    return AnswerCrossEncoder(precision="f32", threads=1)


def excerpt(text: str, *, title: str = "", center: tuple[int, int] = (0, 20)) -> Excerpt:
    return Excerpt(title=title, text=text, center=center)


@pytest.mark.parametrize(("question", "title", "text", "expected"), REFERENCE)
def test_the_product_computes_what_was_trained(
    exact: AnswerCrossEncoder, question: str, title: str, text: str, expected: float
):
    assert exact.probability(question, excerpt(text, title=title)) == pytest.approx(expected, abs=2e-3)


def test_several_excerpts_in_one_run_are_read_as_each_alone(exact: AnswerCrossEncoder):
    texts = [excerpt(COVER, title="Concrete > Cover"), excerpt(REPORT), excerpt(LEAVE, title="Staff handbook")]
    asked = "What is the minimum cover for a beam?"
    alone = [exact.probability(asked, each) for each in texts]
    assert exact.probabilities(asked, texts) == pytest.approx(alone, abs=1e-4)
    assert exact.probabilities(asked, []) == []


@pytest.mark.parametrize("precision", ["int8", "bf16"])
def test_lower_precisions_say_nearly_the_same(precision: Precision):
    if precision == "int8" and usual_precision() != "int8":
        pytest.skip("without VNNI the sums of two products of eight bits overflow; float32 is read there")
    rounded = AnswerCrossEncoder(precision=precision, threads=1)
    for question, title, text, expected in REFERENCE:
        assert rounded.probability(question, excerpt(text, title=title)) == pytest.approx(expected, abs=0.1)


@pytest.mark.parametrize(("is_native", "precision"), [(True, "int8"), (False, "f32")])
def test_eight_bits_are_read_only_where_the_processor_multiplies_them_quickly(
    monkeypatch: pytest.MonkeyPatch, is_native: bool, precision: Precision
):
    monkeypatch.setattr(bert, "computes_in_bf16", lambda: is_native)
    assert AnswerCrossEncoder(threads=1).precision == precision


def test_the_ranges_are_those_of_the_same_matrices_as_the_embedders():
    assert load_inputs(INT8_INPUTS).keys() == load_inputs(minilm.INT8_INPUTS).keys()


def test_a_model_kept_with_other_ranges_is_not_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    def kept() -> set[str]:
        AnswerCrossEncoder(precision="int8", threads=1, cache_folder=tmp_path / "models")
        return {path.name for path in (tmp_path / "models").iterdir()}

    before = kept()
    assert kept() == before
    shutil.copyfile(minilm.INT8_INPUTS, tmp_path / "others.safetensors")
    monkeypatch.setattr(answer_cross_encoder, "INT8_INPUTS", tmp_path / "others.safetensors")
    assert len(kept() - before) == 1


def test_what_is_far_from_the_center_is_not_read(exact: AnswerCrossEncoder):
    before, middle, after = "Early words. " * 200, "The fee is 40 euros.", " Late words." * 200
    center = (len(before), len(before) + len(middle))
    far = exact._excerpt_tokens(excerpt(before + middle + after, title="Fees", center=center))
    assert len(far) == answer_cross_encoder.MAX_EXCERPT_TOKENS
    fee = exact.tokenizer.tokens(middle).ids
    at = next(at for at in range(len(far)) if far[at : at + len(fee)] == fee)
    assert answer_cross_encoder.MAX_EXCERPT_TOKENS / 3 < at < 2 * answer_cross_encoder.MAX_EXCERPT_TOKENS / 3


def test_a_long_title_leaves_room_for_the_text(exact: AnswerCrossEncoder):
    read = exact._excerpt_tokens(excerpt(COVER, title="A very long title " * 40))
    assert read[answer_cross_encoder.MAX_TITLE_TOKENS :] == exact.tokenizer.tokens(COVER).ids


def test_a_long_question_is_cut(exact: AnswerCrossEncoder):
    ((question, read),) = exact.pairs("word " * 2000, [excerpt(COVER)])
    ids, marks = exact.pair_tokens(question, read)
    assert marks.count(cross_encoder_input.QUESTION) + marks.count(cross_encoder_input.SHARED_QUESTION) == 48
    assert len(ids) == len(marks) <= 48 + answer_cross_encoder.MAX_EXCERPT_TOKENS + 3


@given(question=st.text(max_size=60), title=st.text(max_size=30), text=st.text(max_size=200))
@settings(max_examples=25)
def test_any_texts_get_a_probability(exact: AnswerCrossEncoder, question: str, title: str, text: str):
    found = exact.probability(question, excerpt(text, title=title, center=(0, len(text))))
    assert 0 <= found <= 1


def test_the_rows_of_words_are_read_where_they_lie_in_the_file(exact: AnswerCrossEncoder):
    ids, words, _ = exact.pair_inputs(exact.pairs("What is the minimum cover for a beam?", [excerpt(COVER)]))
    published = load_file(cross_encoder._minilm_weights())[minilm.WORD_TABLE]
    assert isinstance(exact._word_table, np.memmap)
    assert (words == published[ids]).all()


def test_only_content_words_count_as_shared():
    ids, marks = cross_encoder_input.pair_tokens([5, 6, 7], [6, 7, 8], function_words={7})
    assert ids == [101, 5, 6, 7, 102, 6, 7, 8, 102]
    special, question, read = cross_encoder_input.SPECIAL, cross_encoder_input.QUESTION, cross_encoder_input.TEXT
    shared = cross_encoder_input.SHARED_QUESTION, cross_encoder_input.SHARED_TEXT
    assert marks == [special, question, shared[0], question, special, shared[1], read, read, special]


def test_the_weights_are_small_and_hold_no_layer_of_minilm():
    weights = load_file(WEIGHTS)
    layers = {int(name.split(".")[2]) for name in weights if name.startswith("encoder.layer.")}
    assert min(layers) == FROZEN_LAYERS
    assert WEIGHTS.stat().st_size < 8_000_000
    assert all(np.isfinite(values).all() for values in weights.values())
