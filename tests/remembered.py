"""What a fixture builds in the database is built once in a process; later its rows are written again, under new ids.

    @pytest.fixture
    @remembered
    def plugin(alice: User) -> Plugin: ...

A build has many more statements than rows: documents are read, cut, embedded and indexed. Ids that are UUIDs are new
each time, because the product keeps analyses by them. What starts from another number of rows in some table, or from an
object that no fixture remembers, is always built. A build that is committed is remembered apart, with the rows that its
`on_commit` calls write; those calls are not made again.
"""

from __future__ import annotations

import functools
import re
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ParamSpec, TypeVar, cast

from django.db import connection
from django.db.models import Model
from psycopg import sql

from accounts.models import User
from knowledge.models import Document
from tests import emptying
from tests.stored_files import stored_path

_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")

P = ParamSpec("P")
M = TypeVar("M", bound=Model)
Ids = dict[str, str]
Row = tuple[str, ...]  # an SQL literal for each column
Rows = dict[str, dict[Row, Row]]  # by table and primary key


@dataclass(frozen=True, kw_only=True)
class _Build:
    """The first build. `given_ids` has the names, as in `_ids_of`, of the ids of the objects that it was given."""

    statements: str
    new_ids: frozenset[str]
    given_ids: Ids
    model: type[Model]
    pk: str
    files: dict[str, bytes]


def remembered(build: Callable[P, M]) -> Callable[P, M]:
    """For a fixture's function that is given saved objects and returns a saved object."""
    builds: dict[object, _Build] = {}

    @functools.wraps(build)
    def build_or_restore(*args: P.args, **kwargs: P.kwargs) -> M:
        given = [each for each in (*args, *kwargs.values()) if isinstance(each, Model)]
        if not all(map(_is_whole, given)):
            return build(*args, **kwargs)
        names = sorted(name for each in given for name in _ids_of(each))
        start = connection.in_atomic_block, tuple(sorted(_filled().items())), tuple(names)
        if start in builds:
            return cast(M, _restore(builds[start], given))
        before = _rows()
        built = build(*args, **kwargs)
        builds[start] = _remember(built, given, before=before)
        return built

    return build_or_restore


def _is_whole(given: Model) -> bool:
    """Whether all ids are known that were made with it."""
    return isinstance(given, User) or hasattr(given, "ids_by_name")


def _remember(built: Model, given: Sequence[Model], *, before: Rows) -> _Build:
    statements = ";\n".join(_differences(before, _rows()))
    given_ids = {now: name for each in given for name, now in _ids_of(each).items()}
    new_ids = frozenset(_UUID.findall(statements)) - given_ids.keys()
    _name_ids(built, {name: now for now, name in given_ids.items()} | {each: each for each in new_ids})
    hashes = set(Document.objects.values_list("sha256", flat=True)) - {""}
    return _Build(
        statements=statements,
        new_ids=new_ids,
        given_ids=given_ids,
        model=type(built),
        pk=str(built.pk),
        files={sha256: stored_path(sha256).read_bytes() for sha256 in hashes},
    )


def _restore(build: _Build, given: Sequence[Model]) -> Model:
    named = {name: now for each in given for name, now in _ids_of(each).items()}
    new = {then: str(uuid.uuid4()) for then in build.new_ids}
    ids = new | {then: named[name] for then, name in build.given_ids.items()}
    with connection.cursor() as cursor:
        cursor.execute(_UUID.sub(lambda match: ids.get(match[0], match[0]), build.statements))
    for sha256, content in build.files.items():
        if not (path := stored_path(sha256)).exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    restored = build.model._base_manager.get(pk=ids.get(build.pk, build.pk))
    _name_ids(restored, named | new)
    return restored


def _ids_of(built: Model) -> Ids:
    """The ids that were made with it, each by a name that is the same in every test: the id of the first build."""
    return cast(Ids, getattr(built, "ids_by_name", {f"{type(built).__name__} {built}": str(built.pk)}))


def _name_ids(built: Model, ids: Ids) -> None:
    built.ids_by_name = ids  # type: ignore[attr-defined]


def _rows() -> Rows:
    return {table: _rows_of(table) for table in _filled()}


def _filled() -> dict[str, int]:
    """Without the audit log: under new ids its hashes would not be those of its rows."""
    return {table: rows for table, rows in emptying.filled().items() if not table.startswith("audit_")}


def _rows_of(table: str) -> dict[Row, Row]:
    columns = _columns(table)
    keys = [columns.index(key) for key in _key_columns(table)]
    with connection.cursor() as cursor:
        # As text first: that is how a literal of any type is written.
        values = _each("quote_nullable({}::text)", columns)
        cursor.execute(sql.SQL("SELECT {} FROM {}").format(values, sql.Identifier(table)))
        return {tuple(row[key] for key in keys): row for row in cursor.fetchall()}


def _differences(before: Rows, after: Rows) -> Iterator[str]:
    """The statements that make `after` of `before`; foreign keys are checked when a transaction ends."""
    for table, rows in after.items():
        known = before.get(table, {})
        into, columns = sql.Identifier(table).as_string(), _each("{}", _columns(table)).as_string()
        keys = _each("{}", _key_columns(table)).as_string()
        for key in (key for key, row in known.items() if rows.get(key) != row):
            yield f"DELETE FROM {into} WHERE ({keys}) = ({', '.join(key)})"
        new = [f"({', '.join(row)})" for key, row in rows.items() if known.get(key) != row]
        if new:
            yield f"INSERT INTO {into} ({columns}) VALUES {', '.join(new)}"


@functools.cache
def _columns(table: str) -> list[str]:
    """Without those that the database computes."""
    select = (
        "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0"
        " AND NOT attisdropped AND attgenerated = '' ORDER BY attnum"
    )
    with connection.cursor() as cursor:
        cursor.execute(select, [table])
        return [name for (name,) in cursor.fetchall()]


@functools.cache
def _key_columns(table: str) -> list[str]:
    with connection.cursor() as cursor:
        return connection.introspection.get_primary_key_columns(cursor, table) or _columns(table)


def _each(pattern: str, columns: Sequence[str]) -> sql.Composed:
    return sql.SQL(", ").join(sql.SQL(pattern).format(sql.Identifier(column)) for column in columns)
