"""Comments and tracked changes in a copy of an uploaded Word file, proven before it is handed out."""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from contracts.docx.edits import WORD_ERRORS, AnnotatedFile, Edit, Obstacle, WordNotProven
from knowledge.readers.isolation.confined_call import confined_call
from knowledge.readers.types import DamagedDocument, Limits, UnreadableDocument

# A person waits for the file.
LIMITS = Limits(cpu_seconds=40, stall_seconds=45.0)


def annotate_word_file(path: Path, edits: Sequence[Edit], *, limits: Limits = LIMITS) -> AnnotatedFile:
    """A copy of the Word file at `path` with these edits, and what became of each.

    A replacement that touches somebody's revision, a field, a link or the like becomes a comment. Both the writing and
    the proof run in confined children. Raises `UnreadableDocument`, `WordSigned`, `WordTextChanged`, or
    `WordNotProven`, and then nothing is handed out.
    """
    edits = [edit.without_outer_breaks() for edit in edits]
    content, obstacles = _write_confined(path, edits, limits)
    written = [edit.as_comment(obstacle) if obstacle else edit for edit, obstacle in zip(edits, obstacles, strict=True)]
    with tempfile.TemporaryDirectory(prefix="lexic-word-") as folder:
        produced = Path(folder) / "produced.docx"
        produced.write_bytes(content)
        arguments = {"produced": str(produced), "edits": [edit.as_json() for edit in written]}
        try:
            answers = list(_call("check", path, arguments, limits))
        except UnreadableDocument as error:
            raise WordNotProven() from error
    if answers != [True]:
        raise WordNotProven()
    return AnnotatedFile(content=content, obstacles=obstacles)


def _write_confined(path: Path, edits: Sequence[Edit], limits: Limits) -> tuple[bytes, tuple[Obstacle, ...]]:
    answers = _call("write", path, {"edits": [edit.as_json() for edit in edits]}, limits)
    try:
        obstacles = tuple(map(Obstacle, next(answers, ())))
        content = b"".join(base64.b64decode(piece, validate=True) for piece in answers)
    except (ValueError, TypeError) as error:
        raise DamagedDocument() from error
    if len(obstacles) != len(edits):
        raise DamagedDocument()
    return content, obstacles


def _call(function: str, path: Path, arguments: dict[str, Any], limits: Limits) -> Any:
    return confined_call(
        f"contracts.docx.confined_functions:{function}", path, arguments=arguments, limits=limits, errors=WORD_ERRORS
    )
