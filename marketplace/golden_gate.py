"""What a plugin's golden questions say about publishing it, as the plugin's gate wants to hear it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from plugins.models import GoldenGate, Plugin
from querying import releases
from querying.evaluation import runs
from querying.models import EvaluationRun

# A share such as .7 of ten is seven, whatever the binary fraction makes of it.
_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """`run` is the latest whole run over this very content, None where there is none; with `is_run_by_publishing`
    that is no obstacle yet: publishing asks the questions first. `share` (0 to 1) is what the plugin demands."""

    policy: GoldenGate
    share: float
    questions: int
    run: EvaluationRun | None = None
    is_run_by_publishing: bool = False

    @property
    def passed(self) -> int:
        return sum(bool(one["passed"]) for one in self.run.questions) if self.run else 0

    @property
    def needed(self) -> int:
        """How many have to pass."""
        return needed(self.questions, share=self.share)

    @property
    def is_met(self) -> bool:
        return not self.questions or (self.run is not None and self.passed >= self.needed)

    @property
    def reason(self) -> str:
        """Why this cannot be published, a sentence; empty where the gate lets it pass, or may yet."""
        is_open = self.policy != GoldenGate.BLOCK or self.is_met or (self.run is None and self.is_run_by_publishing)
        return "" if is_open else f"{self._wrong} Its gate blocks until they do."

    @property
    def warning(self) -> str:
        """What to say beside publishing, a sentence; empty where the gate does not warn or is content."""
        is_content = (
            self.policy != GoldenGate.WARN or self.is_met or (self.run is None and self.is_run_by_publishing)
        )
        return "" if is_content else self._wrong

    @property
    def prospect(self) -> str:
        """What publishing is going to do about the golden questions, a sentence; empty where it knows already."""
        if not self.questions or self.run is not None or not self.is_run_by_publishing:
            return ""
        return f"Its golden questions are run first: {self.needed} of {self.questions} have to pass."

    @property
    def _wrong(self) -> str:
        if self.run is None:
            return (
                f"Its {self.questions} golden questions have not been run as it stands; {self.needed} have to pass."
            )
        return f"{self.passed} of its {self.questions} golden questions pass; {self.needed} have to."


def verdict(plugin: Plugin) -> Verdict:
    """Where the draft stands before publishing. Asks nothing of the plugin: it looks at the runs there are."""
    questions = 0 if plugin.golden_gate == GoldenGate.OFF else plugin.golden_questions.count()
    if not questions:
        return _of(plugin)
    run = runs.run_of(releases.snapshot(plugin))
    return _of(plugin, questions=questions, run=run, is_run_by_publishing=runs.is_quick(plugin))


def verdict_on(plugin: Plugin, *, run: EvaluationRun | None) -> Verdict:
    """Where it stands once publishing has had its chance to run them. `run` is that of the content to publish."""
    return _of(plugin, questions=plugin.golden_questions.count(), run=run)


def needed(questions: int, *, share: float) -> int:
    """How many of so many questions have to pass."""
    return math.ceil(questions * share - _ROUNDING)


def _of(
    plugin: Plugin, *, questions: int = 0, run: EvaluationRun | None = None, is_run_by_publishing: bool = False
) -> Verdict:
    return Verdict(
        policy=GoldenGate(plugin.golden_gate),
        share=plugin.golden_share,
        questions=questions,
        run=run,
        is_run_by_publishing=is_run_by_publishing,
    )
