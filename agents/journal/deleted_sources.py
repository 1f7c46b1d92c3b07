"""Keeps deleted documents out of the journals of runs.

A writer of a journal locks the sources that the run reads against deletion, and drops what names a document that is
gone. A deleter locks the knowledge base, then erases the journals that name the document. So an event is either there
to be erased, or it is written afterwards and its documents are looked up here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from knowledge.models import Document
from lexic.errors import Conflict
from querying.private_layers import lock_bases_against_deletion

if TYPE_CHECKING:
    from agents.models import AgentRun

_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")


class SourceDeleted(Conflict):
    """Something that this was reading has been deleted."""

    code = "source_deleted"
    hint = "Send your message again, and it is answered from what is there."


def lock_bases_of(run: AgentRun) -> set[int]:
    """The knowledge bases that the run reads and that exist; nobody deletes them before the transaction ends."""
    return lock_bases_against_deletion([pin["knowledge_base"] for pin in run.knowledge])


def check_sources(run: AgentRun, written: Collection[Mapping[str, Any]], *, held: set[int]) -> None:
    """Raises `SourceDeleted` where one of the run's private bases is gone, the base of a passage in what is to be
    written, or a private document that is named there. `held` are the bases that were held before."""
    layers = {pin["knowledge_base"] for pin in run.layers}
    passages = {one["knowledge_base_id"] for data in written for one in data.get("passages", ())}
    if not layers | passages <= held:
        raise SourceDeleted
    named = set(_UUID.findall(json.dumps([dict(data) for data in written]))) if layers else set()
    removed = Document.objects.filter(pk__in=named, knowledge_base__in=layers, removed_in__isnull=False)
    if named and removed.exists():
        raise SourceDeleted
