"""What the matrices of the embedder and of the cross-encoder are multiplied with, measured on `excerpts.jsonl`.

    python -m training.int8_inputs embedder [FILE]
    python -m training.int8_inputs cross-encoder [FILE]

writes the scales and ranges that `knowledge/embedders/int8.py` rounds by. The embedder reads the texts, the
cross-encoder each question with its text. Needs no PyTorch. The same texts give the same file on one machine.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors.numpy import load_file, save_file

from knowledge.embedders import minilm
from knowledge.embedders.bert import CompiledModel, GraphBuilder
from knowledge.embedders.cross_encoder import CrossEncoderGraph, load_weights
from knowledge.embedders.int8 import LEVELS
from knowledge.embedders.local import WINDOW_TOKENS, model_folder
from knowledge.embedders.minilm import LAYERS, MiniLMGraph
from knowledge.embedders.wordpiece import PAD_ID, WordPiece
from querying.retrieval import answer_cross_encoder
from querying.retrieval.answer_cross_encoder import AnswerCrossEncoder, Excerpt
from training.pairs import questions_on, read_excerpts, titled_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Arrays = dict[str, NDArray[np.float32]]

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


class _ObservedGraph(GraphBuilder):
    """Gives the states that each matrix of a layer is multiplied with, in place of its results."""

    def __init__(self, weights: Mapping[str, NDArray[np.float32]]) -> None:
        super().__init__(weights)
        self.inputs: dict[str, Any] = {}

    def linear(self, states: Any, name: str) -> Any:
        if name.startswith("encoder.layer."):
            self.inputs[name] = states
        return super().linear(states, name)

    def model(self) -> Any:
        import openvino

        parameters = super().model().get_parameters()  # type: ignore[misc]
        return openvino.Model([self.ops.result(states) for states in self.inputs.values()], parameters, "observed")


class _ObservedMiniLM(_ObservedGraph, MiniLMGraph):
    pass


class _ObservedCrossEncoder(_ObservedGraph, CrossEncoderGraph):
    pass


def main() -> None:
    models = {
        "embedder": (embedder_inputs, minilm.INT8_INPUTS),
        "cross-encoder": (cross_encoder_inputs, answer_cross_encoder.INT8_INPUTS),
    }
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", choices=models)
    parser.add_argument("file", type=Path, nargs="?", help="the shipped one unless named")
    given = parser.parse_args()
    measure, shipped = models[given.model]
    save_file(measure(read_excerpts()), given.file or shipped)


def embedder_inputs(excerpts: Sequence[dict[str, Any]]) -> Arrays:
    """The arrays of the embedder's file."""
    weights = load_file(model_folder() / "model.safetensors")
    texts = map(titled_text, excerpts)
    rows = WordPiece(model_folder() / "tokenizer.json").ids([*texts], limit=WINDOW_TOKENS)
    read = ([np.array([row], np.int64)] for row in rows)
    return int8_inputs(weights, largest_states(_ObservedMiniLM(weights), read))


def cross_encoder_inputs(excerpts: Sequence[dict[str, Any]]) -> Arrays:
    """The arrays of the cross-encoder's file."""
    weights, reader = load_weights(answer_cross_encoder.WEIGHTS), AnswerCrossEncoder(precision="f32")
    pairs = (pair for number, excerpt in enumerate(excerpts) for pair in questions_on(excerpt, group=f"{number}"))
    read = (_without_padding(reader.pair_inputs(reader.pairs(pair["q"], [_excerpt(pair)]))) for pair in pairs)
    return int8_inputs(weights, largest_states(_ObservedCrossEncoder(weights), read))


def _excerpt(pair: Mapping[str, Any]) -> Excerpt:
    """Around what answers, else around the middle."""
    begin, end = pair["gold"][0] if pair["gold"] else (0, len(pair["text"]))
    return Excerpt(title=pair["title"], text=pair["text"], center=(begin, end))


def _without_padding(inputs: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    length = np.count_nonzero(inputs[0] != PAD_ID)
    return [each[:, :length] for each in inputs]


def largest_states(graph: _ObservedGraph, batches: Iterable[Sequence[NDArray[Any]]]) -> Arrays:
    """For each matrix that is rounded, how large each channel of its input gets. Batches are not padded."""
    model = CompiledModel(graph.model, precision="f32")
    largest: Arrays = {}
    for outputs in model.infer(batches):
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
