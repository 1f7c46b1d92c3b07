from __future__ import annotations

import select
import time
from collections.abc import Iterator

import psycopg
import pytest
from django.db import connection
from psycopg_pool import ConnectionPool

from lexic.postgresql import watched_connection
from lexic.postgresql.watched_connection import Server, ServerSilent, WatchedConnection
from tests.freezing_proxy import FreezingProxy, freezing_proxy

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watched_connection, "_PATIENCE_SECONDS", 0.3)
    monkeypatch.setattr(watched_connection, "CONNECT_SECONDS", 1)


@pytest.fixture
def proxy() -> Iterator[FreezingProxy]:
    with freezing_proxy() as proxy:
        yield proxy


def connect(proxy: FreezingProxy) -> WatchedConnection:
    name = connection.settings_dict["NAME"]
    return WatchedConnection.connect(
        host="127.0.0.1", port=proxy.port, user="lexic", dbname=name, autocommit=True, connect_timeout=1
    )


def test_a_statement_does_not_wait_for_a_server_that_is_silent(proxy: FreezingProxy) -> None:
    with connect(proxy) as watched:
        proxy.freeze()
        begun = time.monotonic()
        with pytest.raises(ServerSilent):
            watched.execute("SELECT 1")
        assert time.monotonic() - begun < 20  # and not for ever
        assert watched.closed


def test_nothing_waits_a_second_time_at_the_end_of_the_transaction(proxy: FreezingProxy) -> None:
    watched = connect(proxy)
    with pytest.raises(ServerSilent), watched.transaction():  # noqa: PT012 -- the transaction ends with the error
        watched.execute("SELECT 1")
        proxy.freeze()
        watched.execute("SELECT 2")
    with pytest.raises(psycopg.OperationalError, match="closed"):
        watched.execute("SELECT 3")


def test_a_slow_statement_of_a_server_that_answers_is_not_cut(
    proxy: FreezingProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []
    really_ask = Server._ask

    def ask(server: Server) -> bool:
        asked.append(really_ask(server))
        return asked[-1]

    monkeypatch.setattr(Server, "_ask", ask)
    with connect(proxy) as watched:
        row = watched.execute("SELECT 7 FROM pg_sleep(2)").fetchone()
    assert (row, set(asked)) == ((7,), {True})


def test_a_server_that_takes_no_more_connections_still_works(proxy: FreezingProxy) -> None:
    with connect(proxy) as watched:
        proxy.refuse_others()
        assert watched.execute("SELECT 7 FROM pg_sleep(1)").fetchone() == (7,)


def test_no_connection_is_made_to_a_server_that_was_just_silent_until_it_answers(proxy: FreezingProxy) -> None:
    connect(proxy).close()
    proxy.freeze()
    with pytest.raises(psycopg.errors.ConnectionTimeout):
        connect(proxy)
    with pytest.raises(ServerSilent):
        connect(proxy)
    proxy.thaw()
    time.sleep(watched_connection._VERDICT_SECONDS)
    with connect(proxy) as watched:
        assert watched.execute("SELECT 7").fetchone() == (7,)


def test_a_copy_is_watched_as_well(proxy: FreezingProxy) -> None:
    rows = "COPY (SELECT generate_series(1, 1000000)) TO STDOUT"
    with pytest.raises(ServerSilent), connect(proxy) as watched, watched.cursor().copy(rows) as copy:  # noqa: PT012 -- as above
        proxy.freeze()
        for _ in copy:
            pass


def test_a_pool_asks_no_server_that_has_just_answered(proxy: FreezingProxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watched_connection, "_TRUST_SECONDS", 600)
    with connect(proxy) as watched:
        watched.execute("SELECT 1")
        proxy.freeze()
        ConnectionPool.check_connection(watched)
        monkeypatch.setattr(watched_connection, "_TRUST_SECONDS", 0)
        with pytest.raises(ServerSilent):
            ConnectionPool.check_connection(watched)


def test_a_pool_does_not_trust_a_connection_that_has_ended(
    proxy: FreezingProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watched_connection, "_TRUST_SECONDS", 600)
    with connect(proxy) as watched:
        watched.execute("SELECT 1")
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s)", [watched.info.backend_pid])
        assert select.select([watched.fileno()], [], [], 600)[0]
        with pytest.raises(psycopg.OperationalError):
            ConnectionPool.check_connection(watched)
