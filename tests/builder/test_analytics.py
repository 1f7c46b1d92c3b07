"""Figures of a plugin: counted right, for whom they are meant, and safe in a spreadsheet."""

from __future__ import annotations

import csv
import unicodedata
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import ApiKey, User
from builder.analytics import charts
from knowledge.models import Document
from lexic.spreadsheet_cells import escape_formula
from plugins.models import Plugin
from querying.models import Query

pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]


def asked(plugin: Plugin, **columns: Any) -> Query:
    given = {"release_name": "boots@draft", "question": "Boots?", "outcome": "answered", "latency_ms": 100}
    return Query.objects.create(plugin=plugin, **given | columns)


def pane(client: Client, plugin: Plugin, **chosen: str) -> Any:
    response = client.get(reverse("admin:builder_analytics", args=[plugin.pk]), chosen)
    assert response.status_code == 200
    return response


def rows_of(client: Client, plugin: Plugin, **chosen: str) -> list[dict[str, str]]:
    response = client.get(reverse("admin:builder_analytics_csv", args=[plugin.pk]), chosen)
    assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.DictReader(StringIO(response.content.decode())))


def cited(document: Document, page: int = 1) -> dict[str, Any]:
    return {"document": document.title, "documentId": str(document.pk), "page": page}


def test_queries_are_counted_by_outcome_and_day(plugin: Plugin) -> None:
    monday = datetime(2026, 6, 1, 23, 59, tzinfo=UTC)
    for outcome, days in (("answered", 0), ("answered", 0), ("refused", 0), ("answered", 2), ("answered", 9)):
        asked(plugin, outcome=outcome, created_at=monday + timedelta(days=days))
    some = Query.objects.created_between(date(2026, 6, 1), date(2026, 6, 3))
    assert some.by_outcome_and_day() == [
        (date(2026, 6, 1), "answered", 2),
        (date(2026, 6, 1), "refused", 1),
        (date(2026, 6, 3), "answered", 1),
    ]
    assert Query.objects.all().by_outcome_and_day(weekly=True) == [
        (date(2026, 6, 1), "answered", 3),
        (date(2026, 6, 1), "refused", 1),
        (date(2026, 6, 8), "answered", 1),
    ]


def test_times_are_those_of_questions_that_were_answered_to_the_end(plugin: Plugin) -> None:
    for number in range(1, 102):
        asked(plugin, latency_ms=number, timings={"retrieve": 2 * number}, prompt_tokens=3)
    asked(plugin, latency_ms=99_999, outcome="abandoned")
    sums = Query.objects.all().sums()
    assert (sums["half_whole"], sums["most_whole"]) == (51, 96)
    assert (sums["half_retrieve"], sums["half_generate"]) == (102, None)
    assert (sums["prompt_tokens"], sums["cost"]) == (303, None)


def test_a_document_counts_once_for_an_answer(plugin: Plugin, handbook: Document) -> None:
    asked(plugin, citations=[cited(handbook), cited(handbook, page=2)])
    asked(plugin, citations=[cited(handbook)])
    asked(plugin)
    assert Query.objects.all().cited_documents() == [(str(handbook.pk), "Rules on boots", 2)]


def test_the_pane_says_what_happened(browsing: Browse, alice: User, plugin: Plugin, handbook: Document) -> None:
    asked(plugin, citations=[cited(handbook)], confidence="high", timings={"retrieve": 12}, user=alice)
    asked(plugin, outcome="refused", user=alice)
    asked(plugin, outcome="answered", created_at=timezone.now() - timedelta(days=31))
    response = pane(browsing(alice), plugin)
    content = response.content.decode()
    assert response.context["total"] == 2
    assert response.context["change"] == "100% more than before"
    for words in ("50.0%", "Rules on boots", "Every document that is ready was cited.", "12 ms", "people, by hand"):
        assert words in content


def test_what_was_only_searched_counts_on_both_sides_of_a_comparison(
    browsing: Browse, alice: User, plugin: Plugin
) -> None:
    """As a review of a text searches: nothing is written, and the row has an outcome of its own."""
    for days in (0, 0, 31, 31):
        asked(plugin, outcome="found", user=alice, created_at=timezone.now() - timedelta(days=days))
    asked(plugin, user=alice)
    response = pane(browsing(alice), plugin)
    shown = response.context
    assert (shown["total"], shown["change"]) == (3, "50% more than before")
    assert ("searched", 2) in [(words, count) for words, count, _ in shown["shares"]]
    assert sum(sum(day.counts) for day in shown["days"]) == 3


def test_a_change_that_rounds_to_nothing_is_none(browsing: Browse, alice: User, plugin: Plugin) -> None:
    days = [31] * 400 + [0] * 401
    moments = [timezone.now() - timedelta(days=number) for number in days]
    columns = {"plugin": plugin, "release_name": "boots@draft", "question": "Boots?", "outcome": "answered"}
    Query.objects.bulk_create([Query(**columns, created_at=moment) for moment in moments])
    assert pane(browsing(alice), plugin).context["change"] == "about as many as before"


def test_days_releases_and_askers_are_chosen(browsing: Browse, alice: User, published: Plugin) -> None:
    release = published.releases.get()
    key, _ = ApiKey.objects.issue(owner=alice, name="agent")
    asked(published, release=release, api_key=key)
    asked(published, user=alice)
    asked(published, user=alice, created_at=datetime(2020, 2, 2, tzinfo=UTC))
    client = browsing(alice)
    chosen = [{}, {"version": "1.0.0"}, {"version": "draft"}, {"by": "keys"}, {"by": "hand"}]
    chosen += [{"first": "2020-02-01", "last": "2020-02-03"}, {"first": "2020-02-03", "last": "2020-02-01"}]
    assert [pane(client, published, **one).context["total"] for one in chosen] == [2, 1, 1, 1, 1, 1, 2]
    assert len(rows_of(client, published, version="1.0.0")) == 1


@pytest.mark.parametrize("nonsense", [{"first": "yesterday"}, {"last": "0001-01-01"}, {"version": "x"}, {"by": "'"}])
def test_a_choice_that_makes_no_sense_counts_the_usual_days(
    browsing: Browse, alice: User, plugin: Plugin, nonsense: dict[str, str]
) -> None:
    pane(browsing(alice), plugin, **nonsense)
    rows_of(browsing(alice), plugin, **nonsense)


def test_keys_are_named_to_their_owner_alone(browsing: Browse, alice: User, charlie: User, plugin: Plugin) -> None:
    theirs, _ = ApiKey.objects.issue(owner=charlie, name="charlies agent")
    own, _ = ApiKey.objects.issue(owner=alice, name="alices agent")
    for key in (theirs, theirs, own):
        asked(plugin, api_key=key)
    client = browsing(alice)
    content = pane(client, plugin).content.decode()
    assert ("alices agent" in content, "charlies agent" in content) == (True, False)
    assert [key.name for key in pane(client, plugin).context["keys"]] == ["another person’s key", str(own)]
    assert {row["asked_by"] for row in rows_of(client, plugin)} == {"another person’s key", f"{own}"}


def test_strangers_find_no_figures(browsing: Browse, charlie: User, visitor: User, published: Plugin) -> None:
    for name in ("analytics", "analytics_csv", "analytics_json", "analytics_report"):
        url = reverse(f"admin:builder_{name}", args=[published.pk])
        assert browsing(charlie).get(url).status_code == 404
        assert browsing(visitor).get(url).status_code == 302


def test_questions_of_other_plugins_are_not_counted(browsing: Browse, alice: User, plugin: Plugin) -> None:
    other = Plugin.objects.create(owner=alice, name="Other", domain="x", system_prompt="x")
    asked(other, user=alice)
    assert pane(browsing(alice), plugin).context["total"] == 0


@pytest.mark.parametrize("rows", [1, 12])
def test_the_pane_takes_the_same_statements_for_any_number_of_rows(
    browsing: Browse, alice: User, plugin: Plugin, handbook: Document, rows: int, django_assert_num_queries: Any
) -> None:
    client = browsing(alice)
    for number in range(rows):
        key, _ = ApiKey.objects.issue(owner=alice, name=f"agent {number}")
        asked(plugin, api_key=key, citations=[cited(handbook)], created_at=timezone.now() - timedelta(days=number))
        Document.objects.create(
            knowledge_base=handbook.knowledge_base, title=f"More {number}", status="ready", source_type="text"
        )
    pane(client, plugin)
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as around:
        client.get(reverse("admin:builder_sandbox", args=[plugin.pk]))
    with django_assert_num_queries(len(around) + 8):
        pane(client, plugin)


# --- The file --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        " =1",
        "\n=1",
        "＝1+1",
        "＋1",
        "－1",
        "＠SUM",
        "﹢1",
        "\u200b＝1",
        "\ufeff=1",
        "−1",
    ],
)
def test_a_cell_is_never_a_formula(browsing: Browse, alice: User, plugin: Plugin, text: str) -> None:
    asked(plugin, question=text, user=alice)
    (row,) = rows_of(browsing(alice), plugin)
    assert row["question"] == f"'{text}"


@given(st.text())
def test_no_text_begins_as_a_formula_does(text: str) -> None:
    cell = escape_formula(text)
    assert cell.removeprefix("'") == text.removeprefix("'") or cell == text
    assert not unicodedata.normalize("NFKC", cell).lstrip().startswith(("=", "+", "-", "@"))
    assert not cell.startswith(("\t", "\r"))


# --- Pictures --------------------------------------------------------------------------------------------


@given(
    st.lists(
        st.lists(st.integers(0, 10_000), min_size=len(charts.SERIES), max_size=len(charts.SERIES)),
        min_size=1,
        max_size=120,
    )
)
def test_every_bar_stands_inside_the_picture(counts: list[list[int]]) -> None:
    start = date(2026, 1, 1)
    days = [
        charts.DayStatistics(day=start + timedelta(days=number), counts=row, median=None, p95=None)
        for number, row in enumerate(counts)
    ]
    plot = charts.bar_chart(days)
    assert all(charts.TOP - 0.2 <= rect.y <= charts.BOTTOM for rect in plot.rects)
    assert all(rect.x >= charts.LEFT and rect.x + rect.width <= charts.WIDTH + 0.2 for rect in plot.rects)
    assert len(plot.labels) <= 7


def test_a_day_without_questions_breaks_the_line() -> None:
    times = [(100.0, 400.0), (None, None), (200.0, 300.0), (100.0, 100.0)]
    days = [
        charts.DayStatistics(day=date(2026, 1, number), counts=[0] * len(charts.SERIES), median=half, p95=most)
        for number, (half, most) in enumerate(times, start=1)
    ]
    (_, path, words, _), _ = charts.line_chart(days).lines
    assert (path.count("M"), path.count("h"), path.count("L"), words) == (2, 1, 1, "median")


# --- Topics, reasons, the file for programs, and the report ------------------------------------------------


def test_what_is_asked_is_shown_by_topic_with_how_it_ended(browsing: Browse, alice: User, plugin: Plugin) -> None:
    now = timezone.now()
    for question, outcome, days in (
        ("How often are boots replaced?", "answered", 0),
        ("How often must boots be replaced?", "refused", 2),
        ("Who won the world cup?", "refused", 2),
    ):
        asked(plugin, question=question, outcome=outcome, created_at=now - timedelta(days=days))
    shown = pane(browsing(alice), plugin).context["topics"]
    assert [(topic.count, topic.answered, topic.refused) for topic in shown] == [(2, 1, 1), (1, 0, 1)]
    assert [count for _, count in shown[0].by_day] == [1, 1]
    assert len(shown[0].counts) == 30


def test_thanks_are_no_question_and_a_follow_up_is_the_question_it_stands_for(
    browsing: Browse, alice: User, plugin: Plugin
) -> None:
    asked(plugin, question="And on Sundays?", plan={"standalone": "When are the baths open on Sundays?"})
    asked(plugin, question="Thanks!", reason="courtesy")
    shown = pane(browsing(alice), plugin).context
    assert shown["total"] == 1
    assert [topic.question for topic in shown["topics"]] == ["When are the baths open on Sundays?"]
    assert [row["question"] for row in rows_of(browsing(alice), plugin)] == ["And on Sundays?"]


def test_refusals_are_counted_by_reason_in_words(browsing: Browse, alice: User, plugin: Plugin) -> None:
    for reason in ("no_evidence", "no_evidence", "self_refusal"):
        asked(plugin, outcome="refused", reason=reason)
    page = pane(browsing(alice), plugin)
    assert [(words, count) for words, count, _ in page.context["reasons"]] == [
        ("no passage answers it well enough", 2),
        ("the passages that were read do not say it", 1),
    ]


def test_the_file_for_programs_has_what_that_for_spreadsheets_has(
    browsing: Browse, alice: User, plugin: Plugin, handbook: Document
) -> None:
    asked(plugin, citations=[cited(handbook)], cost="0.25")
    response = browsing(alice).get(reverse("admin:builder_analytics_json", args=[plugin.pk]))
    assert response.headers["Content-Type"] == "application/json"
    [row] = response.json()["questions"]
    assert (row["question"], row["cost"], row["citations"][0]["page"]) == ("Boots?", 0.25, 1)
    overall = browsing(alice).get(reverse("admin:builder_overall_json")).json()
    assert [one["question"] for one in overall["questions"]] == ["Boots?"]


def test_the_report_names_documents_that_answer_and_those_that_never_do(
    browsing: Browse, alice: User, plugin: Plugin, handbook: Document
) -> None:
    Document.objects.create(
        knowledge_base=handbook.knowledge_base, title="Never read", source_type="md", status="ready"
    )
    asked(plugin, citations=[cited(handbook)], cost="0.50")
    page = browsing(alice).get(reverse("admin:builder_analytics_report", args=[plugin.pk])).content.decode()
    assert handbook.title in page
    assert "never cited in these days: Never read" in page
    assert "for an answer" in page
    empty = browsing(alice).get(
        reverse("admin:builder_analytics_report", args=[plugin.pk]), {"first": "2020-01-01", "last": "2020-01-02"}
    )
    assert "Nobody asked in these days." in empty.content.decode()
