from __future__ import annotations

import re

import numpy as np
import openvino
import pytest
from openvino import opset13

from knowledge.embedders import LocalEmbedder, bert, minilm
from knowledge.embedders.int8 import InputRounding, Int8Input, load_inputs, rounded_weights

TEXTS = [
    "How long should a wound be left open?",
    "Check the pressure before each dive. " * 4,
    "The torque of the bolt must not exceed 45 Nm without written approval. " * 12,
]


def _product(weights, states, taken):
    """What the rounded matrix makes of the states, in float32."""
    given = opset13.parameter([-1, -1, states.shape[-1]], np.float32)
    rounded = InputRounding(opset13, {"m": taken}).round(given, "m")
    product = opset13.matmul(rounded, rounded_weights(opset13, weights, taken.scales), False, True)
    hints = {"INFERENCE_PRECISION_HINT": "f32"}
    network = openvino.Core().compile_model(openvino.Model([opset13.result(product)], [given]), "CPU", hints)
    return network([states])[0]


@pytest.mark.skipif(
    "bert.usual_precision() != 'int8'",
    reason="without VNNI the sums of two products of eight bits overflow; float32 is read there",
)
def test_a_channel_that_is_far_larger_than_the_others_costs_them_no_precision():
    dice = np.random.default_rng(1)
    weights = dice.normal(size=(32, 64)).astype(np.float32)
    states = dice.normal(size=(1, 20, 64)).astype(np.float32)
    states[..., 3] *= 200
    weights[:, 3] /= 200
    largest = np.abs(states).max(axis=(0, 1))
    apart = Int8Input(scales=largest / largest.mean(), low=-largest.mean(), high=largest.mean())
    alike = Int8Input(scales=np.ones(64, np.float32), low=-largest.max(), high=largest.max())
    exact = states @ weights.T
    errors = [np.abs(_product(weights, states, taken) - exact).mean() for taken in (apart, alike)]
    assert errors[0] < np.abs(exact).mean() / 50
    assert errors[0] < errors[1] / 10


def test_states_that_several_matrices_read_are_rounded_once():
    taken = Int8Input(scales=np.ones(4, np.float32), low=np.float32(-1), high=np.float32(1))
    rounding = InputRounding(opset13, {"query": taken, "key": taken})
    states, others = (opset13.parameter([-1, -1, 4], np.float32) for _ in range(2))
    assert rounding.round(states, "query") is rounding.round(states, "key")
    assert rounding.round(states, "query") is not rounding.round(others, "query")


def test_zero_is_a_step_of_every_range():
    for taken in load_inputs(minilm.INT8_INPUTS).values():
        step = (taken.high - taken.low) / 255
        assert abs(taken.low / step - round(taken.low / step)) < 0.01


def test_all_matrices_but_those_behind_gelu_are_read_at_eight_bits():
    names = set(load_inputs(minilm.INT8_INPUTS))
    parts = {name.split(".", 3)[3] for name in names}
    missing = {f"encoder.layer.{layer}.{part}" for layer in range(minilm.LAYERS) for part in parts} - names
    assert len(names) == minilm.LAYERS * 5
    assert missing == set()
    assert not any(re.fullmatch(r"encoder\.layer\.\d\.output\.dense", name) for name in names)


def test_token_states_at_eight_bits_are_close_to_those_of_float32():
    exact = LocalEmbedder(precision="f32").token_states(TEXTS)
    rounded = LocalEmbedder(precision="int8").token_states(TEXTS)
    for (one, _), (other, _) in zip(exact, rounded, strict=True):
        cosines = (one * other).sum(1) / np.linalg.norm(one, axis=1) / np.linalg.norm(other, axis=1)
        assert cosines.mean() > 0.994
        assert cosines.min() > 0.95


@pytest.mark.parametrize(("is_native", "precision"), [(True, "int8"), (False, "f32")])
def test_eight_bits_are_read_only_where_the_processor_multiplies_them_quickly(monkeypatch, is_native, precision):
    monkeypatch.setattr(bert, "computes_in_bf16", lambda: is_native)
    assert LocalEmbedder()._model().precision == precision
