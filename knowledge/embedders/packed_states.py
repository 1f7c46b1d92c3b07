"""Token states in 99 bytes each, so that those of a passage are kept beside its vectors and read in no time.

A unit row of 384 floats is turned to its main directions; the first 64 are kept in four bits each and the next 256 in
two. A factor for each token keeps its cosine with itself at 1. So the cosine with a word of a question has an error of
.013 (standard deviation, among the nearest tokens); docs/evaluation.md has what that does to answers, and
`training/packed_states.py` measures the directions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
FINE, COARSE = 64, 256  # directions with four bits, and with two
CODE_BYTES = FINE // 2 + COARSE // 4
# Of many rounded tokens the nearest seems nearer than it is: in a sentence of 25 tokens by .02 where it is far, and not
# at all where it is the same word. This share of what a cosine lacks to 1 makes up for it.
_EXCESS = np.float32(0.03)
# The steps of the best even rounding of a normal distribution with a deviation of one (Max 1960).
_FINE_STEP, _COARSE_STEP = 0.3352, 0.9957
# The first byte of what is kept: another packing gets another number. `unpack` reads the older one as well, which
# `repack` writes anew.
_FORMAT, OLDER_FORMAT = b"\x02", b"\x01"
_HEADER = 3  # the number and the length of the text
_COUNT = 2  # bytes after the header that say how many tokens there are
# A token's place is one byte: how far it starts behind the end of the last one, in the upper four bits, and its length.
# Where that is not enough it is this, and both stand behind the codes, in two bytes each.
_ELSEWHERE = 0xFF
_NIBBLE = 0x0F
# Places and numbers of tokens have two bytes, so longer texts keep no states.
_LONGEST_TEXT = 0xFFFF
_LEAST_LENGTH = np.float32(1e-9)
# Of a state of length one this much is kept at least; it is .8 and more.
_LEAST_KEPT = 0.1
_PLACE, _FACTOR = np.dtype("<u2"), np.dtype("<f2")
_OLDER_TOKEN = np.dtype([("start", "<u2"), ("end", "<u2"), ("factor", "<f2"), ("codes", "u1", (CODE_BYTES,))])


@dataclass(frozen=True, kw_only=True)
class ProjectedStates:
    """Rows of a question, ready to be compared with packed ones: see `PackedStates.cosines`."""

    rows: Matrix  # [rows, FINE + COARSE]


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
        fine, coarse = _byte_values()
        tokens = len(self)
        values = np.empty((tokens, FINE + COARSE), np.float32)
        values[:, :FINE] = fine[self.codes[:, : FINE // 2]].reshape(tokens, FINE)
        values[:, FINE:] = coarse[self.codes[:, FINE // 2 :]].reshape(tokens, COARSE)
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


def pack(states: Matrix, places: Sequence[tuple[int, int]], *, length: int) -> bytes:
    """The states of tokens that stand at these places of a text of so many characters, in order. Empty where the
    text is too long."""
    if length > _LONGEST_TEXT:
        return b""
    if not len(states):
        return _header(length, 0)
    directions, steps = _directions()
    turned = states @ directions
    turned /= steps * np.maximum(np.linalg.norm(states, axis=1, keepdims=True), _LEAST_LENGTH)
    levels = np.floor(turned)
    np.clip(levels[:, :FINE], -8, 7, out=levels[:, :FINE])
    np.clip(levels[:, FINE:], -2, 1, out=levels[:, FINE:])
    turned *= levels + np.float32(0.5)
    factors = 1 / np.maximum(turned @ steps**2, _LEAST_KEPT)
    nibbles, pairs = (levels[:, :FINE] + 8).astype(np.uint8), (levels[:, FINE:] + 2).astype(np.uint8)
    codes = np.empty((len(states), CODE_BYTES), np.uint8)
    codes[:, : FINE // 2] = nibbles[:, ::2] << 4 | nibbles[:, 1::2]
    codes[:, FINE // 2 :] = pairs[:, ::4] << 6 | pairs[:, 1::4] << 4 | pairs[:, 2::4] << 2 | pairs[:, 3::4]
    return _written(codes, factors.astype(np.float32), np.array(places), length=length)


def _written(codes: Codes, factors: NDArray[np.float32], places: NDArray[np.intp], *, length: int) -> bytes:
    near, far = _pack_places(places.astype(_PLACE))
    return b"".join([_header(length, len(codes)), near, factors.astype(_FACTOR).tobytes(), codes.tobytes(), far])


def _header(length: int, count: int) -> bytes:
    return _FORMAT + length.to_bytes(2, "little") + count.to_bytes(_COUNT, "little")


def tokens_with_states(places: Iterable[tuple[int, int]], text: str) -> list[int]:
    """Which of the tokens at these places have their states kept: those with a letter or a digit. No word of a question
    is looked for in punctuation, which is a sixth of all tokens."""
    return [number for number, (start, end) in enumerate(places) if any(map(str.isalnum, text[start:end]))]


def repack(packed: bytes | memoryview, text: str) -> bytes:
    """What an earlier version has packed of a window of the text, as `pack` would have it. What cannot be read stays
    as it is."""
    found = _unpack_window(packed)
    if found is None or found.length != len(text):
        return bytes(packed)
    kept = tokens_with_states(found.places.tolist(), text)
    return _written(found.codes[kept], found.factors[kept], found.places[kept], length=len(text))


def unpack(windows: Sequence[bytes | memoryview]) -> PackedStates | None:
    """What `pack` made of the windows of a text, in order; None where one of them has nothing that can be read."""
    found = [_unpack_window(one) for one in windows]
    parts = [one for one in found if one is not None]
    if not parts or len(parts) < len(found) or len({one.length for one in parts}) > 1:
        return None
    return joined(parts) if len(parts) > 1 else parts[0]


def _unpack_window(packed: bytes | memoryview) -> PackedStates | None:
    """None where it is damaged, or packed in a way that is not known."""
    try:
        return _read_window(packed)
    except ValueError:  # NumPy finds too few bytes, or too many
        return None


def _read_window(packed: bytes | memoryview) -> PackedStates | None:
    kind, length = bytes(packed[:1]), int.from_bytes(packed[1:_HEADER], "little")
    if kind == OLDER_FORMAT:
        rows = np.frombuffer(packed, _OLDER_TOKEN, offset=_HEADER)
        codes, factors, places = rows["codes"], rows["factor"], np.stack([rows["start"], rows["end"]], axis=1)
    elif kind == _FORMAT:
        near_at = _HEADER + _COUNT
        count = int.from_bytes(packed[_HEADER:near_at], "little")
        factors_at = near_at + count
        codes_at = factors_at + count * _FACTOR.itemsize
        far_at = codes_at + count * CODE_BYTES
        near = np.frombuffer(packed, np.uint8, count, near_at)
        factors = np.frombuffer(packed, _FACTOR, count, factors_at)
        codes = np.frombuffer(packed, np.uint8, count * CODE_BYTES, codes_at).reshape(count, CODE_BYTES)
        places = _unpack_places(near, packed[far_at:])
    else:
        return None
    return PackedStates(codes=codes, factors=factors.astype(np.float32), places=places.astype(np.intp), length=length)


def _pack_places(places: NDArray[np.uint16]) -> tuple[bytes, bytes]:
    """A byte for each token, and what does not fit in one. Places count modulo 65,536: tokens may stand on the same
    letter."""
    starts, ends = places.T
    gaps, lengths = starts.copy(), ends - starts
    gaps[1:] -= ends[:-1]
    near = gaps << 4 | lengths
    is_far = (gaps > _NIBBLE) | (lengths > _NIBBLE) | (near == _ELSEWHERE)
    far = np.stack([gaps[is_far], lengths[is_far]], axis=1)
    return np.where(is_far, _ELSEWHERE, near).astype(np.uint8).tobytes(), far.astype(_PLACE).tobytes()


def _unpack_places(near: Codes, far: bytes | memoryview) -> NDArray[np.uint16]:
    gaps, lengths = (near >> 4).astype(_PLACE), (near & _NIBBLE).astype(_PLACE)
    is_far = near == _ELSEWHERE
    gaps[is_far], lengths[is_far] = np.frombuffer(far, _PLACE).reshape(-1, 2).T
    ends = np.cumsum(gaps + lengths, dtype=_PLACE)
    return np.stack([ends - lengths, ends], axis=1)


@cache
def _directions() -> tuple[Matrix, NDArray[np.float32]]:
    """The main directions [384, FINE + COARSE], and the step of the rounding along each."""
    from safetensors.numpy import load_file  # slow import

    arrays = load_file(DIRECTIONS)
    steps = arrays["deviations"] * np.repeat(np.array([_FINE_STEP, _COARSE_STEP], np.float32), [FINE, COARSE])
    return np.ascontiguousarray(arrays["directions"].astype(np.float32)), steps


@cache
def _byte_values() -> tuple[Matrix, Matrix]:
    """What the numbers in a byte stand for, in steps: [256, 2] of four bits and [256, 4] of two."""
    byte = np.arange(256)[:, None]
    fine = (byte >> np.array([4, 0]) & 15) - 7.5
    coarse = (byte >> np.array([6, 4, 2, 0]) & 3) - 1.5
    return fine.astype(np.float32), coarse.astype(np.float32)
