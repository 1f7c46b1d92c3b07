"""What the first page says this site measured of itself."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from accounts.models import User
from marketplace.models import DayOfPlugin
from marketplace.site.site_figures import compute_figures
from plugins.models import Plugin

pytestmark = pytest.mark.django_db
TODAY = date(2026, 11, 20)


def on(plugin: Plugin, *, ago: int = 0, **counts: int | None) -> None:
    DayOfPlugin.objects.create(plugin=plugin, day=TODAY - timedelta(days=ago), **counts)


def figures() -> list[str]:
    return [figure for figure, _ in compute_figures(today=TODAY).rows]


def test_nothing_yet_is_no_nought() -> None:
    assert figures() == ["", "", ""]


def test_days_and_plugins_are_summed_up(alice: User) -> None:
    one, two = (Plugin.objects.create(owner=alice, name=name, slug=name, domain="x") for name in ("one", "two"))
    on(one, asked=10, answered=9, refused=1, sentences=30, dropped=1, median_ms=1000)
    on(two, ago=29, asked=30, answered=27, refused=3, sentences=70, dropped=2, median_ms=2000)
    assert figures() == ["3%", "10%", "1.8 s"]


def test_what_is_older_than_thirty_days_is_left_out(alice: User) -> None:
    plugin = Plugin.objects.create(owner=alice, name="one", slug="one", domain="x")
    on(plugin, ago=30, asked=10, refused=10, sentences=10, dropped=10, answered=1, median_ms=9)
    assert figures() == ["", "", ""]


def test_days_without_answers_have_no_time(alice: User) -> None:
    plugin = Plugin.objects.create(owner=alice, name="one", slug="one", domain="x")
    on(plugin, asked=4, refused=4)
    assert figures() == ["", "100%", ""]


def test_a_share_of_few_questions_is_not_shown(alice: User) -> None:
    plugin = Plugin.objects.create(owner=alice, name="one", slug="one", domain="x")
    on(plugin, asked=9, refused=3)
    assert not compute_figures(today=TODAY).are_telling
    on(plugin, ago=1, asked=1)
    assert compute_figures(today=TODAY).are_telling
