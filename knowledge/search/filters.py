"""Filters on the documents of a search. A filter is a value with named fields: what a caller sends can name neither a
column nor an operator, and an unknown name is refused instead of ignored."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import date
from functools import reduce
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet

from knowledge.models import Document
from lexic.errors import InvalidInput

_MAX_VALUES = 1000
# How many filters one request may put together, and how deep.
_MAX_PARTS, _MAX_DEPTH = 50, 5


class InvalidFilter(InvalidInput):
    """A filter is not valid."""

    code = "invalid_filter"


@dataclass(frozen=True, kw_only=True)
class Filters:
    """All conditions that are given must hold. An empty tuple or None sets none, except for `document_ids`, where
    an empty tuple means that no document may be used.

    `as_of` keeps what was valid on that day: in effect by then and not yet superseded. `date_from` and `date_to`
    are the first and the last day of the document's own date; documents without one are left out.
    `validity_exempt_ids` names documents that `as_of` does not keep out; a caller can set neither it nor
    `knowledge_base_ids`.
    Of `all_of` every one has to hold, of `any_of` one, of `none_of` none: "and", "or" and "not" in JSON.
    """

    doc_types: tuple[str, ...] = ()
    tags_any: tuple[str, ...] = ()
    tags_all: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    date_from: date | None = None
    date_to: date | None = None
    is_public: bool | None = None
    exclude_templates: bool = False
    document_ids: tuple[UUID, ...] | None = None
    as_of: date | None = None
    validity_exempt_ids: tuple[UUID, ...] = ()
    knowledge_base_ids: tuple[int, ...] = ()
    all_of: tuple[Filters, ...] = ()
    any_of: tuple[Filters, ...] = ()
    none_of: tuple[Filters, ...] = ()

    @classmethod
    def parse(cls, values: Mapping[str, Any]) -> Filters:
        """Filters from JSON, names in snake_case or camelCase. Raises `InvalidFilter`."""
        return _FilterParser().filters(values)

    def __bool__(self) -> bool:
        """Whether any condition is set."""
        return self != Filters()

    def documents(self) -> QuerySet[Document]:
        """The documents that all conditions allow, of every knowledge base."""
        return Document.objects.filter(*self._conditions())

    def _combined_condition(self) -> Q:
        return Q(*self._conditions())

    def _conditions(self) -> Iterable[Q]:
        for part in self.all_of:
            yield part._combined_condition()
        if self.any_of:
            yield reduce(operator.or_, (part._combined_condition() for part in self.any_of))
        for part in self.none_of:
            yield ~part._combined_condition()
        for name, lookup in _FIELD_LOOKUPS.items():
            value = getattr(self, name)
            if value is not None and value != ():
                yield Q(**{lookup: list(value) if isinstance(value, tuple) else value})
        if self.document_ids is not None:
            yield Q(pk__in=self.document_ids)
        if self.exclude_templates:
            yield Q(is_template=False)
        if self.as_of:
            named = Q(pk__in=self.validity_exempt_ids)
            yield Q(effective_from=None) | Q(effective_from__lte=self.as_of) | named
            yield Q(superseded_on=None) | Q(superseded_on__gt=self.as_of) | named


# What puts filters together, in JSON and here.
_COMBINATORS = {"and": "all_of", "or": "any_of", "not": "none_of"}


class _FilterParser:
    """Limits the number of conditions in one request, because too many would take the database minutes."""

    def __init__(self) -> None:
        self._parts = 0

    def filters(self, values: Mapping[str, Any], *, depth: int = 0) -> Filters:
        self._parts += 1
        if self._parts > _MAX_PARTS or depth > _MAX_DEPTH:
            raise InvalidFilter(
                "The filters are too many or too deep.",
                hint=f"At most {_MAX_PARTS} filters may stand together, {_MAX_DEPTH} deep.",
            )
        given: dict[str, Any] = {}
        for name, value in values.items():
            field = _snake_case(name)
            if field not in _PARSERS_BY_FIELD and field not in _COMBINATORS:
                known = ", ".join([*_PARSERS_BY_FIELD, *_COMBINATORS])
                raise InvalidFilter(f"There is no filter {name[:60]!r}.", hint=f"Filters are: {known}.")
            if value is not None and field in _COMBINATORS:
                given[_COMBINATORS[field]] = self._group(field, value, depth=depth)
            elif value is not None:
                given[field] = _parse_value(field, value)
        return Filters(**given)

    def _group(self, name: str, value: Any, *, depth: int) -> tuple[Filters, ...]:
        """ "not" takes one condition as well; an empty one would keep everything or nothing, and is a mistake."""
        parts = [value] if name == "not" and isinstance(value, Mapping) else value
        is_group = isinstance(parts, list | tuple) and all(isinstance(part, Mapping) and part for part in parts)
        if not is_group or not parts:
            raise InvalidFilter(f"“{name}” needs a list of filters, each with at least one condition.")
        return tuple(self.filters(part, depth=depth + 1) for part in parts)


# The allow-list: the only columns and operators a filter can reach.
_FIELD_LOOKUPS = {
    "doc_types": "doc_type__in",
    "tags_any": "tags__overlap",
    "tags_all": "tags__contains",
    "projects": "project__in",
    "statuses": "doc_status__in",
    "date_from": "doc_date__gte",
    "date_to": "doc_date__lte",
    "is_public": "is_public",
    "knowledge_base_ids": "knowledge_base__in",
}


def _snake_case(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def _parse_value(field: str, value: Any) -> Any:
    try:
        return _PARSERS_BY_FIELD[field](value)
    except (TypeError, ValueError) as error:
        raise InvalidFilter(f"The filter “{field}” has a value that it cannot have: {error}") from error


def _parse_uuids(value: Any) -> tuple[UUID, ...]:
    values = _parse_strings(value)
    try:
        return tuple(map(UUID, values))
    except ValueError:
        raise ValueError("ids like 3eaf6bb4-fc2c-4f1a-be10-a23b86d8f860 are needed.") from None


def _parse_strings(value: Any) -> tuple[str, ...]:
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list | tuple) or not all(isinstance(one, str) for one in values):
        raise ValueError("a list of strings is needed.")
    if len(values) > _MAX_VALUES:
        raise ValueError(f"at most {_MAX_VALUES} values are possible.")
    if any("\x00" in one for one in values):
        raise ValueError("a string cannot hold the character NUL.")
    return tuple(values)


def _parse_date(value: Any) -> date:
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        raise ValueError("a date like 2024-12-31 is needed.") from None


def _parse_bool(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError("true or false is needed.")
    return value


_VALUE_PARSERS: dict[str, Callable[[Any], Any]] = {
    "date_from": _parse_date,
    "date_to": _parse_date,
    "as_of": _parse_date,
    "is_public": _parse_bool,
    "exclude_templates": _parse_bool,
    "document_ids": _parse_uuids,
}
_INTERNAL_FIELDS = {"validity_exempt_ids", "knowledge_base_ids", *_COMBINATORS.values()}
_PARSERS_BY_FIELD: dict[str, Callable[[Any], Any]] = {
    field.name: _VALUE_PARSERS.get(field.name, _parse_strings)
    for field in fields(Filters)
    if field.name not in _INTERNAL_FIELDS
}
