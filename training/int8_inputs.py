"""What the matrices of all-MiniLM-L6-v2 are multiplied with, measured on the texts of `excerpts.jsonl`.

    python -m training.int8_inputs [FILE]

writes the scales and ranges that `knowledge/embedders/int8.py` rounds by. Needs no PyTorch. The same texts give the
same file on one machine.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors.numpy import load_file, save_file

from knowledge.embedders.bert import CompiledModel
from knowledge.embedders.int8 import LEVELS
from knowledge.embedders.local import WINDOW_TOKENS, model_folder
from knowledge.embedders.minilm import INT8_INPUTS, LAYERS, MiniLMGraph
from knowledge.embedders.wordpiece import WordPiece

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Arrays = dict[str, NDArray[np.float32]]

TEXTS = Path(__file__).with_name("excerpts.jsonl")
_PARTS = {
    "attention.self.query": 1.0,
    "attention.self.key": 1.0,
    "attention.self.value": 1.0,
    "attention.output.dense": 0.9,
    "intermediate.dense": 0.8,
    "output.dense": 0.9,
}
"""How much of the size of a channel goes from the states to the weights (SmoothQuant's alpha), tried from .3 to 1."""
# The states behind GELU are the roughest when rounded, and stay as they are.
LEFT_OUT = frozenset(f"encoder.layer.{layer}.output.dense" for layer in range(LAYERS))
# GELU is nowhere less.
_LEAST_OF_GELU = -0.17


class _ObservedGraph(MiniLMGraph):
    """Gives the states that each matrix is multiplied with, in place of its results."""

    def __init__(self, weights: Arrays) -> None:
        super().__init__(weights)
        self.inputs: dict[str, Any] = {}

    def linear(self, states: Any, name: str) -> Any:
        self.inputs[name] = states
        return super().linear(states, name)

    def observed_model(self) -> Any:
        import openvino

        parameters = self.model().get_parameters()
        return openvino.Model([self.ops.result(states) for states in self.inputs.values()], parameters, "observed")


def main() -> None:
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else INT8_INPUTS
    weights = load_file(model_folder() / "model.safetensors")
    rows = WordPiece(model_folder() / "tokenizer.json").ids(read_texts(TEXTS), limit=WINDOW_TOKENS)
    save_file(int8_inputs(weights, largest_states(weights, rows)), target)


def read_texts(path: Path) -> list[str]:
    excerpts = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [": ".join([one["title"], *one["section"], one["text"]]) for one in excerpts]


def largest_states(weights: Arrays, rows: Sequence[Sequence[int]]) -> Arrays:
    """For each matrix that is rounded, how large each channel of its input gets."""
    graph = _ObservedGraph(weights)
    model = CompiledModel(graph.observed_model, precision="f32")
    largest: Arrays = {}
    for outputs in model.infer([np.array([row], np.int64)] for row in rows):
        for name, states in zip(graph.inputs, outputs, strict=True):
            size = np.abs(states).max(axis=(0, 1))
            largest[name] = np.maximum(largest.get(name, size), size)
    return {name: size for name, size in largest.items() if name not in LEFT_OUT}


def int8_inputs(weights: Arrays, largest: Arrays) -> Arrays:
    """The arrays of the file."""
    arrays: Arrays = {}
    for names, alpha, is_gelu in _groups():
        known = [name for name in names if name in largest]
        if not known:
            continue
        columns = np.max([np.abs(weights[f"{name}.weight"]).max(axis=0) for name in known], axis=0)
        scales = channel_scales(largest[known[0]], columns, alpha=alpha)
        high = (largest[known[0]] / scales).max()
        low = (_LEAST_OF_GELU / scales).min() if is_gelu else -high
        for name in known:
            arrays[f"{name}.scales"] = scales
            arrays[f"{name}.range"] = range_with_zero(low, high)
    return arrays


def _groups() -> Iterator[tuple[list[str], float, bool]]:
    """Matrices that read the same states, with their alpha, and whether the states come from GELU."""
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        yield [f"{layer}.{part}" for part in _PARTS if ".self." in part], _PARTS["attention.self.query"], False
        for part in ("attention.output.dense", "intermediate.dense", "output.dense"):
            yield [f"{layer}.{part}"], _PARTS[part], part == "output.dense"


def channel_scales(states: NDArray[np.float32], columns: NDArray[np.float32], *, alpha: float) -> NDArray[np.float32]:
    """SmoothQuant's scales, of which the geometric mean is one."""
    least = np.float32(1e-5)
    scales = np.maximum(states, least) ** alpha / np.maximum(columns, least) ** (1 - alpha)
    return np.asarray(scales / np.exp(np.log(scales).mean()), np.float32)


def range_with_zero(low: float, high: float) -> NDArray[np.float32]:
    """The least range of LEVELS steps that holds both and in which zero is a step."""
    step = (high - low) / (LEVELS - 2)
    below = np.ceil(-low / step)
    return np.array([-below * step, (LEVELS - 1 - below) * step], np.float32)


if __name__ == "__main__":
    main()
