"""Matrices of eight bits. Processors with VNNI multiply integers twice as fast as bf16.

The rows of a matrix are rounded by one scale each. The states that it is multiplied with are rounded too, and a few of
their channels are far larger than all others: each channel is divided by a scale of its own, and its column of the
matrix multiplied by it (SmoothQuant, Xiao et al. 2023). `training/int8_inputs.py` measures scales and ranges.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEVELS = 256
_LARGEST_WEIGHT = 127


@dataclass(frozen=True, kw_only=True)
class Int8Input:
    """What a matrix is multiplied with: a scale for each channel, and where the scaled channels lie."""

    scales: NDArray[np.float32]
    low: np.float32
    high: np.float32


def load_inputs(path: Path) -> dict[str, Int8Input]:
    """By the name of the matrix; a matrix that is not there is not rounded."""
    from safetensors.numpy import load_file  # slow import

    arrays = load_file(path)
    names = [name.removesuffix(".scales") for name in arrays if name.endswith(".scales")]
    ranges = {name: arrays[f"{name}.range"] for name in names}
    return {
        name: Int8Input(scales=arrays[f"{name}.scales"], low=ranges[name][0], high=ranges[name][1]) for name in names
    }


def rounded_weights(ops: Any, weights: NDArray[np.float32], scales: NDArray[np.float32]) -> Any:
    """The matrix [outputs, inputs] with the scales of its inputs, as int8 with one scale for each row."""
    scaled = weights * scales
    steps = np.abs(scaled).max(axis=1, keepdims=True) / _LARGEST_WEIGHT
    rounded = np.round(scaled / np.maximum(steps, np.finfo(np.float32).tiny)).astype(np.int8)
    return ops.multiply(ops.convert(ops.constant(rounded), "f32"), ops.constant(steps.astype(np.float32)))


class InputRounding:
    """Rounds states; those that several matrices read are rounded once."""

    def __init__(self, ops: Any, inputs: Mapping[str, Int8Input]) -> None:
        self._ops = ops
        self._inputs = inputs
        self._rounded: dict[tuple[int, bytes], tuple[Any, Any]] = {}

    def scales(self, name: str) -> NDArray[np.float32] | None:
        """Those of the inputs of a matrix; None where it is not rounded."""
        return self._inputs[name].scales if name in self._inputs else None

    def round(self, states: Any, name: str) -> Any:
        """The states, divided by the scales and rounded as the matrix of that name takes them."""
        ops, taken = self._ops, self._inputs[name]
        key = (id(states), taken.scales.tobytes())
        if key not in self._rounded:
            scaled = ops.multiply(states, ops.constant((1 / taken.scales).reshape(1, 1, -1)))
            low, high = ops.constant(taken.low), ops.constant(taken.high)
            # The states are kept beside, so that no other ones get their id.
            self._rounded[key] = (states, ops.fake_quantize(scaled, low, high, low, high, LEVELS))
        return self._rounded[key][1]
