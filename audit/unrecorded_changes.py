"""Compares the rows that hold permissions with the audit log: a change that bypassed Lexic has left no entry."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime

from django.apps import apps
from django.db.models import Min

from audit.actions import Action
from audit.audited_model import AuditedModel, AuditRule
from audit.earlier_rows import Columns
from audit.models import AuditEntry

_DELETIONS = (Action.ACCOUNT_DELETED, Action.PLUGIN_DELETED, Action.BASE_DELETED)


def unrecorded_changes() -> Iterator[str]:
    """A sentence for each row that is not as its last entries say, or was made since the log began and has none. Rows
    that are gone are left out: they may have gone with something else."""
    began = log_began()
    deleted = AuditEntry.objects.filter(action__in=_DELETIONS).values_list("object", flat=True)
    gone = {reference.partition(":")[2] for reference in deleted}
    for model in apps.get_models():
        if issubclass(model, AuditedModel):
            rule = model.audit_rule
            written = _written_rows(rule)
            present = rule.present(model._base_manager.filter(pk__in=written))
            for pk, columns in written.items():
                yield from _differences(f"{model._meta.verbose_name} {pk}", columns, present.get(pk), gone=gone)
            if began:
                yield from _unrecorded_rows(model, known=written, since=began)


def log_began() -> datetime | None:
    """The time of the first entry that is kept; None where there is none."""
    return AuditEntry.objects.aggregate(first=Min("at"))["first"]


def _unrecorded_rows(model: type[AuditedModel], *, known: Collection[str], since: datetime) -> Iterator[str]:
    made_at = model.audit_rule.made_at
    if made_at and model.audit_rule.created:
        rows = model._base_manager.filter(**{f"{made_at}__gt": since})
        for pk in map(str, rows.order_by(made_at).values_list("pk", flat=True)):
            if pk not in known:
                yield f"The {model._meta.verbose_name} {pk} was made since the log began, and has no entry."


def _written_rows(rule: AuditRule) -> dict[str, Columns | None]:
    """The columns of each row that the log has, as they were last written; None for a row that was deleted."""
    rows: dict[str, Columns | None] = {}
    for entry in AuditEntry.objects.filter(action__in=rule.actions).order_by("number", "at").iterator(chunk_size=2000):
        pk = entry.row_id
        said = entry.details.get("now")
        if said is not None:
            rows[pk] = (rows.get(pk) or {}) | {name: said[name] for name in said if name in rule.changed}
        elif entry.action == rule.deleted:
            rows[pk] = None
    return rows


def _differences(row: str, written: Columns | None, present: Columns | None, *, gone: set[str]) -> Iterable[str]:
    """A column that named somebody or something that is `gone` is empty by that."""
    if present is None:
        return []
    if written is None:
        return [f"The {row} was deleted, and is there."]
    return [
        f"The {row} has {name} {present[name]!r}, and the last entry says {value!r}."
        for name, value in written.items()
        if present[name] != value and not (present[name] is None and value in gone)
    ]
