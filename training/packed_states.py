"""The main directions of MiniLM's token states, measured on the texts of `excerpts.jsonl`.

    python -m training.packed_states [FILE]

writes what `knowledge/embedders/packed_states.py` packs by. Needs no PyTorch. The same texts give the same file on one
machine.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from safetensors.numpy import save_file

from knowledge.embedders.local import WINDOW_TOKENS, model_folder
from knowledge.embedders.minilm import MiniLM
from knowledge.embedders.packed_states import COARSE, DIRECTIONS, FINE
from knowledge.embedders.wordpiece import WordPiece
from training.pairs import read_excerpts, titled_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Arrays = dict[str, NDArray[np.generic]]


def main() -> None:
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else DIRECTIONS
    texts = [titled_text(excerpt) for excerpt in read_excerpts()]
    rows = WordPiece(model_folder() / "tokenizer.json").ids(texts, limit=WINDOW_TOKENS)
    save_file(main_directions(unit_states(rows)), target)


def unit_states(rows: Sequence[Sequence[int]]) -> NDArray[np.float32]:
    """The states of all tokens but the special ones, each of length one."""
    model = MiniLM(model_folder() / "model.safetensors", precision="f32")
    read = model.infer([row] for row in rows)
    states = np.concatenate([found[0, 1 : len(row) - 1] for row, (found, _) in zip(rows, read, strict=True)])
    return np.asarray(states / np.linalg.norm(states, axis=1, keepdims=True))


def main_directions(states: NDArray[np.float32]) -> Arrays:
    """The arrays of the file. The mean is not taken away: cosines are to stay what they are."""
    variances, directions = np.linalg.eigh(states.T.astype(np.float64) @ states / len(states))
    largest = np.argsort(-variances)[: FINE + COARSE]
    found = directions[:, largest]
    found *= np.sign(found[np.abs(found).argmax(axis=0), range(len(largest))])  # else the sign is left to chance
    # In the order of C: safetensors writes another one as if it were.
    directions = np.ascontiguousarray(found, np.float16)
    return {"directions": directions, "deviations": np.sqrt(variances[largest]).astype(np.float32)}


if __name__ == "__main__":
    main()
