"""The program that measures what the eight-bit matrices are multiplied with."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from safetensors.numpy import load_file, save

from knowledge.embedders import minilm
from querying.retrieval import answer_cross_encoder
from training.int8_inputs import cross_encoder_inputs, embedder_inputs
from training.pairs import EXCERPTS

Measure = Callable[[Any], dict[str, Any]]

MODELS = [(embedder_inputs, minilm.INT8_INPUTS), (cross_encoder_inputs, answer_cross_encoder.INT8_INPUTS)]
FEW = [json.loads(line) for line in EXCERPTS.read_text(encoding="utf-8").splitlines()[:2]]


@cache
def measured(measure: Measure) -> dict[str, Any]:
    return measure(FEW)


@pytest.mark.parametrize(("measure", "shipped"), MODELS)
def test_the_same_texts_give_the_same_bytes(measure: Measure, shipped: Path):
    assert save(measured(measure)) == save(measure(FEW))


@pytest.mark.parametrize(("measure", "shipped"), MODELS)
def test_the_shipped_ranges_hold_what_a_few_of_the_texts_reach(measure: Measure, shipped: Path):
    kept = load_file(shipped)
    assert measured(measure).keys() == kept.keys()
    for name, values in measured(measure).items():
        assert values.shape == kept[name].shape
        if name.endswith(".range"):
            assert 0.25 < values[1] / kept[name][1] <= 1
