"""Keeps deleted documents out of the journals of runs.

Before it writes an event, a run locks the knowledge bases that it reads against deletion, and leaves out documents that
no longer exist. Whoever deletes a document locks its knowledge base first and then erases the journals that name the
document. So an event is either written before the deletion and erased by it, or written afterwards and checked here.
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
    """Locks the knowledge bases that the run reads and that still exist. They cannot be deleted before the transaction
    ends."""
    return lock_bases_against_deletion([pin["knowledge_base"] for pin in run.knowledge])


def check_sources(run: AgentRun, written: Collection[Mapping[str, Any]], *, held: set[int]) -> None:
    """Raises `SourceDeleted` if a private base of the run, the base of a passage in the new events, or a private
    document that they name has been deleted. `held` are the bases that were locked before."""
    layers = {pin["knowledge_base"] for pin in run.layers}
    passages = {one["knowledge_base_id"] for data in written for one in data.get("passages", ())}
    if not layers | passages <= held:
        raise SourceDeleted
    named = set(_UUID.findall(json.dumps([dict(data) for data in written]))) if layers else set()
    removed = Document.objects.filter(pk__in=named, knowledge_base__in=layers, removed_in__isnull=False)
    if named and removed.exists():
        raise SourceDeleted
