"""Where events come from: reading documents, publishing, and questions that were refused."""

from __future__ import annotations

from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import ApiKey, User
from evaluation import run_question
from evaluation.models import GoldenQuestion
from knowledge.documents.lifecycle import add_text, reingest_document
from knowledge.ingest import NoCitableText, ingest, mark_failed
from knowledge.plugin_knowledge_base import own_knowledge_base
from marketplace.publishing.publish import publish
from marketplace.publishing.rollback import roll_back
from plugins.models import Plugin
from querying import pipeline, releases
from querying.models import Query
from querying.types.question import Caller, Question
from tests.knowledge.bases import attach
from webhooks import outbox
from webhooks.models import Delivery, Event, Webhook

pytestmark = pytest.mark.django_db
UNKNOWN = "Who won the chess championship of 1972?"


def listen(plugin: Plugin, **columns: Any) -> Webhook:
    return Webhook.objects.create(
        plugin=plugin, url="https://example.org/", events=Event.values, secret_encrypted="x", **columns
    )


def told(**filters: Any) -> list[tuple[str, dict[str, Any]]]:
    rows = Delivery.objects.filter(**filters).order_by("created_at")
    return [(row.event, {name: value for name, value in row.data.items() if name != "plugin"}) for row in rows]


def test_a_document_that_is_ready_is_told_to_every_plugin_that_reads_it(boots: Plugin, alice: User) -> None:
    base = own_knowledge_base(boots)
    reader = Plugin.objects.create(owner=alice, name="Reader", domain="x", system_prompt="x")
    stranger = Plugin.objects.create(owner=alice, name="Stranger", domain="x", system_prompt="x")
    attach(base, reader)
    for one in (boots, reader, stranger):
        listen(one)
    document = add_text(knowledge_base=base, title="Rules", text="Wear boots.", enqueue=False).document
    ingest(document.pk)
    expected = {
        "document": {"id": str(document.pk), "title": "Rules", "sourceType": "markdown", "pageCount": None},
        "knowledgeBase": {"id": base.pk, "name": "Boots"},
    }
    assert told() == [("document.ready", expected)] * 2
    assert set(Delivery.objects.values_list("webhook__plugin__name", flat=True)) == {"Boots", "Reader"}
    reingest_document(document, enqueue=False)
    ingest(document.pk)
    assert told() == [("document.ready", expected)] * 4


def test_a_document_that_failed_is_told_with_the_reason(boots: Plugin) -> None:
    listen(boots)
    base = own_knowledge_base(boots)
    document = add_text(knowledge_base=base, title="Rules", text="Wear boots.", enqueue=False).document
    mark_failed(document, NoCitableText())
    mark_failed(document, NoCitableText())  # it had failed already: that is no news
    [(event, data)] = told()
    assert (event, data["document"]["title"]) == ("document.failed", "Rules")
    assert (data["error"], data["code"]) == ("The document holds no text that could be cited.", "no_text")


def test_a_release_is_told_when_agents_get_another_one(plugin: Plugin, alice: User) -> None:
    listen(plugin)
    first = publish(plugin, by=alice, notes="The first.").release
    publish(plugin, by=alice)  # nothing has changed
    plugin.system_prompt = "You are brief."
    plugin.save()
    publish(plugin, by=alice)
    roll_back(plugin, to=first, by=alice)
    plugin.refresh_from_db()
    plugin.unpublish()
    publish(plugin, by=alice)
    found = [(data["release"]["version"], data["returnsTo"]) for event, data in told()]
    assert found == [("1.0.0", None), ("1.1.0", None), ("1.2.0", "1.0.0"), ("1.3.0", None)]
    assert told()[0] == (
        "release.published",
        {"release": {"id": str(first.pk), "version": "1.0.0", "notes": "The first."}, "returnsTo": None},
    )
    assert {event for event, _ in told()} == {"release.published"}


def asked(published: Plugin, text: str, alice: User) -> None:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {ApiKey.objects.issue(owner=alice, name='agent')[1]}")
    assert client.post("/api/v1/query", {"plugin": "cover", "query": text}, format="json").status_code == 200


def test_a_refused_question_is_told_without_its_words_and_never_who_asked(published: Plugin, alice: User) -> None:
    plain = listen(published)
    wordy = listen(published, includes_questions=True)
    asked(published, UNKNOWN, alice)
    query = Query.objects.get()
    expected = {"queryId": str(query.pk), "release": "cover@1.0.0", "reason": query.reason}
    assert query.reason
    assert told(webhook=plain) == [("question.unanswered", expected)]
    assert told(webhook=wordy) == [("question.unanswered", {**expected, "question": UNKNOWN})]
    for row in Delivery.objects.all():
        for secret in (str(alice.pk), alice.email, str(query.api_key_id)):
            assert secret not in row.body().decode()


def test_an_erased_question_is_told_without_its_words(published: Plugin, alice: User) -> None:
    wordy = listen(published, includes_questions=True)
    asked(published, UNKNOWN, alice)
    asked(published, f"{UNKNOWN} Or not?", alice)
    first, second = Query.objects.order_by("created_at")
    Delivery.objects.update(response=f"Received: {UNKNOWN}")
    Query.objects.filter(pk=first.pk).erase_content(now=timezone.now())
    erased, kept = Delivery.objects.filter(webhook=wordy).order_by("created_at")
    assert UNKNOWN not in erased.body().decode()
    assert (erased.response, erased.data["queryId"]) == ("", str(first.pk))
    assert kept.data["question"] == second.question
    assert kept.response


def test_an_answered_question_is_told_to_nobody(published: Plugin, alice: User) -> None:
    listen(published)
    asked(published, "What is the nominal cover of a beam in mild exposure?", alice)
    assert Query.objects.get().outcome == "answered"
    assert told() == []


def test_what_is_asked_to_measure_is_told_to_nobody(published: Plugin) -> None:
    listen(published)
    GoldenQuestion.objects.create(plugin=published, question=UNKNOWN, expectation="refuse")
    given = run_question.run_pipeline(
        Question(text=UNKNOWN, release=releases.snapshot(published), caller=run_question._EVALUATION_CALLER)
    )
    assert given.outcome == "refused"
    assert told() == []


def test_a_webhook_that_cannot_be_told_costs_neither_answer_nor_audit_row(
    published: Plugin, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: object, **kwargs: object) -> int:
        return Webhook.objects.extra(where=["1/0=1"]).count()

    monkeypatch.setattr(outbox, "record_event", broken)
    question = Question(text=UNKNOWN, release=releases.snapshot(published), caller=Caller(name="test"))
    async_to_sync(pipeline.answer)(question)
    assert Query.objects.get().outcome == "refused"
