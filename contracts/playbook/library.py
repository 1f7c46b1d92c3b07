"""Where playbooks come from: those that ship with Lexic, and documents that are marked as one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from uuid import UUID

from accounts.models import Principal
from contracts.playbook.parse_playbook import parse_playbook
from contracts.playbook.playbook_types import Playbook, UnfitPlaybook
from knowledge.models import Document, DocumentQuerySet, Page
from lexic.errors import NotFound

# What marks a document as a playbook: it is a template, so no search finds it, and of this type.
PLAYBOOK_TYPE = "playbook"
NDA_PLAYBOOK, SERVICES_PLAYBOOK = "nda-checklist", "services-agreement"
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


def find_playbook(key: str, *, principal: Principal) -> PlaybookAtRevision:
    """The playbook of this name or document. Raises `UnknownPlaybook`, `UnfitPlaybook`."""
    if key in shipped_keys():
        return shipped_playbook(key)
    try:
        pk = UUID(key)
    except ValueError:
        raise UnknownPlaybook from None
    rows = Document.objects.present().visible_to(principal).select_related("knowledge_base")
    document = rows.filter(pk=pk).first()
    if document is None:
        raise UnknownPlaybook
    return read_playbook(document)


def read_playbook(document: Document) -> PlaybookAtRevision:
    """The playbook that this document is today. Raises `UnfitPlaybook`."""
    if not document.is_template:
        raise UnfitPlaybook(
            "This document is not marked as a template, so searches would find it.",
            hint="Mark it as a template, and name “playbook” as its type.",
        )
    pages = list(Page.objects.filter(document=document).live().order_by("number")[:2])
    if len(pages) != 1:
        raise UnfitPlaybook("A playbook is one Markdown file that has been read.")
    playbook = parse_playbook(pages[0].text, fields=document.metadata, title=document.title)
    return PlaybookAtRevision(key=str(document.pk), playbook=playbook, document=document, page_id=pages[0].pk)
