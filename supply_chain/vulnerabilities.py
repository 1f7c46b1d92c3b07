"""Which locked packages have known vulnerabilities, by pip-audit: `python -m supply_chain.vulnerabilities`.

Ends with 1 where one has. Where no database of vulnerabilities can be reached, it says so and ends with 0: a build
without a network must not fail for want of one.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from supply_chain.locked_packages import LOCKS

TIMEOUT_SECONDS = 120
# Years old; it is looked up and never installed.
_VULNERABLE = f"django==3.2 --hash=sha256:{'0' * 64}\n"


class DatabaseUnreachable(Exception):
    """No database of vulnerabilities can be reached from here."""


def find_vulnerabilities(requirements: Path) -> list[str]:
    """One line for each, of a file with pinned packages and hashes. Raises `DatabaseUnreachable`."""
    arguments = ["--requirement", str(requirements), "--disable-pip", "--require-hashes", "--format", "json"]
    try:
        done = subprocess.run(  # noqa: S603 -- our own interpreter and module
            [sys.executable, "-m", "pip_audit", "--progress-spinner", "off", *arguments],
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
        report: dict[str, Any] = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        raise DatabaseUnreachable("it did not answer in time") from None
    except json.JSONDecodeError:
        raise DatabaseUnreachable((done.stderr.strip().splitlines() or ["it gave no answer"])[-1]) from None
    return describe(report)


def describe(report: dict[str, Any]) -> list[str]:
    """The vulnerabilities of a report of pip-audit, in words. Raises `DatabaseUnreachable` for a skipped package."""
    if skipped := [package["name"] for package in report["dependencies"] if "skip_reason" in package]:
        raise DatabaseUnreachable(f"it does not know {', '.join(skipped[:5])}")
    return [
        f"{package['name']} {package['version']}: {found['id']}, "
        f"fixed in {', '.join(found['fix_versions']) or 'no version yet'}"
        for package in report["dependencies"]
        for found in package["vulns"]
    ]


def check_database() -> None:
    """Raises `DatabaseUnreachable` where a vulnerability that everybody knows is not found: a mirror of the index may
    answer without knowing any."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(_VULNERABLE)
        file.flush()
        if not find_vulnerabilities(Path(file.name)):
            raise DatabaseUnreachable("what answers in its place knows no vulnerabilities")


def main() -> int:
    try:
        check_database()
        found = [line for lock in LOCKS for line in find_vulnerabilities(lock)]
    except DatabaseUnreachable as reason:
        print(f"Not looked up: no database of vulnerabilities can be reached from here ({reason}).")
        return 0
    for line in found:
        print(line, file=sys.stderr)
    if not found:
        print("No locked package has a known vulnerability.")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
