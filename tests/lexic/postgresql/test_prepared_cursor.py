from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import NotSupportedError, ProgrammingError, connection, transaction
from django.test.utils import CaptureQueriesContext

from lexic.conf.database import read_database
from lexic.postgresql.base import PreparedCursor, binary_cursor, prepared_cursor

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def preparing(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The connection of the tests, as one of a pool of the built-in database."""
    connection.close()
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "prepare_threshold", 1)
    yield
    connection.close()


def ask(value: int) -> int:
    with prepared_cursor() as cursor:
        cursor.execute("SELECT counted FROM prepared_numbers WHERE counted = %(value)s", {"value": value})
        return int(cursor.fetchone()[0])


def prepared_statements() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement FROM pg_prepared_statements")
        return [statement for (statement,) in cursor.fetchall()]


@pytest.fixture
def numbers() -> Iterator[None]:
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE prepared_numbers AS SELECT generate_series(1, 9)::int AS counted")
    yield
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE prepared_numbers")


def test_a_statement_is_prepared_once_for_all_values(preparing: None, numbers: None) -> None:
    assert [ask(value) for value in (1, 2, 3, 4)] == [1, 2, 3, 4]
    assert [statement.split()[0] for statement in prepared_statements()] == ["SELECT"]
    assert "$1" in prepared_statements()[0]


def test_other_statements_are_not_prepared(preparing: None, numbers: None) -> None:
    for _ in range(3):
        assert prepared_statements() == []


def test_it_is_counted_as_every_statement_is(preparing: None, numbers: None) -> None:
    with CaptureQueriesContext(connection) as queries:
        ask(1)
    assert len(queries) == 1


def test_a_column_of_another_type_is_read_all_the_same(preparing: None, numbers: None) -> None:
    for value in (1, 2, 3):
        ask(value)
    give_another_type()
    assert ask(4) == 4


def test_in_a_transaction_it_is_an_error_once(preparing: None, numbers: None) -> None:
    for value in (1, 2, 3):
        ask(value)
    give_another_type()
    with pytest.raises(NotSupportedError), transaction.atomic():
        ask(4)
    with transaction.atomic():
        assert ask(4) == 4


def give_another_type() -> None:
    """As a migration does it meanwhile, over a connection of its own."""
    elsewhere = connection.copy()
    with elsewhere.cursor() as cursor:
        cursor.execute("ALTER TABLE prepared_numbers ALTER COLUMN counted TYPE bigint")
    elsewhere.close()


def test_a_cursor_is_a_usual_one_where_nothing_is_to_be_prepared(numbers: None) -> None:
    with prepared_cursor() as cursor:
        assert not isinstance(cursor.cursor, PreparedCursor)
    assert [ask(value) for value in (1, 2, 3)] == [1, 2, 3]
    assert prepared_statements() == []


@pytest.mark.parametrize(
    ("url", "pool_size", "threshold"),
    [
        ("", 8, 1),
        ("", 0, None),
        ("postgresql://ada@pooler/notes", 8, None),
        ("postgresql://ada@direct/notes?prepare_threshold=3", 8, 3),
    ],
)
def test_only_connections_that_last_and_lead_to_our_own_server_prepare(
    tmp_path: Path, url: str, pool_size: int, threshold: int | None
) -> None:
    options = read_database(url, data_folder=tmp_path, pool_size=pool_size)["OPTIONS"]
    assert options.get("prepare_threshold") == threshold


def test_a_binary_cursor_gives_bytes_as_they_are_and_other_types_too() -> None:
    content = bytes(range(256))
    with binary_cursor() as cursor:
        cursor.execute("SELECT %(number)s::bigint, %(content)s::bytea", {"number": 2**40, "content": content})
        assert cursor.fetchall() == [(2**40, content)]


def test_its_statements_are_seen_by_whoever_counts_statements() -> None:
    with CaptureQueriesContext(connection) as seen, binary_cursor() as cursor:
        cursor.execute("SELECT 1::bigint")
    assert len(seen) == 1


def test_what_fails_in_it_is_an_error_of_django() -> None:
    with pytest.raises(ProgrammingError), binary_cursor() as cursor:
        cursor.execute("SELECT nothing FROM nowhere")


@pytest.mark.usefixtures("preparing")
def test_it_prepares_where_others_do() -> None:
    for _ in range(3):
        with binary_cursor() as cursor:
            cursor.execute("SELECT 5::bigint AS five")
    assert "SELECT 5::bigint AS five" in prepared_statements()
