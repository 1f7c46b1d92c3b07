"""Token states in seventy bytes each, so that those of a passage are kept beside its vectors and read in no time.

A unit row of 384 floats is turned to its main directions; the first 32 are kept in four bits each, the next 128 in two
and 128 more in one. A factor for each token keeps its cosine with itself at 1. So the cosine with a word of a question
has an error of .026 (standard deviation, among the nearest tokens); docs/evaluation.md has what that does to answers,
and `training/packed_states.py` measures the directions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]
    Codes = NDArray[np.uint8]

DIRECTIONS = Path(__file__).with_name("packed_states.safetensors")
# (bits, directions that are kept in so many), in the order of the directions.
_GROUPS = ((4, 32), (2, 128), (1, 128))
KEPT_DIRECTIONS = sum(directions for _, directions in _GROUPS)
_CODE_BYTES = sum(bits * directions for bits, directions in _GROUPS) // 8
# Of many rounded tokens the nearest seems nearer than it is: in a sentence of 25 tokens by .03 where it is far, and not
# at all where it is the same word. This share of what a cosine lacks to 1 makes up for it.
_EXCESS = np.float32(0.06)
# By the bits: the steps of the best even rounding of a normal distribution with a deviation of one (Max 1960).
_STEPS = {4: 0.3352, 2: 0.9957, 1: 1.596}
# The first byte of what is kept: another packing gets another number, and what an older one left is read no more.
FORMAT = b"\x02"
_HEADER = 3  # the number and the length of the text
# A token's start is kept in two bytes, so longer texts keep none; its length in one, and no token is longer.
_LONGEST_TEXT, _LONGEST_TOKEN = 0xFFFF, 0xFF
_LEAST_LENGTH = np.float32(1e-9)
# Of a state of length one this much is kept at least; it is .8 and more.
_LEAST_KEPT = 0.1
# Signs that people put into words: "in percent", "under section 5".
_SPOKEN_SIGNS = frozenset("%§$€£¥&@+°")
_TOKEN = np.dtype([("start", "<u2"), ("length", "u1"), ("factor", "<f2"), ("codes", "u1", (_CODE_BYTES,))])


@dataclass(frozen=True, kw_only=True)
class ProjectedStates:
    """Rows of a question, ready to be compared with packed ones: see `PackedStates.cosines`."""

    rows: Matrix  # [rows, KEPT_DIRECTIONS]


@dataclass(frozen=True, kw_only=True)
class PackedStates:
    """The states of tokens of a text of `length` characters, and the (start, end) of each in it, int [tokens, 2]."""

    codes: Codes
    factors: NDArray[np.float32]
    places: NDArray[np.intp]
    length: int

    def __len__(self) -> int:
        return len(self.factors)

    def within(self, span: tuple[int, int]) -> PackedStates:
        """Those of the tokens in a span of the text."""
        starts, ends = self.places.T
        first, last = np.searchsorted(ends, span[0], side="right"), np.searchsorted(starts, span[1], side="left")
        own = slice(int(first), int(last))
        return replace(self, codes=self.codes[own], factors=self.factors[own], places=self.places[own])

    def cosines(self, question: ProjectedStates) -> Matrix:
        """Of each row of the question with each token, [rows, tokens]."""
        values = np.empty((len(self), KEPT_DIRECTIONS), np.float32)
        for bits, directions, code_bytes in _slices():
            values[:, directions] = _byte_values(bits)[self.codes[:, code_bytes]].reshape(len(self), -1)
        cosines = (question.rows @ values.T) * self.factors
        return cosines - _EXCESS * (1 - cosines)


def joined(parts: Sequence[PackedStates]) -> PackedStates:
    """All tokens of parts of one text, in the order of the parts."""
    return replace(
        parts[0],
        codes=np.concatenate([part.codes for part in parts]),
        factors=np.concatenate([part.factors for part in parts]),
        places=np.concatenate([part.places for part in parts]),
    )


def project(states: Matrix) -> ProjectedStates:
    """The unit rows of a question."""
    directions, steps = _directions()
    return ProjectedStates(rows=(states @ directions) * steps)


def is_punctuation(text: str, place: tuple[int, int]) -> bool:
    """Whether the token there is a punctuation mark or a rule of a table. No word of a question is matched by one, so
    its state is not kept."""
    start, end = place
    return end - start == 1 and not (text[start].isalnum() or text[start] in _SPOKEN_SIGNS)


def pack(states: Matrix, places: Sequence[tuple[int, int]], *, length: int) -> bytes:
    """The states of tokens that stand at these places of a text of so many characters, in order. Empty where the
    text is too long."""
    if length > _LONGEST_TEXT:
        return b""
    header = FORMAT + length.to_bytes(2, "little")
    if not len(states):
        return header
    directions, steps = _directions()
    turned = states @ directions
    turned /= steps * np.maximum(np.linalg.norm(states, axis=1, keepdims=True), _LEAST_LENGTH)
    levels = np.floor(turned)
    rows = np.empty(len(states), _TOKEN)
    for bits, own_directions, code_bytes in _slices():
        own, most = levels[:, own_directions], 2 ** (bits - 1)
        np.clip(own, -most, most - 1, out=own)
        numbers = (own + most).astype(np.uint8).reshape(len(own), -1, 8 // bits)
        rows["codes"][:, code_bytes] = np.bitwise_or.reduce(numbers << _shifts(bits), axis=2)
    starts, ends = np.asarray(places).T
    rows["start"], rows["length"] = starts, np.minimum(ends - starts, _LONGEST_TOKEN)
    turned *= levels + np.float32(0.5)
    rows["factor"] = 1 / np.maximum(turned @ steps**2, _LEAST_KEPT)
    return header + rows.tobytes()


def unpack(windows: Sequence[bytes | memoryview]) -> PackedStates | None:
    """What `pack` made of the windows of a text, in order; None where one of them has nothing that can be read."""
    if not windows or len({bytes(one[:_HEADER]) for one in windows}) > 1 or bytes(windows[0][:1]) != FORMAT:
        return None
    rows = np.concatenate([np.frombuffer(one, _TOKEN, offset=_HEADER) for one in windows])
    starts = rows["start"].astype(np.intp)
    return PackedStates(
        codes=rows["codes"],
        factors=rows["factor"].astype(np.float32),
        places=np.stack([starts, starts + rows["length"]], axis=1),
        length=int.from_bytes(windows[0][1:_HEADER], "little"),
    )


@cache
def _directions() -> tuple[Matrix, NDArray[np.float32]]:
    """The main directions [384, KEPT_DIRECTIONS], and the step of the rounding along each."""
    from safetensors.numpy import load_file  # slow import

    arrays = load_file(DIRECTIONS)
    steps = np.concatenate([np.full(directions, _STEPS[bits], np.float32) for bits, directions in _GROUPS])
    return np.ascontiguousarray(arrays["directions"].astype(np.float32)), arrays["deviations"] * steps


@cache
def _slices() -> list[tuple[int, slice, slice]]:
    """For each number of bits the directions that are kept in so many, and the bytes that hold them."""
    found, direction, byte = [], 0, 0
    for bits, directions in _GROUPS:
        code_bytes = directions * bits // 8
        found.append((bits, slice(direction, direction + directions), slice(byte, byte + code_bytes)))
        direction, byte = direction + directions, byte + code_bytes
    return found


def _shifts(bits: int) -> Codes:
    """Where the numbers of so many bits stand in a byte, the first one on top."""
    return np.arange(8 - bits, -1, -bits, dtype=np.uint8)


@cache
def _byte_values(bits: int) -> Matrix:
    """What the numbers in a byte stand for, in steps: [256, numbers]."""
    numbers = np.arange(256)[:, None] >> _shifts(bits) & 2**bits - 1
    return (numbers - (2**bits - 1) / 2).astype(np.float32)
