"""Up to 1,000 questions as a job: made, worked on, cancelled, taken up again, and read."""

from __future__ import annotations

import json
import math
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import ApiKey, User
from api import tasks
from api.batch import ask_questions, create_batch
from api.batch.create_batch import MAX_QUESTIONS, MAX_UNFINISHED
from api.models import Batch, BatchItem
from lexic.celery import app
from plugins.models import Plugin
from querying.models import Query
from tests.api.callers import assert_error
from tests.api.chat_completions.asking import OPEN, WEATHER, client_of

pytestmark = pytest.mark.django_db

SPACERS = "What are spacers made of?"
CHESS = "Who won the chess championship of 1972?"


def line(number: int, query: str = WEATHER, **more: Any) -> dict[str, Any]:
    return {"id": f"q{number}", "plugin": "cover", "query": query, **more}


def send(key: str, *lines: Any, media_type: str = "application/x-ndjson", **headers: Any) -> Any:
    body = b"\n".join(one if isinstance(one, bytes) else json.dumps(one).encode() for one in lines)
    return client_of(key).generic("POST", "/api/v1/batch", body, media_type, **headers)


def made(key: str, *lines: Any) -> Batch:
    response = send(key, *lines)
    assert response.status_code == 202, response.content
    return Batch.objects.get(pk=response.json()["id"])


def progress(key: str, batch: Batch) -> dict[str, Any]:
    return client_of(key).get(f"/api/v1/batch/{batch.pk}").json()


def results(key: str, batch: Batch) -> list[dict[str, Any]]:
    response = client_of(key).get(f"/api/v1/batch/{batch.pk}/results")
    assert response["Content-Type"] == "application/x-ndjson; charset=utf-8"
    return [json.loads(one) for one in response.content.decode().splitlines()]


@pytest.mark.parametrize("media_type", ["application/x-ndjson", "application/jsonl"])
def test_questions_come_and_answers_go_as_lines(published: Plugin, key: str, media_type: str) -> None:
    sent = send(key, line(1), line(2, CHESS), b"", line(3, OPEN), media_type=media_type)
    assert sent.status_code == 202
    assert {name: sent.json()[name] for name in ("state", "total", "waiting", "endedAt")} == {
        "state": "queued",
        "total": 3,
        "waiting": 3,
        "endedAt": None,
    }
    batch = Batch.objects.get()
    assert results(key, batch) == []
    tasks.work_on_batch(batch_id=str(batch.pk))
    ended = progress(key, batch)
    assert (ended["state"], ended["answered"], ended["failed"], ended["waiting"]) == ("done", 3, 0, 0)
    assert ended["endedAt"]
    read = results(key, batch)
    assert [(one["id"], one["error"], one["response"]["outcome"]) for one in read] == [
        ("q1", None, "answered"),
        ("q2", None, "refused"),
        ("q3", None, "clarify"),
    ]
    assert "45 mm" in read[0]["response"]["answer"]
    assert read[0]["response"]["citations"][0]["excerpt"]
    assert {one["response"]["queryId"] for one in read} == {
        str(pk) for pk in Query.objects.values_list("pk", flat=True)
    }


def test_the_words_of_a_question_are_kept_in_the_log_alone(published: Plugin, key: str) -> None:
    batch = made(key, line(1))
    ask_questions.work_on(batch.pk)
    assert BatchItem.objects.get().request == {}
    Query.objects.all().erase_content(now=timezone.now())
    [one] = results(key, batch)
    assert (one["response"], one["error"]["code"]) == (None, "answer_gone")


def test_a_worker_that_dies_leaves_the_rest_to_another(
    published: Plugin, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = made(key, line(1), line(2, SPACERS), line(3, CHESS))
    finish, finished = BatchItem.finish, list[int]()

    def finish_or_die(item: BatchItem, error: Any = None) -> None:
        if len(finished) == 1:  # it was asked, and nobody noted it
            raise KeyboardInterrupt
        finished.append(item.number)
        finish(item, error)

    monkeypatch.setattr(BatchItem, "finish", finish_or_die)
    with pytest.raises(KeyboardInterrupt):
        ask_questions.work_on(batch.pk)
    monkeypatch.undo()
    assert progress(key, batch)["answered"] == 1
    assert Query.objects.count() == 2
    tasks.resume_batches()
    ask_questions.work_on(batch.pk)
    assert progress(key, batch)["state"] == "done"
    assert Query.objects.count() == 3
    assert [one["id"] for one in results(key, batch)] == ["q1", "q2", "q3"]


@pytest.mark.parametrize("outcome", ["failed", "abandoned"])
def test_a_question_that_ended_with_its_worker_before_it_was_answered_is_asked_again(
    published: Plugin, key: str, outcome: str
) -> None:
    batch = made(key, line(1))
    cut_off = BatchItem.objects.get().question_id
    Query.objects.create(pk=cut_off, plugin=published, question=WEATHER, release_name="cover@1.0.0", outcome=outcome)
    ask_questions.work_on(batch.pk)
    [one] = results(key, batch)
    assert (one["error"], one["response"]["outcome"]) == (None, "answered")
    assert one["response"]["queryId"] != str(cut_off)


def test_a_batch_that_is_cancelled_before_a_worker_begins_stays_cancelled(published: Plugin, key: str) -> None:
    batch = made(key, line(1))
    as_the_worker_read_it = Batch.objects.select_related("api_key__owner").get()
    _cancel(key, batch)
    assert not ask_questions._work(as_the_worker_read_it, until=math.inf)
    assert progress(key, batch)["state"] == "cancelled"
    assert not Query.objects.exists()


def test_a_task_that_worked_for_long_leaves_the_rest_to_the_next(
    published: Plugin, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = made(key, line(1), line(2))
    monkeypatch.setattr(ask_questions, "SLICE_SECONDS", -1.0)
    published_tasks: list[Any] = []
    monkeypatch.setattr(tasks, "publish_task", lambda name, **arguments: published_tasks.append((name, arguments)))
    tasks.work_on_batch(batch_id=str(batch.pk))
    assert published_tasks == [("api.work_on_batch", {"batch_id": str(batch.pk)})]
    assert progress(key, batch)["state"] == "running"


def test_a_batch_that_is_cancelled_asks_nothing_more(
    published: Plugin, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = made(key, line(1), line(2))
    monkeypatch.setattr(ask_questions, "_ask_item", _then(lambda: _cancel(key, batch), ask_questions._ask_item))
    ask_questions.work_on(batch.pk)
    ended = progress(key, batch)
    assert (ended["state"], ended["answered"], ended["waiting"]) == ("cancelled", 0, 0)
    assert not BatchItem.objects.exclude(request={}).exists()
    assert Query.objects.count() == 1
    assert _cancel(key, batch)["state"] == "cancelled"


def _cancel(key: str, batch: Batch) -> Any:
    return client_of(key).post(f"/api/v1/batch/{batch.pk}/cancel").json()


def _then(after: Callable[[], Any], ask: Callable[..., Any]) -> Callable[..., Any]:
    def ask_and_do(*args: Any) -> Any:
        error = ask(*args)
        after()
        return error

    return ask_and_do


def test_a_batch_waits_where_a_limit_of_the_key_is_used_up(published: Plugin, alice: User) -> None:
    _, slow = ApiKey.objects.issue(owner=alice, name="slow", per_minute=2)
    batch = made(slow, line(1), line(2))  # which counts as one
    ask_questions.work_on(batch.pk)
    batch.refresh_from_db()
    assert batch.items.filter(state="answered").count() == 1
    assert batch.waits_until
    assert batch.waits_until > timezone.now()
    assert not ask_questions.work_on(batch.pk)
    assert Query.objects.count() == 1
    ApiKey.objects.update(per_minute=1000)
    Batch.objects.update(waits_until=timezone.now() - timedelta(seconds=1))
    ask_questions.work_on(batch.pk)
    assert Query.objects.count() == 2


def test_what_cannot_be_asked_any_more_fails_one_by_one(published: Plugin, key: str) -> None:
    batch = made(key, line(1), line(2))
    ApiKey.objects.update(revoked_at=timezone.now())
    ask_questions.work_on(batch.pk)
    assert {item.error["code"] for item in batch.items.all()} == {"key_ended"}
    assert not Query.objects.exists()


def test_a_plugin_that_is_withdrawn_fails_its_questions_and_closes_its_answers(
    published: Plugin, charlies_key: str
) -> None:
    batch = made(charlies_key, line(1), line(2))
    published.is_published = False
    published.save()
    ask_questions.work_on(batch.pk)
    assert {one["error"]["code"] for one in results(charlies_key, batch)} == {"unknown_plugin"}


def test_a_batch_is_seen_by_its_key_alone(published: Plugin, key: str, charlies_key: str) -> None:
    batch = made(key, line(1))
    _, second = ApiKey.objects.issue(owner=published.owner, name="another")
    for other in (charlies_key, second):
        client = client_of(other)
        for response in (
            client.get(f"/api/v1/batch/{batch.pk}"),
            client.get(f"/api/v1/batch/{batch.pk}/results"),
            client.post(f"/api/v1/batch/{batch.pk}/cancel"),
            client.delete(f"/api/v1/batch/{batch.pk}"),
        ):
            assert_error(response, 404, "unknown_batch")
        assert client.get("/api/v1/batch").json()["results"] == []
    assert [one["id"] for one in client_of(key).get("/api/v1/batch").json()["results"]] == [str(batch.pk)]


def test_the_list_takes_the_same_statements_for_many(
    published: Plugin, key: str, django_assert_num_queries: Any
) -> None:
    made(key, line(1))
    with CaptureQueriesContext(connection) as few:
        client_of(key).get("/api/v1/batch")
    statements = len(few)
    for number in range(2):
        made(key, line(number))
    with django_assert_num_queries(statements):
        client_of(key).get("/api/v1/batch")


def test_a_batch_is_deleted_with_its_results_and_the_log_stays(published: Plugin, key: str) -> None:
    batch = made(key, line(1))
    ask_questions.work_on(batch.pk)
    assert client_of(key).delete(f"/api/v1/batch/{batch.pk}").status_code == 204
    assert not BatchItem.objects.exists()
    assert Query.objects.count() == 1


def test_results_are_forgotten_after_a_while(published: Plugin, key: str) -> None:
    old, new = made(key, line(1)), made(key, line(1))
    for batch in (old, new):
        batch.end(Batch.State.CANCELLED)
    Batch.objects.filter(pk=old.pk).update(ended_at=timezone.now() - Batch.KEPT_FOR - timedelta(days=1))
    tasks.resume_batches()
    assert list(Batch.objects.all()) == [new]


def test_a_batch_whose_message_waits_gets_no_second_one(
    published: Plugin, key: str, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches = [str(made(key, line(1)).pk) for _ in range(2)]
    asked: list[str] = []
    monkeypatch.setattr(tasks, "publish_task", lambda name, *, batch_id: asked.append(batch_id))
    settings.REVIEW_QUEUE = "test-batches"
    with app.connection_for_write() as connection:
        connection.default_channel.client.delete("test-batches")
        app.send_task("api.work_on_batch", kwargs={"batch_id": batches[0]}, queue="test-batches")
        tasks.resume_batches()
        connection.default_channel.client.delete("test-batches")
    assert asked == [batches[1]]


def test_the_same_batch_is_made_once(published: Plugin, key: str) -> None:
    first, again = (send(key, line(1), HTTP_IDEMPOTENCY_KEY="a") for _ in range(2))
    assert first.json()["id"] == again.json()["id"]
    assert Batch.objects.count() == 1


BAD: list[tuple[list[Any], int, str]] = [
    ([], 400, "invalid_batch"),
    ([b""], 400, "invalid_batch"),
    ([line(number) for number in range(MAX_QUESTIONS + 1)], 400, "invalid_batch"),
    ([line(1), line(1)], 400, "invalid_batch"),
    ([b"{"], 400, "invalid_line"),
    ([line(1), b"[]"], 400, "invalid_line"),
    ([b"7"], 400, "invalid_line"),
    ([b"\xff"], 400, "invalid_line"),
    ([b'{"id": "a", "plugin": "cover", "query": "\\u0000"}'], 400, "invalid_line"),
    ([b'{"a": ' * 300], 400, "invalid_line"),
    ([{"plugin": "cover", "query": WEATHER}], 400, "invalid"),
    ([line(1), {**line(2), "id": 7}], 400, "invalid"),
    ([{**line(1), "id": "x" * 65}], 400, "invalid"),
    ([{**line(1), "id": ""}], 400, "invalid"),
    ([line(1, "")], 400, "invalid"),
    ([line(1, "x" * 20_001)], 400, "invalid"),
    ([line(1, stream=True)], 400, "invalid"),
    ([line(1, followup={"token": "x", "answer": "y"})], 400, "invalid"),
    ([line(1, fcats={})], 400, "invalid"),
    ([line(1, options={"maxSources": 0})], 400, "invalid"),
    ([{**line(1), "plugin": "nothing"}], 404, "unknown_plugin"),
    ([{**line(1), "plugin": "cover@9.9.9"}], 404, "unknown_release"),
]


@pytest.mark.parametrize(("lines", "status", "code"), BAD)
def test_nothing_is_made_where_a_line_is_wrong(
    published: Plugin, key: str, lines: list[Any], status: int, code: str
) -> None:
    assert_error(send(key, *lines), status, code)
    assert not Batch.objects.exists()


def test_an_error_names_the_line(published: Plugin, key: str) -> None:
    assert send(key, line(1), line(2, fcats={})).json()["error"].startswith("Line 2: fcats")


def test_other_bodies_are_refused(published: Plugin, key: str) -> None:
    assert_error(send(key, line(1), media_type="application/json"), 415, "unsupported_media_type")


def test_a_key_has_a_few_batches_at_once(published: Plugin, key: str) -> None:
    batches = [made(key, line(1)) for _ in range(MAX_UNFINISHED)]
    assert_error(send(key, line(1)), 409, "too_many_batches")
    batches[0].end(Batch.State.CANCELLED)
    assert send(key, line(1)).status_code == 202


def test_a_batch_that_is_not_there(published: Plugin, key: str) -> None:
    assert_error(client_of(key).get(f"/api/v1/batch/{uuid.uuid4()}"), 404, "unknown_batch")
    assert client_of(key).get("/api/v1/batch/x").status_code == 404
    assert_error(send("", line(1)), 401, "not_authenticated")


def test_a_key_that_may_not_ask_any_more_asks_nothing(published: Plugin, key: str) -> None:
    batch = made(key, line(1))
    ApiKey.objects.update(capabilities=["read"])
    tasks.work_on_batch(batch_id=str(batch.pk))
    assert [item.error["code"] for item in batch.items.all()] == ["key_ended"]
    assert not Query.objects.exists()


def test_of_far_too_many_lines_few_are_read(published: Plugin, key: str) -> None:
    # The lines behind the limit are not even JSON, which nobody sees.
    sent = send(key, *[b"{}"] * (MAX_QUESTIONS + 1), *[b"{"] * 100_000)
    assert_error(sent, 400, "invalid_batch")


def test_a_key_keeps_so_many_batches(published: Plugin, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(create_batch, "MAX_KEPT", 2)
    for _ in range(2):
        made(key, line(1)).end(Batch.State.CANCELLED)
    assert_error(send(key, line(1)), 409, "too_many_batches")
    Batch.objects.first().delete()
    assert send(key, line(1)).status_code == 202
