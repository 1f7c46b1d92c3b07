from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.db import OperationalError, connection
from psycopg import IsolationLevel

from lexic.conf.database import read_database
from lexic.postgresql import base, watched_connection
from lexic.postgresql.base import DatabaseWrapper
from lexic.postgresql.watched_connection import WatchedConnection
from tests.freezing_proxy import FreezingProxy, freezing_proxy

pytestmark = pytest.mark.django_db(transaction=True)
_POOL = 2


@pytest.fixture(autouse=True)
def little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watched_connection, "_PATIENCE_SECONDS", 0.3)


@pytest.fixture
def proxy() -> Iterator[FreezingProxy]:
    with freezing_proxy() as proxy:
        yield proxy


@contextmanager
def database(proxy: FreezingProxy, folder: Path, *, pool_size: int) -> Iterator[DatabaseWrapper]:
    """The tests' database, as a site uses it that knows it by this address."""
    url = f"postgres://lexic@127.0.0.1:{proxy.port}/{connection.settings_dict['NAME']}"
    settings = read_database(url, data_folder=folder, pool_size=pool_size)
    made = DatabaseWrapper({**connection.settings_dict, **settings})
    try:
        yield made
    finally:
        proxy.thaw()
        made.close()
        made.close_pool()


@pytest.fixture
def pooled(proxy: FreezingProxy, tmp_path: Path) -> Iterator[DatabaseWrapper]:
    with database(proxy, tmp_path, pool_size=_POOL) as made:
        yield made


def select(database: DatabaseWrapper) -> int:
    try:
        with database.cursor() as cursor:
            cursor.execute("SELECT 7")
            return int(cursor.fetchone()[0])
    finally:
        database.close()


def test_whoever_asks_while_it_is_frozen_is_told_so_and_the_next_ones_sooner(
    proxy: FreezingProxy, pooled: DatabaseWrapper
) -> None:
    assert select(pooled) == 7
    proxy.freeze()
    waited = []
    for _ in range(4):
        begun = time.monotonic()
        with pytest.raises(OperationalError):
            select(pooled)
        waited.append(time.monotonic() - begun)
    assert max(waited) < 15
    assert waited[-1] < 3


def test_it_is_used_again_when_it_is_back(proxy: FreezingProxy, pooled: DatabaseWrapper) -> None:
    assert select(pooled) == 7
    proxy.freeze()
    for _ in range(2):
        with pytest.raises(OperationalError):
            select(pooled)
    proxy.thaw()
    for _ in range(100):
        try:
            assert select(pooled) == 7
            break
        except OperationalError:
            time.sleep(0.1)
    else:
        pytest.fail("it is not used again")
    assert pooled.pool.timeout == 5


def test_connections_that_are_all_busy_are_waited_for(pooled: DatabaseWrapper) -> None:
    pooled.settings_dict["OPTIONS"]["pool"]["timeout"] = pooled.pool.timeout = 1
    select(pooled)
    held = [pooled.pool.getconn() for _ in range(_POOL)]
    with pytest.raises(OperationalError):
        select(pooled)
    assert pooled.pool.timeout == 1
    for one in held:
        pooled.pool.putconn(one)
    assert select(pooled) == 7


def test_a_web_process_without_a_pool_is_told_as_well(
    proxy: FreezingProxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "_is_web", True)
    with database(proxy, tmp_path, pool_size=0) as unpooled:
        assert select(unpooled) == 7
        proxy.freeze()
        with pytest.raises(OperationalError):
            select(unpooled)


@pytest.mark.parametrize("is_web", [True, False])
def test_workers_and_commands_wait(
    proxy: FreezingProxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_web: bool
) -> None:
    monkeypatch.setattr(base, "_is_web", is_web)
    with database(proxy, tmp_path, pool_size=0) as unpooled:
        unpooled.ensure_connection()
        assert isinstance(unpooled.connection, WatchedConnection) == is_web


def test_the_isolation_that_a_site_chooses_holds_in_its_web_processes(
    proxy: FreezingProxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "_is_web", True)
    with database(proxy, tmp_path, pool_size=0) as unpooled:
        unpooled.settings_dict["OPTIONS"]["isolation_level"] = IsolationLevel.SERIALIZABLE
        unpooled.ensure_connection()
        assert unpooled.connection.isolation_level == IsolationLevel.SERIALIZABLE
