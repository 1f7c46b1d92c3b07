"""Models whose rows decide who may do or read what: each way of writing them writes the audit log as well.

A model says by an `AuditRule` which columns count. Its rows are recorded when they are made, changed and deleted, one
by one or many at once. What goes by a cascade has no entry of its own: the entry of what took it along says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, TypeVar

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models, transaction

from audit.actions import Action
from audit.record import AuditEvent, record_many
from audit.references import Reference

M = TypeVar("M", bound=models.Model, covariant=True)
_ENCODE = DjangoJSONEncoder().default
_PLAIN = (str, int, float, bool, type(None), list)


@dataclass(frozen=True, kw_only=True)
class Named:
    """Finds in a row what an entry is about: the lookups of its id, its name and the account that the name is of."""

    kind: str
    pk: str = "pk"
    name: str = ""
    person: str = ""

    def reference(self, row: Mapping[str, Any], *, is_named: bool) -> Reference | None:
        """None where the row has no such id."""
        if row[self.pk] is None:
            return None
        name = (row[self.name] or "") if self.name and is_named else ""
        return Reference(self.kind, row[self.pk], name, row[self.person] if self.person else None)


@dataclass(frozen=True, kw_only=True)
class AuditRule:
    """`changed` has, for each column that counts, the action when it changes; two actions are those of a column that
    becomes true and false. `shown` makes of a value what may stand in the log. `named_if`: the object is named only
    where these lookups have these values. `made_at`: the column with the time at which a row was made."""

    object: Named
    subject: Named | None = None
    created: Action | None
    deleted: Action | None
    changed: Mapping[str, Action | tuple[Action, Action]] = field(default_factory=dict)
    shown: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    named_if: Mapping[str, Any] = field(default_factory=dict)
    made_at: str | None = "created_at"

    @cached_property
    def lookups(self) -> list[str]:
        """All that has to be read of a row."""
        parts = [self.object, *([self.subject] if self.subject else [])]
        wanted = {each for part in parts for each in (part.pk, part.name, part.person) if each}
        return sorted({"pk", *wanted, *self.changed, *self.named_if})

    @property
    def change_actions(self) -> tuple[Action, ...]:
        """All that a change of a column can be recorded as, each once."""
        given = (action if isinstance(action, tuple) else (action,) for action in self.changed.values())
        return tuple(dict.fromkeys(each for actions in given for each in actions))

    @property
    def actions(self) -> tuple[Action, ...]:
        """All that an entry about a row can be."""
        return tuple(filter(None, (self.created, self.deleted, *self.change_actions)))

    def present(self, rows: models.QuerySet[Any]) -> dict[str, dict[str, Any]]:
        """The columns that count of rows as they are now, by the id that entries have of them. One statement."""
        return {str(row["pk"]): self.state(row) for row in rows.values(*self.lookups)}

    def state(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The columns that count."""
        return self._logged_values(row, self.changed)

    def event(self, action: Action, row: Mapping[str, Any], **details: Mapping[str, Any]) -> AuditEvent:
        """The event that something was done to this row."""
        is_named = all(row[lookup] == value for lookup, value in self.named_if.items())
        return AuditEvent(
            action=action,
            object=self.object.reference(row, is_named=is_named),
            subject=self.subject.reference(row, is_named=True) if self.subject else None,
            details=dict(details) | ({} if self.object.pk == "pk" else {"row": _as_json(row["pk"])}),
        )

    def changes(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[AuditEvent]:
        """One entry for each action, with what the columns were and are."""
        by_action: dict[Action, list[str]] = {}
        for name, action in self.changed.items():
            if before[name] != after[name]:
                said = action if isinstance(action, Action) else action[not after[name]]
                by_action.setdefault(said, []).append(name)
        return [
            self.event(
                action,
                after,
                was=self._logged_values(before, names),
                now=self._logged_values(after, names),
            )
            for action, names in by_action.items()
        ]

    def _logged_values(self, row: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
        return {name: _as_json(self.shown[name](row[name]) if name in self.shown else row[name]) for name in names}


def _as_json(value: Any) -> Any:
    return value if isinstance(value, _PLAIN) else _ENCODE(value)


class AuditedQuerySet(models.QuerySet[M]):
    """What is done to many rows of an audited model is recorded for each of them."""

    def update(self, **columns: Any) -> int:
        """Changes the rows, and records it where a column counts."""
        rule = _rule(self.model)
        counted = {self.model._meta.get_field(name).attname for name in columns} & rule.changed.keys()  # type: ignore[union-attr]
        if not counted:
            return super().update(**columns)
        with transaction.atomic():
            before = _locked_rows(self)
            # Only the locked ones: a row that has begun to match meanwhile would change without an entry.
            count = super(AuditedQuerySet, self.filter(pk__in=before)).update(**columns)
            after = _rows_by_pk(self.model, before)
            record_many([event for pk, row in after.items() for event in rule.changes(before[pk], row)])
        return count

    def delete(self) -> tuple[int, dict[str, int]]:
        """Deletes the rows, and records what they were."""
        with transaction.atomic():
            rows = self.filter(pk__in=_locked_rows(self))
            # Read again: a locked row may have ceased to match while the lock was waited for, and stays then.
            _record_deleted(self.model, _rows_by_pk(self.model, rows.order_by().values("pk")).values())
            return super(AuditedQuerySet, rows).delete()

    delete.alters_data = True  # type: ignore[attr-defined]
    delete.queryset_only = True  # type: ignore[attr-defined]

    def bulk_create(self, objs: Iterable[Any], *args: Any, **kwargs: Any) -> list[Any]:
        """Makes the rows, and records each."""
        with transaction.atomic():
            made = super().bulk_create(objs, *args, **kwargs)
            _record_created(self.model, [row.pk for row in made])
        return made


class AuditedModel(models.Model):
    """A row whose making, changes and end are recorded."""

    audit_rule: ClassVar[AuditRule]

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Saves the row; records that it is new, or what has changed of the columns that count."""
        named = kwargs.get("update_fields")
        if not self._state.adding and named is not None and not self._counts(named):
            super().save(*args, **kwargs)
            return
        with transaction.atomic():
            before = {} if self._state.adding else self._locked()
            super().save(*args, **kwargs)
            if not before:
                _record_created(type(self), [self.pk])
            elif any(before[self.pk][name] != getattr(self, name) for name in self.audit_rule.changed):
                after = _rows_by_pk(type(self), [self.pk])[self.pk]
                record_many(self.audit_rule.changes(before[self.pk], after))

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        """Deletes the row, and records what it was."""
        with transaction.atomic():
            _record_deleted(type(self), self._locked().values())
            return super().delete(*args, **kwargs)

    def _locked(self) -> dict[Any, dict[str, Any]]:
        """The row as it is in the database, by its id; nothing where it is not there."""
        return _locked_rows(type(self)._base_manager.filter(pk=self.pk))

    def _counts(self, fields: Iterable[str]) -> bool:
        return not {self._meta.get_field(name).attname for name in fields}.isdisjoint(self.audit_rule.changed)  # type: ignore[union-attr]


def _rule(model: type[models.Model]) -> AuditRule:
    rule: AuditRule = model.audit_rule  # type: ignore[attr-defined]
    return rule


def _rows_by_pk(model: type[models.Model], pks: Iterable[Any]) -> dict[Any, dict[str, Any]]:
    wanted = pks if isinstance(pks, models.QuerySet) else list(pks)
    rows = model._base_manager.filter(pk__in=wanted).order_by("pk").values(*_rule(model).lookups)
    return {row["pk"]: row for row in rows}


def _locked_rows(rows: models.QuerySet[Any]) -> dict[Any, dict[str, Any]]:
    """Locks the rows until the transaction ends, and returns their columns as they are before the write."""
    found = rows.model._base_manager.filter(pk__in=rows.order_by().values("pk"))
    pks = list(found.select_for_update(no_key=True).order_by("pk").values_list("pk", flat=True))
    return _rows_by_pk(rows.model, pks) if pks else {}


def _record_created(model: type[models.Model], pks: Sequence[Any]) -> None:
    rule = _rule(model)
    if rule.created and pks:
        record_many([rule.event(rule.created, row, now=rule.state(row)) for row in _rows_by_pk(model, pks).values()])


def _record_deleted(model: type[models.Model], rows: Iterable[Mapping[str, Any]]) -> None:
    rule = _rule(model)
    if rule.deleted:
        record_many([rule.event(rule.deleted, row, was=rule.state(row)) for row in rows])
