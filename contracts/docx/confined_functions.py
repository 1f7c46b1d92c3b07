"""The functions that the confined child process runs on a Word file; called by name, see
`knowledge.readers.isolation.confined_call`."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from contracts.docx.annotation_proof import prove
from contracts.docx.edits import Edit
from contracts.docx.write_edits import write_edits

_CHUNK_BYTES = 4 * 1024 * 1024


def write(path: Path, edits: list[dict[str, Any]]) -> Iterator[Any]:
    """The obstacles in order of the edits, then the file in pieces of base64."""
    content, obstacles = write_edits(path, [Edit.from_json(values) for values in edits])
    yield [str(obstacle) for obstacle in obstacles]
    for start in range(0, len(content), _CHUNK_BYTES):
        yield base64.b64encode(content[start : start + _CHUNK_BYTES]).decode()


def check(path: Path, produced: str, edits: list[dict[str, Any]]) -> Iterator[Any]:
    """True where it is proven that the file `produced` is this one with these edits."""
    prove(path, Path(produced), [Edit.from_json(values) for values in edits])
    yield True
