"""Figures over all plugins that a person may look at: nobody else's, at the same cost for any number of them."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from builder.analytics import all_plugins
from builder.templatetags.builder import money
from plugins.models import Plugin
from querying.models import Query
from querying.types.answer import Outcome

pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]


def made(owner: User, name: str) -> Plugin:
    return Plugin.objects.create(owner=owner, name=name, domain="x", system_prompt="x")


def asked(plugin: Plugin, **columns: Any) -> Query:
    given = {"release_name": "x@draft", "question": "Boots?", "outcome": "answered", "latency_ms": 100}
    return Query.objects.create(plugin=plugin, **given | columns)


def shown(client: Client, **chosen: str) -> Any:
    response = client.get(reverse("admin:builder_overall"), chosen)
    assert response.status_code == 200
    return response


def test_each_plugin_has_its_row_the_busiest_first(browsing: Browse, alice: User, bob: User) -> None:
    quiet, boots, hats = made(alice, "Quiet"), made(alice, "Boots"), made(bob, "Hats")
    hats.viewers.add(alice)
    for number in range(1, 4):
        asked(hats, latency_ms=100 * number, prompt_tokens=10, completion_tokens=5, cost=Decimal("0.5"))
    asked(hats, outcome="abandoned", latency_ms=9000)
    asked(hats, question="Thanks!", reason="courtesy", latency_ms=9000)
    asked(boots, outcome="refused", cost=Decimal(0))
    asked(boots, outcome="answered", created_at=timezone.now() - timedelta(days=31))
    response = shown(browsing(alice))
    rows = [(row.plugin, row.count, row.other_count) for row in response.context["page"]]
    assert rows == [(hats, 4, 1), (boots, 1, 0), (quiet, 0, 0)]
    of = response.context["page"][0].figures
    assert (of["answered"], of["half"], of["tokens"], of["spent"], of["unpriced"]) == (
        3,
        200,
        45,
        Decimal("1.5"),
        0,
    )
    assert response.context["total"] == 5
    assert "1.50 USD" in response.content.decode()


def test_the_columns_of_a_plugin_add_up_to_its_questions(browsing: Browse, alice: User) -> None:
    boots = made(alice, "Boots")
    for outcome in Outcome:
        asked(boots, outcome=outcome.value)
    response = shown(browsing(alice))
    [row] = response.context["page"]
    columns = re.findall(r'data-label="([A-Z][a-z ]+)">(\d+)</td>', response.content.decode())
    ways = ("Answered", "Asked back", "Refused", "Not finished", "Searched")
    assert sum(int(number) for name, number in columns if name in ways) == row.count == len(Outcome)


def test_what_was_asked_of_others_plugins_is_not_counted(
    browsing: Browse, alice: User, charlie: User, published: Plugin
) -> None:
    asked(published, user=charlie)
    made(charlie, "Own")
    response = shown(browsing(charlie))
    assert (response.context["total"], [row.plugin.name for row in response.context["page"]]) == (0, ["Own"])
    assert "Boots" not in response.content.decode()


def test_the_file_holds_the_same_questions_and_no_formula(browsing: Browse, alice: User, charlie: User) -> None:
    asked(made(alice, "Boots"), question="=1+1")
    asked(made(charlie, "Hats"), question="Secret?")
    response = browsing(alice).get(reverse("admin:builder_overall_csv"))
    rows = list(csv.DictReader(StringIO(response.content.decode())))
    assert [row["question"] for row in rows] == ["'=1+1"]
    assert "all-plugins-" in response.headers["Content-Disposition"]


def test_by_hand_and_by_key_are_told_apart(browsing: Browse, alice: User) -> None:
    asked(made(alice, "Boots"))
    client = browsing(alice)
    assert [shown(client, by=by).context["total"] for by in ("", "hand", "keys", "nonsense")] == [1, 1, 0, 1]


def test_without_a_plugin_it_says_what_to_do(browsing: Browse, alice: User) -> None:
    assert "Create your first plugin" in shown(browsing(alice)).content.decode()


@pytest.mark.parametrize("plugins", [1, 9])
def test_it_takes_the_same_statements_for_any_number_of_plugins(
    browsing: Browse, alice: User, plugins: int, django_assert_num_queries: Any
) -> None:
    for number in range(plugins):
        asked(made(alice, f"Plugin {number}"))
    client = browsing(alice)
    shown(client)
    with django_assert_num_queries(14):
        shown(client)


def test_many_plugins_come_by_pages(browsing: Browse, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(all_plugins, "PER_PAGE", 1)
    for name in ("A", "B"):
        asked(made(alice, name))
    response = shown(browsing(alice), page="2", by="hand")
    assert [row.plugin.name for row in response.context["page"]] == ["B"]
    assert "?by=hand&amp;page=1" in response.content.decode()


@pytest.mark.parametrize(
    ("amount", "words"),
    [
        (None, "not known"),
        (Decimal(0), "0.00 USD"),
        (Decimal("0.0045"), "0.0045 USD"),
        (Decimal("0.000012"), "0.000012 USD"),
        (Decimal("1234.5"), "1,234.50 USD"),
    ],
)
def test_money_is_said_as_it_is(amount: Decimal | None, words: str) -> None:
    assert money(amount) == words
