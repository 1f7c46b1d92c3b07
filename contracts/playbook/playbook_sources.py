"""Loads playbooks: those that ship with Lexic, and documents that are marked as one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from uuid import UUID

from django.core.cache import caches
from django.db import models

from accounts.models import Principal, User, may_read_documents
from contracts.playbook.parse_playbook import parse_playbook
from contracts.playbook.playbook_types import Playbook, UnfitPlaybook
from knowledge.models import BaseKind, Document, DocumentQuerySet, Page
from lexic.errors import NotFound

# What marks a document as a playbook: it is a template, so no search finds it, and of this type.
PLAYBOOK_TYPE = "playbook"
NDA_PLAYBOOK, SERVICES_PLAYBOOK = "nda-checklist", "services-agreement"
_NOT_ONE_PAGE = "A playbook is one Markdown file that has been read."
_HEAD_CACHE_SECONDS = 3600
_FOLDER = Path(__file__).parent / "shipped"


class UnknownPlaybook(NotFound):
    """There is no such playbook among yours."""

    code = "unknown_playbook"
    hint = "GET /api/playbooks lists those that you may use."


@dataclass(frozen=True, kw_only=True)
class PlaybookAtRevision:
    """A playbook as it stands. `document` is None for one that ships with Lexic; of a document, `page_id` is the page
    that holds its text."""

    key: str  # by which it is asked for: a document's id, or the name of one that ships
    playbook: Playbook
    document: Document | None = None
    page_id: int | None = None


@cache
def shipped_playbook(key: str) -> PlaybookAtRevision:
    """One that ships with Lexic. Raises `UnknownPlaybook`."""
    if key not in shipped_keys():
        raise UnknownPlaybook
    text = (_FOLDER / f"{key}.md").read_text(encoding="utf-8")
    return PlaybookAtRevision(key=key, playbook=parse_playbook(text))


@cache
def shipped_keys() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.md")))


def playbook_documents(principal: Principal) -> DocumentQuerySet:
    """The documents that are playbooks and that this person or key may read."""
    marked = Document.objects.present().filter(is_template=True, doc_type__iexact=PLAYBOOK_TYPE)
    return marked.visible_to(principal)


def playbook_documents_for(document: Document, *, person: User) -> DocumentQuerySet:
    """The playbooks that a review of this document by this person may quote. A private one counts if it belongs to the
    same knowledge base, or if only the person can read the base of the document."""
    found, base = playbook_documents(person), document.knowledge_base
    if base.kind == BaseKind.PERSONAL and base.owner_id == person.pk:
        return found
    return found.filter(models.Q(knowledge_base__kind=BaseKind.PLUGIN) | models.Q(knowledge_base=base))


def find_playbook(key: str, *, principal: Principal) -> PlaybookAtRevision:
    """The playbook of this name or document. Raises `UnknownPlaybook`, `UnfitPlaybook`."""
    if key in shipped_keys():
        return shipped_playbook(key)
    try:
        pk = UUID(key)
    except ValueError:
        raise UnknownPlaybook from None
    if not may_read_documents(principal):
        raise UnknownPlaybook
    rows = Document.objects.present().visible_to(principal).select_related("knowledge_base")
    document = rows.filter(pk=pk).first()
    if document is None:
        raise UnknownPlaybook
    return read_playbook(document)


@dataclass(frozen=True, kw_only=True)
class PlaybookSummary:
    """What a list says of a playbook. `problem` is why it cannot be used, "" otherwise."""

    name: str
    version: str = ""
    scope: str = ""
    side: str = ""
    positions: int = 0
    problem: str = ""


def summary_of(playbook: Playbook) -> PlaybookSummary:
    return PlaybookSummary(
        name=playbook.name,
        version=playbook.version,
        scope=playbook.scope,
        side=playbook.side,
        positions=len(playbook.positions),
    )


def read_playbook_summaries(documents: Sequence[Document]) -> list[PlaybookSummary]:
    """What each of these templates says of itself as it stands today. One statement; a process parses no text twice."""
    pages = Page.objects.filter(document__in=[one.pk for one in documents]).live()
    others = Page.objects.live().filter(document=models.OuterRef("document")).exclude(pk=models.OuterRef("pk"))
    texts = dict(pages.exclude(models.Exists(others)).values_list("document", "text"))
    return [_head_at(one, texts.get(one.pk)) for one in documents]


def _head_at(document: Document, text: str | None) -> PlaybookSummary:
    if text is None:
        return PlaybookSummary(name=document.title, problem=_NOT_ONE_PAGE)
    read = json.dumps([document.title, document.metadata, text], sort_keys=True)
    key = f"playbook:{hashlib.sha256(read.encode()).hexdigest()}"
    head: PlaybookSummary | None = caches["process"].get(key)
    if head is None:
        try:
            head = summary_of(parse_playbook(text, fields=document.metadata, title=document.title))
        except UnfitPlaybook as error:
            head = PlaybookSummary(name=document.title, problem=error.message)
        caches["process"].set(key, head, _HEAD_CACHE_SECONDS)
    return head


def read_playbook(document: Document) -> PlaybookAtRevision:
    """The playbook that this document is today. Raises `UnfitPlaybook`."""
    if not document.is_template:
        raise UnfitPlaybook(
            "This document is not marked as a template, so searches would find it.",
            hint="Mark it as a template, and name “playbook” as its type.",
        )
    pages = list(Page.objects.filter(document=document).live().order_by("number")[:2])
    if len(pages) != 1:
        raise UnfitPlaybook(_NOT_ONE_PAGE)
    playbook = parse_playbook(pages[0].text, fields=document.metadata, title=document.title)
    return PlaybookAtRevision(key=str(document.pk), playbook=playbook, document=document, page_id=pages[0].pk)
