"""Queries that are made for every request: Django builds their statement once, and later only values are filled in.

Building a statement of some joins takes Django longer than PostgreSQL needs to answer it. What may be read is still
said in one place, by the query sets: here is only what they came to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

from django.db import connection, models
from django.db.models.query import get_related_populators

M = TypeVar("M", bound=models.Model)


@dataclass(frozen=True, kw_only=True)
class _Built:
    """`values` are what the statement takes: a name of the examples, or a constant."""

    sql: str
    values: list[tuple[str, Any]]
    compiler: Any


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
        given = [values[name] if name else constant for name, constant in built.values]
        with connection.cursor() as cursor:
            cursor.execute(built.sql, given)
            row = cursor.fetchone()
        return None if row is None else self._as_model(row)

    @cached_property
    def _built(self) -> _Built:
        rows = self._make(**self._examples)
        query = (rows if rows.ordered else rows.order_by("pk")).query.clone()
        query.set_limits(high=1)
        compiler = query.get_compiler(connection=connection)
        sql, values = compiler.as_sql()
        names = [next((name for name, one in self._examples.items() if one == value), "") for value in values]
        if set(names) - {""} != set(self._examples):
            raise ValueError("a value of the query is not in its statement as it was given")
        return _Built(sql=sql, values=list(zip(names, values, strict=True)), compiler=compiler)

    def _as_model(self, row: tuple[Any, ...]) -> M:
        # As `django.db.models.query.ModelIterable` does it.
        compiler, alias = self._built.compiler, connection.alias
        information = compiler.klass_info
        fields = information["select_fields"]
        start, end = fields[0], fields[-1] + 1
        names = [each[0].target.attname for each in compiler.select[start:end]]
        [converted] = compiler.results_iter([[row]])
        found: M = information["model"].from_db(alias, names, converted[start:end])
        # The stubs are those of a later Django.
        for populator in get_related_populators(information, compiler.select, alias):  # type: ignore[call-arg]
            populator.populate(converted, found)
        return found
