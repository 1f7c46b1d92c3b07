"""Queries that are made for every request: Django builds their statement once, and later only values are filled in.

Building a statement of some joins takes Django longer than PostgreSQL needs to answer it, and planning it takes
PostgreSQL longer still, so it is prepared as well. What may be read is still said in one place, by the query sets: here
is only what they came to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

from django.core.exceptions import EmptyResultSet
from django.db import connection, models
from django.db.models.expressions import RawSQL
from django.db.models.query import get_related_populators

from lexic.postgresql.base import prepared_cursor

M = TypeVar("M", bound=models.Model)
_Values = list[tuple[str, Any]]


class _WrittenOut(RawSQL):
    """A statement that refers to nothing around it, so rows are never grouped by it. As RawSQL is, it would be in the
    GROUP BY of a query set with an aggregate, where PostgreSQL takes one row of it at most."""

    def get_group_by_cols(self) -> list[Any]:
        return []


# What `pk__in` and its like take.
Ids = _WrittenOut | list[Any]


@dataclass(frozen=True, kw_only=True)
class _Built:
    """`values` are what the statement takes: a name of the examples, or a constant. `columns` are those of the model's
    own row, `attributes` what it calls them; `populators` fill in the rows that were selected with it."""

    sql: str
    values: _Values
    compiler: Any
    converters: Any
    model: Any
    columns: slice
    attributes: list[str]
    populators: Any


class CompiledRows:
    """The rows of the query set that `make` makes by `values_list`, for other values each time; see `CompiledQuery`."""

    def __init__(self, make: Callable[..., models.QuerySet[Any, Any]], **examples: Any) -> None:
        self._make, self._examples = make, examples

    def rows(self, **values: Any) -> list[tuple[Any, ...]]:
        """As `list(make(**values))`."""
        sql, names = self._built
        with prepared_cursor() as cursor:
            cursor.execute(sql, _given(names, values))
            return cursor.fetchall()

    @cached_property
    def _built(self) -> tuple[str, _Values]:
        compiler = self._make(**self._examples).query.get_compiler(connection=connection)
        sql, values = compiler.as_sql()
        if compiler.get_converters([each[0] for each in compiler.select]):
            raise ValueError("a column of the query is not what the database gives")
        return sql, _named_values(values, self._examples)


class CompiledQuery(Generic[M]):
    """The first row of the query set that `make` makes, for other values each time.

    `examples` names what `make` takes, each with a value that nothing else in the statement is equal to. The shape of
    the statement must not depend on the values. Annotations are left out.
    """

    def __init__(self, make: Callable[..., models.QuerySet[M]], **examples: Any) -> None:
        self._make, self._examples = make, examples

    def first(self, **values: Any) -> M | None:
        """As `make(**values).first()`."""
        built = self._built
        with prepared_cursor() as cursor:
            cursor.execute(built.sql, _given(built.values, values))
            row = cursor.fetchone()
        return None if row is None else self._as_model(row)

    @cached_property
    def _built(self) -> _Built:
        rows = self._make(**self._examples)
        query = (rows if rows.ordered else rows.order_by("pk")).query.clone()
        query.set_limits(high=1)
        compiler = query.get_compiler(connection=connection)
        sql, values = compiler.as_sql()
        information = compiler.klass_info
        fields = information["select_fields"]
        columns = slice(fields[0], fields[-1] + 1)
        return _Built(
            sql=sql,
            values=_named_values(values, self._examples),
            compiler=compiler,
            converters=compiler.get_converters([each[0] for each in compiler.select]),
            model=information["model"],
            columns=columns,
            attributes=[each[0].target.attname for each in compiler.select[columns]],
            # The stubs are those of a later Django.
            populators=get_related_populators(information, compiler.select, connection.alias),  # type: ignore[call-arg]
        )

    def _as_model(self, row: tuple[Any, ...]) -> M:
        # As `django.db.models.query.ModelIterable` does it.
        built = self._built
        [converted] = built.compiler.apply_converters([row], built.converters)
        found: M = built.model.from_db(connection.alias, built.attributes, converted[built.columns])
        for populator in built.populators:
            populator.populate(converted, found)
        return found


class CompiledSubquery:
    """The ids that the query set that `make` makes selects, for conditions of other query sets; see `CompiledQuery`."""

    def __init__(self, make: Callable[..., models.QuerySet[Any, Any]], **examples: Any) -> None:
        self._make, self._examples = make, examples

    def ids(self, **values: Any) -> Ids:
        """For `pk__in` and its like. As `make(**values)`."""
        try:
            sql, names = self._built
        except EmptyResultSet:
            return []
        return _WrittenOut(sql, _given(names, values))

    @cached_property
    def _built(self) -> tuple[str, _Values]:
        sql, values = self._make(**self._examples).order_by().query.sql_with_params()
        return sql, _named_values(values, self._examples)


def written_out(rows: models.QuerySet[Any, Any]) -> Ids:
    """The ids that the query set selects, for `pk__in` and its like in another query set.

    Django goes through a query set in a condition again at each level around it. The statement of this one is built
    here, once. It must not refer to the query around it.
    """
    try:
        sql, values = rows.order_by().query.sql_with_params()
    except EmptyResultSet:
        return []
    return _WrittenOut(sql, values)


def _named_values(values: Sequence[Any], examples: Mapping[str, Any]) -> _Values:
    """What the statement takes, in order, each with the name of the example that it is equal to."""
    names = [next((name for name, one in examples.items() if one == value), "") for value in values]
    if set(names) - {""} != set(examples):
        raise ValueError("a value of the query is not in its statement as it was given")
    return list(zip(names, values, strict=True))


def _given(names: _Values, values: Mapping[str, Any]) -> list[Any]:
    return [values[name] if name else constant for name, constant in names]
