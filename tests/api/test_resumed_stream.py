"""A stream whose connection broke, gone on with behind the last event that arrived."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

import httpx2
import pytest
from redis import RedisError

from accounts.models import ApiKey, User
from api.query import event_journal, resumable_stream
from api.query.event_journal import EventJournal
from lexic.redis_cache import outage, redis_client
from plugins.models import Plugin
from querying.models import Query
from tests.api.test_query_stream import MILD, SEVERE, body, client, wait_for_row
from tests.openai_stub import OpenAIStub, SlowStream

__all__ = ["client"]
pytestmark = pytest.mark.django_db(transaction=True)

Arrived = list[tuple[str, dict[str, Any]]]


def events_of(response: httpx2.Response) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each event with its id, as a reader of server-sent events has it."""
    event_id = ""
    for line in response.iter_lines():
        if line.startswith("id: "):
            event_id = line[4:]
        elif line.startswith("data: "):
            yield event_id, json.loads(line[6:])


def ask(client: httpx2.Client, server: str, *, last: str = "", until: str = "", **extra: Any) -> Arrived:
    """The events; with `until`, the connection breaks behind the first one of that type."""
    headers = {"Last-Event-ID": last} if last else {}
    arrived: Arrived = []
    with client.stream("POST", f"{server}/api/v1/query", json=body(**extra), headers=headers) as response:
        assert response.status_code == 200
        events = events_of(response)  # kept: a dropped iterator would hang up
        for event in events:
            arrived.append(event)
            if event[1]["type"] == until:
                break
    return arrived


def journal_of(question_id: str) -> EventJournal:
    return EventJournal.of(UUID(question_id), key=ApiKey.objects.get(), body=body())


def refusal(client: httpx2.Client, server: str, last: str, **extra: Any) -> str:
    answer = client.post(f"{server}/api/v1/query", json=body(**extra), headers={"Last-Event-ID": last})
    assert answer.status_code == 404
    return answer.json()["code"]


def test_events_are_numbered_and_an_answer_that_has_ended_is_told_again(
    published: Plugin, server: str, client: httpx2.Client
) -> None:
    arrived = ask(client, server)
    question_id = arrived[-1][1]["queryId"]
    assert [event_id for event_id, _ in arrived] == [f"{question_id}:{n}" for n in range(1, len(arrived) + 1)]
    for seen in range(1, len(arrived) + 1):
        assert ask(client, server, last=f"{question_id}:{seen}") == arrived[seen:]
    assert ask(client, server, last=f"{question_id}:0") == arrived
    assert Query.objects.count() == 1


def test_an_answer_goes_on_while_its_reader_is_away(
    published: Plugin, server: str, client: httpx2.Client, stub: OpenAIStub, settings: Any
) -> None:
    settings.RESUME_SECONDS = 10
    stub.answer = lambda request: (SEVERE + MILD) * 20
    stub.script.append(SlowStream(0.01))
    first = ask(client, server, until="delta")
    second = ask(client, server, last=first[-1][0], until="delta")
    rest = ask(client, server, last=second[-1][0])
    arrived = [*first, *second, *rest]
    ids = [event_id for event_id, _ in arrived]
    assert [int(event_id.rpartition(":")[2]) for event_id in ids] == list(range(1, len(ids) + 1))
    done = arrived[-1][1]
    assert done["type"] == "done"
    assert "".join(event["text"] for _, event in arrived if event["type"] == "delta") == done["answer"]
    assert stub.disconnected == 0
    wait_for_row("answered")
    assert Query.objects.count() == 1


def test_where_nobody_comes_back_the_model_is_stopped_and_nothing_is_kept(
    published: Plugin, server: str, client: httpx2.Client, stub: OpenAIStub
) -> None:
    stub.answer = lambda request: (SEVERE + MILD) * 100
    stub.script.append(SlowStream(0.05))
    first = ask(client, server, until="delta")
    assert stub.wait_for_disconnect()
    wait_for_row("abandoned")
    assert refusal(client, server, first[-1][0]) == "unknown_stream_event"


def test_an_operator_can_have_answers_stopped_at_once(
    published: Plugin, server: str, client: httpx2.Client, stub: OpenAIStub, settings: Any
) -> None:
    settings.RESUME_SECONDS = 0
    stub.answer = lambda request: (SEVERE + MILD) * 100
    stub.script.append(SlowStream(0.05))
    ask(client, server, until="delta")
    assert stub.wait_for_disconnect()
    wait_for_row("abandoned")


def test_an_answer_is_for_the_same_key_and_the_same_request(
    published: Plugin, server: str, client: httpx2.Client, alice: User, charlies_key: str
) -> None:
    last = ask(client, server)[0][0]
    others = [charlies_key, ApiKey.objects.issue(owner=alice, name="another")[1]]
    for secret in others:
        with httpx2.Client(trust_env=False, timeout=30, headers={"Authorization": f"Bearer {secret}"}) as stranger:
            assert refusal(stranger, server, last) == "unknown_stream_event"
    assert refusal(client, server, last, query="What is a footing?") == "unknown_stream_event"
    assert refusal(client, server, last, plugin="no-such-plugin") == "unknown_plugin"


def test_a_plugin_that_is_closed_meanwhile_tells_nothing_more(
    published: Plugin, server: str, charlies_key: str
) -> None:
    with httpx2.Client(trust_env=False, timeout=30, headers={"Authorization": f"Bearer {charlies_key}"}) as client:
        last = ask(client, server)[0][0]
        Plugin.objects.update(is_published=False)
        assert refusal(client, server, last) == "unknown_plugin"


NO_ANSWER = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff"


@pytest.mark.parametrize("last", ["1", "x:1", ":", f"{NO_ANSWER}:1", f"{NO_ANSWER}:-1", "9" * 90])
def test_an_id_that_no_event_has_is_refused(published: Plugin, server: str, client: httpx2.Client, last: str) -> None:
    assert refusal(client, server, last) == "unknown_stream_event"
    assert not Query.objects.exists()


def test_what_is_kept_is_sealed_and_ends(published: Plugin, server: str, client: httpx2.Client) -> None:
    done = ask(client, server)[-1][1]
    journal, redis = journal_of(done["queryId"]), redis_client()
    assert 0 < redis.ttl(journal.name) <= event_journal.KEPT_SECONDS
    kept = b"".join(redis.lrange(journal.name, 0, -1))
    assert len(kept) > 500
    assert done["queryId"] not in journal.name
    assert b"cover" not in kept


def test_while_redis_is_away_the_stream_is_whole(
    published: Plugin, server: str, client: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> None:
        raise RedisError

    monkeypatch.setattr(event_journal, "redis_client", away)
    try:
        arrived = ask(client, server)
        assert arrived[-1][1]["type"] == "done"
        assert refusal(client, server, arrived[0][0]) == "unknown_stream_event"
    finally:
        outage.end()


def test_an_answer_whose_process_died_says_so(published: Plugin, server: str, client: httpx2.Client) -> None:
    """Its last events are missing, and nobody makes them."""
    arrived = ask(client, server)
    journal, redis = journal_of(arrived[-1][1]["queryId"]), redis_client()
    redis.rpop(journal.name, 2)  # the end, and the event before it
    redis.delete(f"{journal.name}:alive")
    rest = ask(client, server, last=arrived[0][0])
    assert rest[:-1] == arrived[1:-1]
    assert (rest[-1][1]["type"], rest[-1][1]["code"]) == ("error", "answer_interrupted")


def test_events_that_come_together_are_written_down_together(
    published: Plugin, client: httpx2.Client, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[int] = []
    append = EventJournal.append

    def counted(journal: EventJournal, blocks: Sequence[bytes]) -> None:
        written.append(len(blocks))
        append(journal, blocks)

    monkeypatch.setattr(EventJournal, "append", counted)
    events = ask(client, server)
    assert sum(written) == len(events)
    assert len(written) < len(events)
    assert ask(client, server, last=events[0][0])[-1] == events[-1]


def test_a_reader_who_is_back_before_anything_is_written_down_waits_for_it(
    published: Plugin, client: httpx2.Client, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    append, is_known = EventJournal.append, EventJournal.is_known
    was_asked = threading.Event()

    def append_late(journal: EventJournal, blocks: Sequence[bytes]) -> None:
        was_asked.wait(timeout=30)
        append(journal, blocks)

    def is_known_yet(journal: EventJournal) -> bool:
        is_it = is_known(journal)
        was_asked.set()
        return is_it

    monkeypatch.setattr(EventJournal, "append", append_late)
    monkeypatch.setattr(EventJournal, "is_known", is_known_yet)
    first = ask(client, server, until="status")
    assert ask(client, server, last=first[-1][0])[-1][1]["type"] == "done"


def test_a_sign_of_life_comes_before_the_last_one_has_ended() -> None:
    assert 2 * resumable_stream._SIGN_SECONDS < event_journal._ALIVE_SECONDS
