"""Seals all stored secrets under the present ENCRYPTION_KEY, so that an earlier one can be thrown away.

What is sealed: every column whose name ends with `_encrypted`, and the secrets of authenticator apps and of recovery
codes. What is kept for a day under a caller's `Idempotency-Key` is not: it is read while ENCRYPTION_KEY_FALLBACKS has
the earlier key. A row that was changed since it was read is left, so that whoever changed it wins. Broken off, it goes
on where it was, because what is sealed under the present key is left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from allauth.mfa.models import Authenticator
from django.apps import apps
from django.db import models

from accounts import key_secrets
from audit.actions import Action
from audit.record import record

_SUFFIX = "_encrypted"
_BATCH_SIZE = 500
# What allauth seals by our adapter, of the data of an authenticator.
_SEALED_DATA = ("secret", "seed", "migrated_codes")

Reseal = Callable[[Any], Any]


class _Unreadable(Exception):
    """Sealed under a key that is not known any more, or damaged."""


@dataclass(kw_only=True)
class ColumnReport:
    """How many values of a column (`model.column`) were sealed under the present key already (`current`), are so now
    (`resealed`), are still under an earlier one (`left`), and cannot be read by any key that is known."""

    name: str
    current: int = 0
    resealed: int = 0
    left: int = 0
    unreadable: int = 0


@dataclass(frozen=True, kw_only=True)
class SealedColumn:
    """`reseal` gives the column's value with all that is sealed in it under the present key."""

    name: str
    rows: models.QuerySet[Any]
    field: str
    reseal: Reseal


def sealed_columns() -> Iterator[SealedColumn]:
    """Every column that holds what `accounts.key_secrets` has sealed."""
    for model in apps.get_models():
        for field in model._meta.concrete_fields:
            if field.name.endswith(_SUFFIX):
                name, rows = f"{model._meta.label}.{field.name}", model._base_manager.exclude(**{field.name: ""})
                yield SealedColumn(name=name, rows=rows, field=field.name, reseal=_reseal_text)
    types = (Authenticator.Type.TOTP, Authenticator.Type.RECOVERY_CODES)
    rows = Authenticator._base_manager.filter(type__in=types)
    yield SealedColumn(name="mfa.Authenticator.data", rows=rows, field="data", reseal=_reseal_data)


def reseal_all(*, dry_run: bool = False) -> list[ColumnReport]:
    """Seals anew what is sealed under an earlier key, and leaves an entry in the audit log; `dry_run` only counts."""
    reports = [_reseal_column(column, dry_run=dry_run) for column in sealed_columns()]
    if resealed := sum(report.resealed for report in reports):
        record(Action.ENCRYPTION_ROTATED, details={"resealed": resealed, "left": sum(one.left for one in reports)})
    return reports


def count_unreadable(*, newest: int) -> tuple[int, int]:
    """Of so many of the newest values of each column: how many no known key reads, and how many there are."""
    unreadable = read = 0
    for column in sealed_columns():
        has_time = any(field.name == "created_at" for field in column.rows.model._meta.concrete_fields)
        order = "-created_at" if has_time else "-pk"  # the ids of some are random
        for value in column.rows.order_by(order).values_list(column.field, flat=True)[:newest]:
            read += 1
            try:
                column.reseal(value)
            except _Unreadable:
                unreadable += 1
    return unreadable, read


def _reseal_column(column: SealedColumn, *, dry_run: bool) -> ColumnReport:
    report = ColumnReport(name=column.name)
    keys = list(column.rows.order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(keys), _BATCH_SIZE):
        batch = column.rows.filter(pk__in=keys[start : start + _BATCH_SIZE])
        for key, value in batch.values_list("pk", column.field):
            _reseal_value(column, key, value, report, dry_run=dry_run)
    return report


def _reseal_value(column: SealedColumn, key: Any, before: Any, report: ColumnReport, *, dry_run: bool) -> None:
    try:
        after = column.reseal(before)
    except _Unreadable:
        report.unreadable += 1
        return
    unchanged = column.rows.filter(pk=key, **{column.field: before})
    if after == before:
        report.current += 1
    elif not dry_run and unchanged.update(**{column.field: after}):
        report.resealed += 1
    else:
        report.left += 1


def _reseal_text(sealed: str) -> str:
    if key_secrets.is_current(sealed):
        return sealed
    opened = key_secrets.decrypt(sealed)
    if opened is None:
        raise _Unreadable
    return key_secrets.encrypt(opened)


def _reseal_data(data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _reseal_each(value) if name in _SEALED_DATA else value for name, value in data.items()}


def _reseal_each(value: Any) -> Any:
    return [_reseal_text(one) for one in value] if isinstance(value, list) else _reseal_text(value)
