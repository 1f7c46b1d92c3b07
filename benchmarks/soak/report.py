"""The result of a soak: as JSON for programs, and as one page for people."""

from __future__ import annotations

import statistics
import time
from collections import defaultdict
from typing import Any

from benchmarks.soak.record import SoakRecord

MAX_SHOWN = 40


def build_result(record: SoakRecord, *, minutes: float, **parts: Any) -> dict[str, Any]:
    """Everything that was seen. `passed` is false where anything happened that must never happen."""
    kinds: dict[str, dict[str, int]] = defaultdict(dict)
    for (kind, outcome), count in sorted(record.outcomes.items()):
        kinds[kind][outcome] = count
    return {
        "passed": not record.violations,
        "minutes": minutes,
        "ended": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "requests": dict(kinds),
        "seconds": {kind: _quantiles(taken) for kind, taken in sorted(record.seconds.items())},
        "faults": record.faults,
        "checks": dict(record.checks),
        "violations": record.violations,
        **parts,
    }


def _quantiles(taken: list[float]) -> dict[str, float]:
    cuts = statistics.quantiles(taken, n=20) if len(taken) > 1 else taken * 19
    return {"median": round(statistics.median(taken), 3), "95%": round(cuts[-1], 3), "longest": round(max(taken), 1)}


def report_text(result: dict[str, Any]) -> str:
    """One page."""
    total = sum(sum(outcomes.values()) for outcomes in result["requests"].values())
    lines = [
        f"Soak of {result['minutes']:g} minutes, ended {result['ended']}: {'PASSED' if result['passed'] else 'FAILED'}",
        "",
        f"{total} requests, {len(result['faults'])} faults, {len(result['violations'])} violations",
        "",
        f"{'request':20} {'right':>7} {'clean':>7} {'cut':>5} {'wrong':>6}   median s    95% s  longest s",
    ]
    for kind, outcomes in result["requests"].items():
        taken = result["seconds"][kind]
        counts = " ".join(f"{outcomes.get(name, 0):{width}}" for name, width in _COLUMNS.items())
        lines.append(f"{kind:20} {counts}   {taken['median']:8.2f} {taken['95%']:8.2f} {taken['longest']:10.1f}")
    lines += [
        "",
        "clean: refused with 502, 503 or 507, a reason and Retry-After. cut: the soak had killed the process.",
    ]
    lines += ["", "Faults:", *(f"  {one['at']:7.1f} s  {one['fault']}: {one['what']}" for one in result["faults"])]
    lines += ["", "Checked: " + ", ".join(f"{count} {name}" for name, count in result["checks"].items())]
    restored = result["restored"]
    lines += ["", "Backup under load, restored elsewhere: " + ", ".join(f"{k} {v}" for k, v in restored.items())]
    lines += ["", "The site's log: " + ", ".join(f"{count}× “{words}”" for words, count in result["log"].items())]
    lines += ["", "Memory (after the warm-up, of processes that lived long enough):"]
    lines += [f"  {', '.join(f'{name} {value}' for name, value in one.items())}" for one in result["memory"]] or [
        "  none"
    ]
    lines += ["", "Violations:", *(f"  {one}" for one in result["violations"][:MAX_SHOWN])]
    lines += ["  none"] if not result["violations"] else []
    return "\n".join(lines) + "\n"


_COLUMNS = {"right": 7, "clean": 7, "cut": 5, "wrong": 6}
