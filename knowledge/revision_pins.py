"""Keeps what a contract review or a run of an agent refers to, until that is deleted.

A new version of a document takes the old one's place, and what has left a knowledge base is deleted for good after a
while (`knowledge.prune`). Whoever cites a page for longer than a question takes pins it, in the transaction that writes
the citation, and releases its pins in the transaction that deletes it:

    pins = pin_pages(PinKind.RUN, run.pk, pages)            # what an answer cites
    revisions = pin_documents(PinKind.REVIEW, review.pk, [contract.pk])   # a document as it stands now
    pin_bases(PinKind.RUN, run.pk, layers)                  # what is still searched as it stood
    release_pins(PinKind.RUN, [run.pk])

A pin checks nobody's access, and gives none: the caller has looked what its person may read, and looks again whenever
it shows it. Privacy wins: a document that is deleted out of a private base goes in spite of all pins, and those go with
it. Pins of holders that were deleted without a word are found by `release_pins_without_holder`, which the holder's app
calls from time to time.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db import models, transaction

from knowledge.models import Document, KnowledgeBase, Page
from knowledge.pin_models import PinKind, RevisionPin
from knowledge.search.revision_statistics import BaseRevision


@transaction.atomic
def pin_pages(kind: PinKind, holder: UUID, pages: Iterable[int]) -> set[int]:
    """Keeps the documents of these pages as they stood when the pages came to be, and the pages with them. Returns the
    ids of the pages that are kept: others are gone."""
    wanted = Page.objects.filter(pk__in=set(pages)).exclude(added_in=None)
    _lock_bases(wanted.values_list("document__knowledge_base", flat=True))
    rows = list(wanted.values_list("pk", "document__knowledge_base", "document", "added_in"))
    places = {(base, document, revision) for _, base, document, revision in rows}
    _save_pins(kind, holder, places)
    return {page for page, *_ in rows}


@transaction.atomic
def pin_documents(kind: PinKind, holder: UUID, documents: Iterable[UUID]) -> dict[UUID, int]:
    """Keeps these documents as they stand now. Returns the revision of each one's base; those that are deleted, or have
    never been read, are left out."""
    wanted = Document.objects.present().filter(pk__in=set(documents)).exclude(added_in=None)
    _lock_bases(wanted.values_list("knowledge_base", flat=True))
    rows = list(wanted.values_list("knowledge_base", "pk", "knowledge_base__revision"))
    _save_pins(kind, holder, rows)
    return {document: revision for _, document, revision in rows}


@transaction.atomic
def pin_bases(kind: PinKind, holder: UUID, bases: Iterable[BaseRevision]) -> set[int]:
    """Keeps these knowledge bases as they were, so that they can be searched again. Returns the ids of those that are
    there."""
    wanted = {base.knowledge_base_id: base.revision for base in bases}
    found = _lock_bases(wanted)
    _save_pins(kind, holder, [(pk, None, wanted[pk]) for pk in found])
    return found


def release_pins(kind: PinKind, holders: Iterable[UUID]) -> None:
    """What these held may be deleted, as far as nothing else holds it."""
    RevisionPin.objects.of_holders(kind, holders).delete()


def release_pins_without_holder(kind: PinKind, existing: models.QuerySet[Any]) -> int:
    """Releases the pins of holders that are not among `existing`, all rows that may hold pins of this kind. Returns how
    many pins there were. A holder must be committed no later than its pins."""
    return RevisionPin.objects.filter(kind=kind).exclude(holder__in=existing.order_by().values("pk")).delete()[0]


def release_pins_of_deleted(document: Document) -> None:
    """A document that is deleted out of a private base is held by nothing."""
    if document.knowledge_base.is_private:
        RevisionPin.objects.filter(document=document).delete()


def _lock_bases(bases: Iterable[int]) -> set[int]:
    """Locks the bases that exist. Pruning locks them too, so what exists now exists until the pin is committed."""
    rows = KnowledgeBase.objects.select_for_update(no_key=True).filter(pk__in=list(bases)).order_by("pk")
    return set(rows.values_list("pk", flat=True))


def _save_pins(kind: PinKind, holder: UUID, places: Iterable[tuple[int, UUID | None, int]]) -> None:
    pins = [
        RevisionPin(kind=kind, holder=holder, knowledge_base_id=base, document_id=document, revision=revision)
        for base, document, revision in places
    ]
    RevisionPin.objects.bulk_create(pins, ignore_conflicts=True)
