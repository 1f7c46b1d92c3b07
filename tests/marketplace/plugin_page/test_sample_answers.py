"""The sample on a plugin's page: which golden questions may be shown, and what is kept of an answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from evaluation.golden import golden_file
from evaluation.models import GoldenQuestion
from knowledge.models import Document
from marketplace.bundle import export_plugin, import_plugin
from marketplace.models import Listing
from marketplace.plugin_page import sample_answers
from marketplace.plugin_page.sample_answers import current_sample, is_sample_offered, offered_sample_answer
from marketplace.tasks import complete_listing, refresh_listings
from plugins.models import Plugin
from querying.models import Query
from querying.query_log.spending import plugin_spending, site_spending

WORN = "What is worn on every site?"


@pytest.fixture
def golden(published: Plugin) -> GoldenQuestion:
    return GoldenQuestion.objects.create(
        plugin=published, question=WORN, is_public=True, last_passed=True, last_failures=[]
    )


def test_a_marked_question_is_answered_once_and_nobody_has_asked_it(
    published: Plugin, golden: GoldenQuestion, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = current_sample(published)
    assert (made["question"], made["outcome"], made["release"]) == (WORN, "answered", "boots@1.0.0")
    assert Query.objects.count() == 0
    Listing.objects.filter(pk=published.pk).update(sample=made)
    monkeypatch.setattr(sample_answers, "_ask_sample_question", lambda *_: pytest.fail("it was answered already"))
    assert current_sample(published) == made


def test_what_a_sample_cost_counts_for_the_caps(
    published: Plugin, golden: GoldenQuestion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("querying.query_log.record_query.cost_of", lambda usage, llm, was_called: Decimal("0.30"))
    current_sample(published)
    assert (plugin_spending(published), site_spending()) == (Decimal("0.30"), Decimal("0.30"))


def test_a_sample_that_quotes_a_template_is_not_offered(published: Plugin, golden: GoldenQuestion) -> None:
    made = current_sample(published)
    assert is_sample_offered(published, made)
    Document.objects.update(is_template=True)
    assert not is_sample_offered(published, made)


def test_without_a_mark_nothing_is_shown(published: Plugin, golden: GoldenQuestion) -> None:
    GoldenQuestion.objects.update(is_public=False)
    assert current_sample(published) == {}


def test_a_question_that_is_refused_is_no_sample(published: Plugin, golden: GoldenQuestion) -> None:
    GoldenQuestion.objects.update(question="Which gloves does a diver need in the Arctic?")
    assert current_sample(published) == {}
    GoldenQuestion.objects.update(question=WORN, expectation="refuse")
    assert current_sample(published) == {}


def test_the_page_shows_it_with_its_evidence(client: Client, published: Plugin, golden: GoldenQuestion) -> None:
    Listing.objects.filter(pk=published.pk).update(sample=current_sample(published))
    said = client.get("/marketplace/boots").content.decode()
    assert "a sample the author chose" in said
    assert "1 of 1 citation found word for word on the cited page" in said


def test_an_excerpt_that_is_not_on_its_page_is_not_called_verified(published: Plugin, golden: GoldenQuestion) -> None:
    made = current_sample(published)
    made["citations"][0]["excerpt"] = "Something else."
    shown = offered_sample_answer(published, made, viewer=None)
    assert shown is not None
    assert (shown.verified_count, len(shown.evidence)) == (0, 1)


def test_marking_one_in_the_builder_keeps_its_last_result(
    browsing: Callable[[User], Client], published: Plugin, golden: GoldenQuestion, alice: User
) -> None:
    GoldenQuestion.objects.update(is_public=False)
    path = f"/admin/plugins/plugin/{published.pk}/golden/{golden.pk}/"
    said = {"question": WORN, "expectation": "answer", "is_public": "on"}
    assert browsing(alice).post(path, said).status_code == 302
    golden.refresh_from_db()
    assert (golden.is_public, golden.last_passed) == (True, True)


def test_it_travels_as_lines_and_in_the_file(published: Plugin, golden: GoldenQuestion, bob: User) -> None:
    (line,) = golden_file.export_golden_questions(published)
    assert json.loads(line) == {"question": WORN, "expectation": "answer", "is_public": True}
    unmarked = json.dumps({"question": WORN})
    assert golden_file.import_golden_questions(published, lines=[unmarked]).changed == 1
    golden.refresh_from_db()
    assert (golden.is_public, golden.last_passed) == (False, True)
    assert golden_file.import_golden_questions(published, lines=[line]).changed == 1
    with export_plugin(published) as file:
        copy = import_plugin(file, owner=bob).plugin
    assert copy.golden_questions.get().is_public


@pytest.mark.parametrize("value", [1, "yes", None, []])
def test_a_mark_is_true_or_false(published: Plugin, value: Any) -> None:
    with pytest.raises(golden_file.InvalidGoldenFile):
        golden_file.import_golden_questions(published, lines=[json.dumps({"question": "?", "is_public": value})])


@pytest.mark.parametrize("change", ["unmarked", "deleted", "another question"])
def test_a_mark_taken_off_is_off_every_page_at_once(
    client: Client, published: Plugin, golden: GoldenQuestion, change: str
) -> None:
    Listing.objects.filter(pk=published.pk).update(sample=current_sample(published))
    assert WORN in client.get("/marketplace/boots").content.decode()
    if change == "deleted":
        golden.delete()
    else:
        said = {"is_public": False} if change == "unmarked" else {"question": "What is worn at sea?"}
        GoldenQuestion.objects.update(**said)
    for path in ("/marketplace/boots", "/"):
        assert WORN not in client.get(path).content.decode()


def test_what_is_no_sample_any_more_is_forgotten(
    published: Plugin, golden: GoldenQuestion, monkeypatch: pytest.MonkeyPatch
) -> None:
    Listing.objects.filter(pk=published.pk).update(sample=current_sample(published), updated_at="2020-01-01T00:00Z")
    golden.delete()
    monkeypatch.setattr("marketplace.tasks.publish_task", lambda name, plugin_id: complete_listing(plugin_id=plugin_id))
    refresh_listings()
    assert Listing.objects.get(pk=published.pk).sample == {}
