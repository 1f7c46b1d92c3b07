"""A Redis that is away, or that takes what it is sent and never answers: nothing fails, and nobody waits for it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
import redis
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from kombu.connection import Connection

from accounts.models import ApiKey, User
from accounts.rate_limits import count_visitor_request
from knowledge import tasks
from knowledge.models import Document
from lexic import publish_task, redis_cache
from lexic.gauges import measure_gauge
from tests.knowledge.bases import add_markdown, make_base
from tests.lexic.running import until
from tests.own_redis import OwnRedis, own_redis

__all__ = ["own_redis"]
pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"
TROUBLES = [OwnRedis.freeze, OwnRedis.kill]


@pytest.fixture(params=TROUBLES, ids=["frozen", "killed"])
def trouble(request: Any) -> Callable[[OwnRedis], None]:
    found: Callable[[OwnRedis], None] = request.param
    return found


def test_sign_in_sign_up_and_reset_work_and_do_not_wait(
    own_redis: OwnRedis, trouble: Callable[[OwnRedis], None], alice: User, settings: Any
) -> None:
    settings.ACCOUNT_RATE_LIMITS = {}  # those of allauth
    assert Client().post(reverse("account_login"), {"login": alice.email, "password": PASSWORD}).status_code == 302
    trouble(own_redis)
    began = time.monotonic()
    client = Client()
    new = {"email": "new@example.org", "password1": PASSWORD, "password2": PASSWORD}
    assert Client().post(reverse("account_signup"), new).status_code == 302
    assert client.post(reverse("account_login"), {"login": alice.email, "password": PASSWORD}).status_code == 302
    assert "_auth_user_id" in client.session
    assert Client().post(reverse("account_reset_password"), {"email": alice.email}).status_code == 302
    assert [message.to for message in mail.outbox][-1] == [alice.email]
    assert client.post(reverse("account_logout")).status_code == 302
    # Each of them asks the cache some ten times: without an end to that, each would take ten time-outs.
    assert time.monotonic() - began < 20 * redis_cache.TIMEOUT_SECONDS


def test_wrong_passwords_are_counted_without_redis(
    own_redis: OwnRedis, trouble: Callable[[OwnRedis], None], alice: User, settings: Any
) -> None:
    settings.ACCOUNT_RATE_LIMITS = {}
    trouble(own_redis)
    form = {"login": alice.email, "password": "not it at all"}
    answers = [Client().post(reverse("account_login"), form).content.decode() for _ in range(6)]
    assert "Too many failed" in answers[-1]


def test_a_key_and_a_visitor_keep_their_limits_and_one_request_waits(
    own_redis: OwnRedis, trouble: Callable[[OwnRedis], None], alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    trouble(own_redis)
    asked: list[int] = []
    real = redis_cache.redis_client
    monkeypatch.setattr(redis_cache, "redis_client", lambda: asked.append(1) or real())
    monkeypatch.setattr(redis_cache, "BACKOFF_SECONDS", 3600.0)
    _, secret = ApiKey.objects.issue(owner=alice, name="agent", per_minute=3)
    headers = {"Authorization": f"Bearer {secret}"}
    statuses = [Client().get("/v1/models", headers=headers).status_code for _ in range(5)]
    assert statuses == [200, 200, 200, 429, 429]
    assert len(asked) == 1
    allowed = [not count_visitor_request("somebody", place="handbook").is_refused for _ in range(9)]
    assert allowed == [True] * 8 + [False]


def test_redis_is_used_again_when_it_is_back(own_redis: OwnRedis, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.set("before", 1)
    own_redis.freeze()
    cache.set("meanwhile", 2)
    assert (cache.get("before"), cache.get("meanwhile")) == (None, 2)
    own_redis.thaw()
    assert cache.get("before") is None, "left alone for a while"
    monkeypatch.setattr(redis_cache.outage, "_until", time.monotonic())
    assert cache.get("before") == 1


def test_of_many_callers_one_asks_whether_it_is_back(monkeypatch: pytest.MonkeyPatch) -> None:
    outage = redis_cache.Outage("A server")
    outage.begin(OSError())
    monkeypatch.setattr(outage, "_until", time.monotonic())
    assert [outage.is_on() for _ in range(4)] == [False, True, True, True]
    outage.end()
    assert not outage.is_on()


@pytest.mark.parametrize(
    "operation", ["add", "get", "set", "touch", "delete", "has_key", "get_many", "set_many", "clear"]
)
def test_every_operation_of_the_cache_has_something_to_fall_back_on(operation: str, settings: Any) -> None:
    away = {**settings.CACHES["default"], "LOCATION": "redis://127.0.0.1:1/0"}
    settings.CACHES = {**settings.CACHES, "default": away}
    arguments = {"add": ["a", 1], "set": ["a", 1], "get_many": [["a"]], "set_many": [{"a": 1}], "clear": []}
    redis_cache.outage.end()
    getattr(cache, operation)(*arguments.get(operation, ["a"]))
    assert redis_cache.outage.is_on()
    redis_cache.outage.end()


def test_a_document_says_that_it_waits_for_the_queue_and_is_resumed_when_that_is_back(
    own_redis: OwnRedis, trouble: Callable[[OwnRedis], None], django_capture_on_commit_callbacks: Any
) -> None:
    base = make_base()
    trouble(own_redis)
    with django_capture_on_commit_callbacks(execute=True):
        document = add_markdown(base, "Wear boots.", enqueue=True)
    document.refresh_from_db()
    assert (document.status, document.error_code) == ("queued", "waiting_for_broker")
    assert "Redis" in document.error
    if own_redis.process.poll() is None:
        own_redis.thaw()
    else:
        own_redis.start()
    publish_task.broker_outage.end()
    with redis.Redis.from_url(own_redis.url.replace("db=1", "db=0")) as broker:
        broker.delete("reading")  # a frozen one may have taken the message after all
        assert tasks.resume_unfinished() == 1
        assert broker.llen("reading") == 1
    document.refresh_from_db()
    assert (document.status, document.error_code, document.error) == ("queued", "", "")


def test_a_broker_that_is_away_is_asked_once_for_a_hundred_documents(
    own_redis: OwnRedis, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = make_base()
    own_redis.kill()
    monkeypatch.setattr(redis_cache, "BACKOFF_SECONDS", 3600.0)
    tried = attempts_to_connect(monkeypatch)
    Document.objects.bulk_create(Document(knowledge_base=base, title=str(n), sha256=f"{n:064}") for n in range(100))
    assert tasks.resume_unfinished(at_start=True) == 100
    assert len(tried) == 1
    assert Document.objects.filter(error_code="waiting_for_broker").count() == 100


def attempts_to_connect(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows with each attempt to connect to the broker."""
    tried: list[int] = []
    real = Connection._establish_connection

    def counted(self: Connection) -> Any:
        tried.append(1)
        return real(self)  # type: ignore[no-untyped-call]

    monkeypatch.setattr(Connection, "_establish_connection", counted)
    return tried


def test_a_broker_that_is_away_is_asked_once_for_all_figures(
    own_redis: OwnRedis,
    trouble: Callable[[OwnRedis], None],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    trouble(own_redis)
    monkeypatch.setattr(redis_cache, "BACKOFF_SECONDS", 3600.0)
    tried = attempts_to_connect(monkeypatch)
    caplog.clear()
    assert measure_gauge("lexic_queue_waiting_tasks") == {}
    assert measure_gauge("lexic_queue_oldest_seconds") == {}
    assert len(tried) == 1
    assert publish_task.broker_outage.is_on()
    [said] = [record for record in caplog.records if record.name.startswith("lexic")]
    assert (said.levelname, said.exc_info) == ("WARNING", None)
    assert said.getMessage().startswith("The broker is away: ")


def test_what_was_queued_survives_the_end_of_the_built_in_redis(own_redis: OwnRedis) -> None:
    address = own_redis.url.replace("db=1", "db=0")
    assert publish_task.publish_task("knowledge.index_vectors", knowledge_base_id=1)
    with redis.Redis.from_url(address) as broker:
        # While the disk is busy Redis keeps what it has to write for up to two seconds.
        until(lambda: broker.info("persistence")["aof_buffer_length"] == 0)
    own_redis.kill()
    own_redis.start()
    with redis.Redis.from_url(address) as broker:
        assert broker.llen("reading") == 1
