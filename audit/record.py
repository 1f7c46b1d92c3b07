"""The one place that writes the audit log. Call it in the transaction that makes the change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from audit.actions import Action
from audit.actor import current_actor, current_address
from audit.models import AuditEntry, AuditName
from audit.references import MAX_NAME_LENGTH, Reference
from lexic.middleware.request_id import current_request_id

_BATCH_SIZE = 1000


@dataclass(frozen=True, kw_only=True)
class AuditEvent:
    """What was done to `object`; `details` are small and hold no content."""

    action: Action
    object: Reference | None = None
    subject: Reference | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


def record(
    action: Action,
    object: Reference | None = None,  # noqa: A002  # the word that every audit log has for it
    *,
    subject: Reference | None = None,
    details: Mapping[str, Any] | None = None,
) -> None:
    """Records one event, done by whoever acts now."""
    record_many([AuditEvent(action=action, object=object, subject=subject, details=details or {})])


def record_many(events: Sequence[AuditEvent]) -> None:
    """Records several events, done by whoever acts now, in this order. Two or three statements for each thousand."""
    if not events:
        return
    actor, via = current_actor()
    with transaction.atomic():
        for start in range(0, len(events), _BATCH_SIZE):
            _record_batch(events[start : start + _BATCH_SIZE], actor=actor, via=via)


def _record_batch(events: Sequence[AuditEvent], *, actor: Reference | None, via: str) -> None:
    entries = [
        AuditEntry(
            action=event.action,
            actor=str(actor or ""),
            via=via[:160],
            object=str(event.object or ""),
            subject=str(event.subject or ""),
            request_id=current_request_id(),
            details=dict(event.details),
        )
        for event in events
    ]
    named = [[each for each in (actor, event.object, event.subject) if each] for event in events]
    if actor and (address := current_address()):
        for entry, references in zip(entries, named, strict=True):
            references.append(Reference("address", entry.pk, address, actor.pk))
    digests = _digests(reference for references in named for reference in references)
    for entry, references in zip(entries, named, strict=True):
        entry.names = {str(each): digests[each] for each in references if each in digests}
    AuditEntry.objects.bulk_create(entries)


def _digests(references: Iterable[Reference]) -> dict[Reference, str]:
    """The digest of each of these that has a name; names that the log does not know yet are added to it."""
    named = {reference: reference.name[:MAX_NAME_LENGTH] for reference in references if reference.name}
    if not named:
        return {}
    rows = AuditName.objects.filter(reference__in={str(reference) for reference in named})
    known = {(row.reference, row.name): row.digest for row in rows}
    missing = [reference for reference, name in named.items() if (str(reference), name) not in known]
    if missing:
        erased = _erased_people(missing)
        new = {
            (str(each), named[each]): AuditName.salted(reference=str(each), name=named[each], person=each.person)
            for each in missing
            if f"person:{each.person}" not in erased
        }
        AuditName.objects.bulk_create(new.values())
        known |= {key: row.digest for key, row in new.items()}
    return {
        reference: known[str(reference), name] for reference, name in named.items() if (str(reference), name) in known
    }


def _erased_people(references: Iterable[Reference]) -> set[str]:
    """The accounts of these names that were deleted. They are not named again, not even by a task that still runs for
    them."""
    people = {f"person:{each.person}" for each in references if each.person}
    if not people:
        return set()
    return set(
        AuditEntry.objects.filter(action=Action.ACCOUNT_DELETED, object__in=people).values_list("object", flat=True)
    )
