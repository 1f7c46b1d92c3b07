"""Asks the golden questions and compares the answers with those on record, to show that a restored site works."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evaluation.golden import golden_runs
from plugins.models import Plugin
from querying import releases

# What a run has on record of each question. The score of the evidence may differ in its last digits on another machine.
_COMPARED = ("outcome", "cited", "passed", "confidence")


@dataclass(frozen=True, kw_only=True)
class AnswersChecked:
    """How many questions were `asked`, of them `compared` with a record, and those that went otherwise, in words."""

    asked: int
    compared: int
    different: tuple[str, ...]


def check_golden_answers() -> AnswersChecked:
    """Asks the golden questions of every plugin, of its draft as it stands, and compares with the last run over the
    same content. Keeps a new run of each: call it on a copy."""
    asked, compared, different = 0, 0, []
    for plugin in Plugin.objects.filter(golden_questions__isnull=False).distinct().order_by("slug"):
        draft = releases.snapshot(plugin)
        recorded = golden_runs.latest_matching_run(draft)
        known = {one["id"]: one for one in recorded.questions} if recorded else {}
        for one in golden_runs.run_golden(draft)[1].questions:
            asked += 1
            if before := known.get(one["id"]):
                compared += 1
                different += _differences(plugin, before, one)
    return AnswersChecked(asked=asked, compared=compared, different=tuple(different))


def _differences(plugin: Plugin, before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    return [
        f"{plugin.slug}: “{now['question']}” has {name} {now[name]}, and had {before[name]}"
        for name in _COMPARED
        if before.get(name) != now.get(name)
    ]
