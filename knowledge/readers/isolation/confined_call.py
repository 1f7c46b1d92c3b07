"""Call a function that parses a stranger's file, in a child process under the restraints of the readers."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from knowledge.readers.isolation.reader_process import ReaderProcess
from knowledge.readers.types import ERRORS_BY_CODE, DamagedDocument, Limits
from lexic.errors import LexicError

_ENTRY = Path(__file__).parent / "confined_entry.py"


def confined_call(
    function: str,
    path: Path,
    *,
    arguments: Mapping[str, Any],
    limits: Limits | None = None,
    errors: Mapping[str, type[LexicError]] | None = None,
) -> Iterator[Any]:
    """What `function` (`package.module:name`) yields for a file and these arguments, as values of JSON.

    The module may import neither Django nor anything that does. The child may have been taken over by the file it
    reads, so the caller has to check every value. Raises `UnreadableDocument`, or the one of `errors` whose code the
    child gives.
    """
    known = ERRORS_BY_CODE | dict(errors or {})
    with tempfile.TemporaryDirectory(prefix="lexic-confined-") as folder:
        job = Path(folder) / "job.json"
        job.write_text(json.dumps({"function": function, "arguments": dict(arguments)}), encoding="utf-8")
        child = ReaderProcess(path.resolve(), str(job), limits or Limits(), folder, entry=_ENTRY)
        try:
            with closing(child.lines()) as lines:
                for line in lines:
                    kind, fields = _decode_line(line)
                    if kind == "end":
                        return
                    if kind == "error":
                        raise _decode_error(fields, known)
                    yield fields[0]
            raise child.exit_error()
        finally:
            child.kill()


def _decode_line(line: bytes) -> tuple[str, list[Any]]:
    try:
        kind, *fields = json.loads(line)
    except (ValueError, TypeError, RecursionError) as error:
        raise DamagedDocument() from error
    if (kind, len(fields)) not in {("value", 1), ("error", 3), ("end", 0)}:
        raise DamagedDocument()
    return kind, fields


def _decode_error(fields: list[Any], known: Mapping[str, type[LexicError]]) -> LexicError:
    code, message, hint = map(str, fields)
    return known.get(code, DamagedDocument)(message[:500] or None, hint=hint[:500] or None)
