"""The bill of materials names the lock, licences are read as SPDX means them, and silence is no good news."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from supply_chain import vulnerabilities
from supply_chain.bill_of_materials import make_bill
from supply_chain.licences import ALLOWED, is_allowed, refused_packages
from supply_chain.locked_packages import LOCKS, read_lock


def test_the_bill_has_every_locked_package_with_its_hashes_and_licence() -> None:
    bill, locked = make_bill(), LOCKS[0].read_text()
    pinned = dict(re.findall(r"^([a-z0-9][\w.-]*)(?:\[[^\]]*\])?==([^\s;\\]+)", locked, re.MULTILINE))
    assert {one["name"]: one["version"] for one in bill["components"]} == pinned
    assert (bill["bomFormat"], bill["specVersion"], bill["metadata"]["component"]["name"]) == (
        "CycloneDX",
        "1.6",
        "lexic",
    )
    found = [one["content"] for package in bill["components"] for one in package["hashes"]]
    assert sorted(found) == sorted(set(re.findall(r"sha256:([0-9a-f]{64})", locked)))
    assert all(package["licenses"] for package in bill["components"])


def test_one_lock_gives_one_bill() -> None:
    assert make_bill() == make_bill()


def test_every_locked_package_has_an_allowed_licence() -> None:
    assert [f"{package.name}: {package.licence}" for package in refused_packages()] == []
    assert len(list(read_lock(LOCKS[1]))) > 100


@pytest.mark.parametrize(
    ("expression", "is_fine"),
    [
        ("MIT", True),
        ("GPL-3.0-only", False),
        ("GPL-3.0-only OR MIT", True),
        ("GPL-3.0-only AND MIT", False),
        ("Apache-2.0 AND (BSD-2-Clause OR AGPL-3.0-only)", True),
        ("Apache-2.0 WITH LLVM-exception", False),  # not decided on
        ("Proprietary words", False),
        ("", False),
    ],
)
def test_an_expression_is_allowed_where_it_can_be_met(expression: str, is_fine: bool) -> None:
    assert is_allowed(expression) is is_fine
    assert not is_allowed("MIT", ALLOWED - {"MIT"})


def report(*packages: dict[str, Any]) -> dict[str, Any]:
    return {"dependencies": list(packages), "fixes": []}


def test_a_vulnerability_is_told_with_what_fixes_it() -> None:
    one = {"id": "PYSEC-1", "fix_versions": ["2.1"]}
    assert vulnerabilities.describe(report({"name": "x", "version": "2.0", "vulns": [one]})) == [
        "x 2.0: PYSEC-1, fixed in 2.1"
    ]
    assert vulnerabilities.describe(report({"name": "x", "version": "2.0", "vulns": []})) == []


def test_a_package_that_was_skipped_is_not_taken_for_a_sound_one() -> None:
    skipped = {"name": "x", "skip_reason": "not found"}
    with pytest.raises(vulnerabilities.DatabaseUnreachable, match="does not know x"):
        vulnerabilities.describe(report(skipped))


def test_a_database_that_knows_nothing_is_no_database(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def ask(path: Path) -> list[str]:
        return []

    monkeypatch.setattr(vulnerabilities, "find_vulnerabilities", ask)
    assert vulnerabilities.main() == 0
    assert capsys.readouterr().out.startswith("Not looked up")
    monkeypatch.setattr(vulnerabilities, "find_vulnerabilities", lambda path: ["django 3.2: known"])
    assert vulnerabilities.main() == 1
