"""The child process that calls one function on one file, under the same restraints as the one that reads.

Run by path, as `python -P .../confined_entry.py PATH JOB LIMITS PARENT`, never by hand. JOB is a file of JSON that
names the function, as `package.module:function`, and holds its arguments. The function takes the path and the
arguments, and gives values that can be written as JSON; each becomes one line, and an end mark follows.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any


def main(arguments: list[str]) -> None:
    path, job, limits, parent = arguments
    values = json.loads(limits)
    restraints = _load_restraints()
    restraints.die_with_parent(int(parent))
    restraints.keep_priority()
    restraints.limit_resources(memory_bytes=values["memory_bytes"], cpu_seconds=values["cpu_seconds"])
    restraints.disable_network()
    restraints.stub_project_package()
    for line in _reply_lines(Path(path), json.loads(Path(job).read_text(encoding="utf-8"))):
        sys.stdout.buffer.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
        sys.stdout.buffer.flush()
    os._exit(0)


def _load_restraints() -> ModuleType:
    """What the reading child does to itself; loaded by path, so that no package starts before it is done."""
    spec = importlib.util.spec_from_file_location("restraints", Path(__file__).parent.parent / "__main__.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _reply_lines(path: Path, job: dict[str, Any]) -> Iterator[list[Any]]:
    # Imported only now that the process has given up its powers.
    from lexic.errors import LexicError

    module, _, name = job["function"].partition(":")
    try:
        for value in getattr(importlib.import_module(module), name)(path, **job["arguments"]):
            yield ["value", value]
        yield ["end"]
    except LexicError as error:
        yield ["error", error.code, error.message, error.hint]
    except MemoryError:
        yield ["error", "memory", "", ""]


if __name__ == "__main__":
    main(sys.argv[1:])
