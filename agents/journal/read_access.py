"""Checks who may read a run: its journal shows documents only to people who may open them today."""

from __future__ import annotations

from accounts.models import Principal
from agents.models import AgentRun, EventKind
from conversations.exchanges import may_read_quotations
from knowledge.models import Document, KnowledgeBase
from lexic.errors import NotFound


class UnknownRun(NotFound):
    """There is no such run among yours."""

    code = "unknown_run"


def may_read_content(run: AgentRun, principal: Principal) -> bool:
    """Whether the principal may read now what the run read: its private layers, its project, every document that it
    shows or quotes, and as a whole those that were read as a whole."""
    layers = {pin["knowledge_base"] for pin in run.layers}
    if KnowledgeBase.objects.visible_to(principal).filter(pk__in=layers).distinct().count() < len(layers):
        return False
    read = _read_documents(run)
    if Document.objects.visible_to(principal).filter(pk__in=read).count() < len(read):
        return False
    slug = run.release_name.partition("@")[0]
    return may_read_quotations(run.session, _named_documents(run), reader=principal, slug=slug)


def _named_documents(run: AgentRun) -> set[str]:
    """The ids of the documents that stand in the journal as sources."""
    shown = run.events.filter(kind__in=(EventKind.SOURCE, EventKind.FOUND)).values_list("data", flat=True)
    sources = {source["id"] for data in shown for source in data.get("citations", ())}
    return sources | {passage["document_id"] for data in shown for passage in data.get("passages", ())}


def _read_documents(run: AgentRun) -> set[str]:
    """The ids of the documents that calls were given and have read: what they gave stands in the journal."""
    ended = run.events.filter(kind=EventKind.STEP_END, data__error=None).values_list("data__callId", flat=True)
    begun = run.events.filter(kind=EventKind.STEP_START, data__callId__in=list(ended))
    return {pk for pk in begun.values_list("data__input__documentId", flat=True) if pk}
