"""Golden questions are written in the builder; operators see lists of them and of runs."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from evaluation.golden.golden_runs import run_golden
from evaluation.models import GoldenQuestion
from plugins.models import Plugin
from querying import releases
from querying.models import Query
from tests.evaluation.goldens import SPACERS, add_goldens

pytestmark = pytest.mark.django_db
LIST = reverse("admin:evaluation_goldenquestion_changelist")


@pytest.fixture
def client(alice: User) -> Client:
    client = Client()
    client.force_login(alice)
    return client


def filled(plugin: Plugin, **fields: Any) -> dict[str, Any]:
    defaults = {
        "question": SPACERS,
        "expectation": "answer",
        "facts_in_lines": "",
        "places": "",
        "phrases": "",
        "must_reach": "",
    }
    return {**defaults, **fields}


def add(client: Client, plugin: Plugin, **fields: Any) -> Any:
    return client.post(reverse("admin:builder_golden_add", args=[plugin.pk]), filled(plugin, **fields))


def errors(response: Any) -> str:
    return str(response.context["form"].errors)


def change(golden: GoldenQuestion) -> str:
    return reverse("admin:builder_golden_change", args=[golden.plugin_id, golden.pk])


def test_a_golden_question_is_written_in_plain_lines(client: Client, plugin: Plugin):
    add(client, plugin, facts_in_lines="exposure = severe", places="Cover handbook\n", phrases="Mortar\n1 metre")
    golden = GoldenQuestion.objects.get()
    assert (golden.facts, golden.must_cite) == ({"exposure": "severe"}, [["Cover handbook", None]])
    assert golden.must_contain == ["Mortar", "1 metre"]
    form = client.get(change(golden)).context["form"]
    assert [form[name].value() for name in ("facts_in_lines", "places", "phrases")] == [
        "exposure = severe",
        "Cover handbook",
        "Mortar\n1 metre",
    ]


def test_a_document_that_the_plugin_does_not_have_is_named_with_its_line(client: Client, plugin: Plugin):
    response = add(client, plugin, places="Cover handbook\nOther handbook, p. 2")
    assert "Line 2: the plugin has no document called “Other handbook”." in errors(response)
    assert not GoldenQuestion.objects.exists()


def test_a_page_of_a_source_without_pages_is_named_with_its_line(client: Client, plugin: Plugin):
    assert "Line 1: “Cover handbook” has no pages." in errors(add(client, plugin, places="Cover handbook, p. 2"))


def test_a_fact_that_cannot_be_read_is_named_with_its_line(client: Client, plugin: Plugin):
    assert "Line 1: a fact is written" in errors(add(client, plugin, facts_in_lines="severe"))


def test_what_is_refused_cannot_have_to_cite(client: Client, plugin: Plugin):
    response = add(client, plugin, expectation="refuse", places="Cover handbook")
    assert "What is refused cites nothing" in errors(response)


def test_the_list_says_how_each_went_and_leads_to_the_builder(client: Client, plugin: Plugin):
    add_goldens(plugin, right=1, refused=1, wrong=1)
    run_golden(releases.snapshot(plugin))
    page = client.get(LIST).content.decode()
    assert (page.count(">passed<"), page.count(">failed<")) == (2, 1)
    failed = client.get(LIST, {"last_passed__exact": "0"}).context["cl"].queryset
    assert [one.must_contain for one in failed] == [["glass"]]
    assert f'href="{change(failed[0])}' in page
    address = reverse("admin:evaluation_goldenquestion_change", args=[failed[0].pk])
    assert client.get(address)["Location"] == change(failed[0])
    assert client.post(address, filled(plugin)).status_code == 403


def test_a_question_that_was_changed_has_no_result(client: Client, plugin: Plugin):
    add_goldens(plugin, right=1)
    golden = GoldenQuestion.objects.get()
    run_golden(releases.snapshot(plugin))
    client.post(change(golden), filled(plugin, phrases="mortar"))
    golden.refresh_from_db()
    assert golden.last_passed is True
    client.post(change(golden), filled(plugin, phrases="glass"))
    golden.refresh_from_db()
    assert golden.last_passed is None


def test_a_run_shows_what_failed_and_why(client: Client, plugin: Plugin):
    add_goldens(plugin, right=1, wrong=1)
    _, row = run_golden(releases.snapshot(plugin))
    listing = client.get(reverse("admin:evaluation_evaluationrun_changelist")).content.decode()
    assert "1 of 2" in listing
    page = client.get(reverse("admin:evaluation_evaluationrun_change", args=[row.pk])).content.decode()
    assert "The answer does not say “glass”." in page
    assert "Not calibrated. It takes 40 golden questions" in page


def test_a_run_with_a_curve_draws_how_reliable_it_is(client: Client, plugin: Plugin):
    add_goldens(plugin, right=25, refused=10, wrong=5)
    _, row = run_golden(releases.snapshot(plugin))
    page = client.get(reverse("admin:evaluation_evaluationrun_change", args=[row.pk])).content.decode()
    assert page.count('aria-label="Reliability: share right against stated probability"') == 1
    assert "From 40 questions" in page


def test_a_run_cannot_be_written_or_deleted(client: Client, plugin: Plugin):
    add_goldens(plugin, right=1)
    _, row = run_golden(releases.snapshot(plugin))
    for address in ("add", "delete"):
        arguments = [row.pk] if address == "delete" else []
        assert client.get(reverse(f"admin:evaluation_evaluationrun_{address}", args=arguments)).status_code == 403


def test_the_audit_row_shows_the_score_that_decided(client: Client, plugin: Plugin, alice: User):
    query = Query.objects.create(
        plugin=plugin, user=alice, question="x", outcome="answered", confidence="high", evidence=0.8,
        evidence_score=0.7, probability=0.91,
    )  # fmt: skip
    page = client.get(reverse("admin:querying_query_change", args=[query.pk])).content.decode()
    assert "0.70 less the signs of contradiction" in page
    assert "high (right with 0.91)" in page
