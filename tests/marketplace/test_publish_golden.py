"""What publishing does with golden questions."""

from __future__ import annotations

import pytest

from accounts.models import User
from evaluation.golden import golden_runs
from evaluation.models import EvaluationRun
from marketplace.publishing.publish import publish
from plugins.models import Plugin, Release
from tests.cover import plugin  # noqa: F401
from tests.evaluation.goldens import add_goldens

pytestmark = pytest.mark.django_db


def published(plugin: Plugin) -> Release:  # noqa: F811
    return publish(plugin, by=plugin.owner).release


def test_a_release_keeps_the_scorecard_of_its_golden_questions(plugin: Plugin):  # noqa: F811
    add_goldens(plugin, right=2, refused=1, wrong=1)
    card = published(plugin).scorecard
    assert (card["golden_passed"], card["golden_total"]) == (3, 4)
    assert EvaluationRun.objects.count() == 1


def test_without_golden_questions_the_scorecard_is_empty(plugin: Plugin):  # noqa: F811
    assert published(plugin).scorecard == {}


def test_a_run_over_the_same_draft_is_not_repeated(plugin: Plugin):  # noqa: F811
    add_goldens(plugin, right=1)
    run = golden_runs.ensure_draft_run(plugin)
    assert published(plugin).scorecard == golden_runs.build_scorecard(run)
    assert EvaluationRun.objects.count() == 1


def test_a_release_keeps_the_curve_fitted_on_its_questions(plugin: Plugin):  # noqa: F811
    add_goldens(plugin, right=25, refused=10, wrong=5)
    release = published(plugin)
    assert release.calibration["questions"] == 40
    plugin.refresh_from_db()
    assert plugin.calibration == release.calibration
    assert release.scorecard["calibrated"]


def test_publishing_twice_gives_the_same_release_with_its_curve(plugin: Plugin):  # noqa: F811
    add_goldens(plugin, right=25, refused=10, wrong=5)
    first = publish(plugin, by=plugin.owner)
    EvaluationRun.objects.all().delete()  # so that it is fitted anew
    second = publish(plugin, by=plugin.owner)
    assert (second.release, second.is_new) == (first.release, False)


def test_a_curve_that_nobody_has_checked_is_not_released(plugin: Plugin):  # noqa: F811
    add_goldens(plugin, right=1)
    Plugin.objects.update(calibration={"made": "for something else"})
    assert published(plugin).calibration is None


def test_a_run_that_breaks_stands_in_the_way_of_nothing(
    plugin: Plugin,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
):
    def broken(*_: object, **__: object) -> None:
        raise ValueError("the golden questions of nobody")

    add_goldens(plugin, right=1)
    monkeypatch.setattr(golden_runs, "run_golden", broken)
    release = published(plugin)
    assert (release.version, release.scorecard, release.calibration) == ("1.0.0", {}, None)


def test_what_failed_stands_in_the_way_of_nothing(plugin: Plugin, alice: User):  # noqa: F811
    add_goldens(plugin, wrong=3)
    assert publish(plugin, by=alice).release.scorecard["golden_passed"] == 0
