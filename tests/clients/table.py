"""The table of clients in docs/clients.md: written from what the tests of the clients saw.

`python -m tests.clients.table` writes it, after the tests marked `long` have run. A test of a client calls `record` at
its end, which fails where the table says anything else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, astuple, dataclass, fields

from tests.prepared import KEPT, ROOT

PAGE = ROOT / "docs" / "clients.md"
_RUNS = KEPT / "client-runs"
_WORKS = "works"


@dataclass(frozen=True, order=True)
class Row:
    client: str
    version: str
    interface: str
    tried: str
    result: str = _WORKS

    @property
    def line(self) -> str:
        return f"| {' | '.join(astuple(self))} |"


NOT_TRIED = [
    Row("hosted assistants", "", "MCP", "attaching by the address", "not tried: they need a public https address"),
    Row(
        "the first specification's TypeScript client",
        "",
        "REST",
        "the bodies that it sends, written by hand",
        "the package itself was not tried",
    ),
]


def record(client: str, *, version: str, interface: str, tried: Iterable[str]) -> None:
    """Keeps what a client was seen to do. It has worked: the test would have failed before."""
    row = Row(client, version, interface, "; ".join(tried))
    _RUNS.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^a-z0-9]+", "-", f"{client}-{interface}".lower()).strip("-")
    (_RUNS / f"{name}.json").write_text(json.dumps(asdict(row)))
    assert row in rows_of_page(), f"python -m tests.clients.table writes it into {PAGE.name}: {row.line}"


def rows_of_page() -> list[Row]:
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in _table(PAGE.read_text())[2:]]
    return [Row(*row) for row in cells]


def write() -> None:
    """The rows of this run in place of those for the same client and interface; the others stay."""
    seen = [Row(**json.loads(path.read_text())) for path in _RUNS.glob("*.json")]
    rows = {(row.client, row.interface): row for row in [*rows_of_page(), *seen, *NOT_TRIED]}
    head = f"| {' | '.join(field.name for field in fields(Row))} |"
    lines = [head, "| --- " * len(fields(Row)) + "|", *(row.line for row in sorted(rows.values(), key=_order))]
    text = PAGE.read_text()
    PAGE.write_text(text.replace("\n".join(_table(text)), "\n".join(lines)))


def _table(text: str) -> list[str]:
    """The lines of the table: its head, the line below it, and the rows."""
    found = re.search(r"^\| client \|.*\n(?:\|.*(?:\n|$))+", text, re.MULTILINE)
    assert found, f"{PAGE.name} has no table of clients"
    return found[0].rstrip("\n").split("\n")


def _order(row: Row) -> tuple[bool, str, str]:
    return row.result != _WORKS, row.client.lower(), row.interface


if __name__ == "__main__":
    write()
