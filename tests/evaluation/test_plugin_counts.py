"""The counts of a plugin say how its golden questions went as they stand."""

from __future__ import annotations

import pytest

from accounts.models import User
from builder.readiness import readiness_parts
from evaluation.models import EvaluationRun, GoldenQuestion
from evaluation.plugin_counts import counts_by_plugin
from plugins.models import Plugin

pytestmark = pytest.mark.django_db


@pytest.fixture
def plugin(alice: User) -> Plugin:
    """One that passed a run of one question."""
    plugin = Plugin.objects.create(owner=alice, name="Boots", domain="x", system_prompt="x")
    golden = GoldenQuestion.objects.create(plugin=plugin, question="Boots?", last_passed=True)
    row = {"id": golden.pk, "question": golden.question, "passed": True}
    EvaluationRun.objects.create(plugin=plugin, result={"golden_passed": 1.0}, questions=[row])
    return plugin


def golden_part(plugin: Plugin) -> tuple[str, str]:
    [part] = [one for one in readiness_parts(plugin, counts_by_plugin([plugin])[plugin.pk]) if one.slug == "golden"]
    return part.status, part.detail


def test_a_question_that_was_added_since_the_run_has_not_passed(plugin: Plugin) -> None:
    assert golden_part(plugin) == ("ok", "1 of 1 pass, 1 needed")
    GoldenQuestion.objects.create(plugin=plugin, question="Hats?")
    assert golden_part(plugin) == ("warn", "1 of 2 pass, 2 needed")
    assert counts_by_plugin([plugin])[plugin.pk].golden_share == 1.0


def test_a_run_that_asked_for_no_answers_hides_no_result(plugin: Plugin) -> None:
    EvaluationRun.objects.create(plugin=plugin, result={"golden_passed": None})
    assert golden_part(plugin) == ("ok", "1 of 1 pass, 1 needed")


def test_without_a_result_nothing_was_run(plugin: Plugin) -> None:
    GoldenQuestion.objects.update(last_passed=None)
    assert golden_part(plugin) == ("warn", "1, not run yet")
    assert counts_by_plugin([plugin])[plugin.pk].golden_share is None
