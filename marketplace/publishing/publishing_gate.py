"""The gate of publishing: whether a plugin's golden questions allow it. The plugin's setting ignores, warns or
blocks."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.golden import golden_runs
from evaluation.models import EvaluationRun
from plugins.models import GoldenGate, Plugin
from querying import releases


@dataclass(frozen=True, kw_only=True)
class GateResult:
    """`run` is the latest whole run over this very content, None where there is none; with `runs_on_publish`
    that is no obstacle yet: publishing asks the questions first. `share` (0 to 1) is what the plugin demands."""

    policy: GoldenGate
    share: float
    questions: int
    run: EvaluationRun | None = None
    runs_on_publish: bool = False

    @property
    def passed(self) -> int:
        return sum(bool(one["passed"]) for one in self.run.questions) if self.run else 0

    @property
    def required(self) -> int:
        """How many have to pass."""
        return golden_runs.required_passes(self.questions, share=self.share)

    @property
    def is_met(self) -> bool:
        return not self.questions or (self.run is not None and self.passed >= self.required)

    @property
    def reason(self) -> str:
        """Why this cannot be published, a sentence; empty where the gate lets it pass, or may yet."""
        is_open = self.policy != GoldenGate.BLOCK or self.is_met or (self.run is None and self.runs_on_publish)
        return "" if is_open else f"{self._shortfall} Its gate blocks until they do."

    @property
    def warning(self) -> str:
        """What to say beside publishing, a sentence; empty where the gate does not warn or is content."""
        is_content = self.policy != GoldenGate.WARN or self.is_met or (self.run is None and self.runs_on_publish)
        return "" if is_content else self._shortfall

    @property
    def publish_notice(self) -> str:
        """What publishing is going to do about the golden questions, a sentence; empty where it knows already."""
        if not self.questions or self.run is not None or not self.runs_on_publish:
            return ""
        below = "you are warned" if self.policy == GoldenGate.WARN else "nothing is published"
        return f"Its golden questions are run first. If fewer than {self.required} of {self.questions} pass, {below}."

    @property
    def _shortfall(self) -> str:
        if self.run is None:
            unrun = f"Its {self.questions} golden questions have not been run as it stands"
            return f"{unrun}; {self.required} have to pass."
        return f"{self.passed} of its {self.questions} golden questions pass; {self.required} have to."


def gate_result(plugin: Plugin, *, has_worker: bool = False) -> GateResult:
    """Where the draft stands before publishing. Asks nothing of the plugin: it looks at the runs there are.
    `has_worker`: a worker would ask the golden questions, as many as there are."""
    questions = 0 if plugin.golden_gate == GoldenGate.OFF else plugin.golden_questions.count()
    if not questions:
        return _build_gate_result(plugin)
    run = golden_runs.latest_matching_run(releases.snapshot(plugin))
    runs_first = golden_runs.can_run_unasked() if has_worker else golden_runs.can_run_inline(plugin)
    return _build_gate_result(plugin, questions=questions, run=run, runs_on_publish=runs_first)


def gate_result_for_run(plugin: Plugin, *, run: EvaluationRun | None) -> GateResult:
    """The gate's result after publishing has run the golden questions. `run` is that of the content to publish."""
    return _build_gate_result(plugin, questions=plugin.golden_questions.count(), run=run)


def _build_gate_result(
    plugin: Plugin, *, questions: int = 0, run: EvaluationRun | None = None, runs_on_publish: bool = False
) -> GateResult:
    return GateResult(
        policy=GoldenGate(plugin.golden_gate),
        share=plugin.golden_share,
        questions=questions,
        run=run,
        runs_on_publish=runs_on_publish,
    )
