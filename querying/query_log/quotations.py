"""Decides which quotations of logged answers a person may read: one rule for the log, the sandbox, the API and every
export.

A citation is shown to whoever may open its page, and to whoever asked the question, as long as the plugin may still use
the knowledge base. An answer is shown with all of its citations or not at all, because it quotes them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from accounts.models import ApiKey, User
from knowledge.models import Consent, Document, KnowledgeBase, Page
from plugins.models import Plugin
from plugins.slugs import parse_id
from querying.json_format import cited_page_id
from querying.models import Query
from querying.types.answer import Outcome

WITHHELD_TEXT = "This answer quotes knowledge that you may not open."
# One that failed or was left keeps what had been written by then, without its citations.
_QUOTING_OUTCOMES = {Outcome.ANSWERED.value, Outcome.ABANDONED.value, Outcome.FAILED.value}
_QUOTED_KEYS = ("excerpt", "url", "section")


def withhold_quotations(queries: Iterable[Query], *, viewer: User) -> list[Query]:
    """The rows without what the viewer may not read, changed in memory alone: they must not be saved.

    A citation that is withheld keeps its document and page, and says `isWithheld`. Six statements at most for the rows
    of one plugin, and two for each further plugin that the viewer asked.
    """
    rows = list(queries)
    access = _QuotationAccess(rows, viewer)
    for row in rows:
        access.withhold(row)
    return rows


@dataclass
class _QuotationAccess:
    rows: list[Query]
    viewer: User
    _granted: dict[tuple[UUID, bool], set[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        citations = [citation for row in self.rows for citation in row.citations]
        documents = {pk for citation in citations if (pk := parse_id(str(citation.get("documentId"))))}
        pages = {cited_page_id(citation) for citation in citations}
        visible = Page.objects.visible_to(self.viewer).filter(pk__in=pages) if pages else Page.objects.none()
        self.pages = set(visible.values_list("pk", flat=True))
        self.base_of = dict(Document.objects.filter(pk__in=documents).values_list("pk", "knowledge_base"))
        pinned = {pin["knowledge_base"] for row in self.rows for pin in row.knowledge}
        bases = KnowledgeBase.objects.visible_to(self.viewer).filter(pk__in=pinned)
        self.bases = set(bases.values_list("pk", flat=True))
        keys = {row.api_key_id for row in self.rows if row.api_key_id}
        asked = {row.plugin_id for row in self.rows if row.plugin_id}
        self.plugins = Plugin.objects.in_bulk(asked)
        private = {_slug(row) for row in self.rows if row.is_private}
        named = Plugin.objects.filter(slug__in=private) if private else ()
        self.plugins_by_slug = {plugin.slug: plugin for plugin in named}
        self.keys = set(ApiKey.objects.filter(owner=self.viewer, pk__in=keys).values_list("pk", flat=True))

    def withhold(self, row: Query) -> None:
        pinned = {pin["knowledge_base"] for pin in row.knowledge}
        open_bases = self.bases | self._granted_to_asker(row)
        if "context" not in row.get_deferred_fields() and not pinned <= open_bases:
            row.context = []
        citations = [self._shown_citation(citation, open_bases, pinned) for citation in row.citations]
        is_closed = any(citation.get("isWithheld") for citation in citations)
        row.citations = citations
        is_quoting = row.outcome in _QUOTING_OUTCOMES and bool(row.answer)
        if is_quoting and (is_closed or not (citations or pinned <= open_bases)):
            row.answer = WITHHELD_TEXT

    def _shown_citation(self, citation: dict[str, Any], open_bases: set[int], pinned: set[int]) -> dict[str, Any]:
        base = self.base_of.get(parse_id(str(citation.get("documentId"))))
        # The base of a deleted document is unknown: then all bases that were read have to be open.
        is_open = pinned <= open_bases if base is None else base in open_bases
        if is_open or cited_page_id(citation) in self.pages:
            return citation
        return {**citation, **{name: "" for name in _QUOTED_KEYS if name in citation}, "isWithheld": True}

    def _granted_to_asker(self, row: Query) -> set[int]:
        """The bases that the plugin may use today, where the viewer asked the question."""
        is_asker = row.user_id == self.viewer.pk or row.api_key_id in self.keys
        plugin = self.plugins.get(row.plugin_id) if row.plugin_id else self.plugins_by_slug.get(_slug(row))
        if not is_asker or plugin is None:
            return set()
        is_released = row.release_id is not None or (row.is_private and not row.release_name.endswith("@draft"))
        known = plugin.pk, is_released
        if known not in self._granted:
            least = Consent.PUBLISHED if is_released else Consent.DRAFT
            granted = KnowledgeBase.objects.open_to(plugin, least=least)
            self._granted[known] = set(granted.values_list("pk", flat=True))
        return self._granted[known]


def _slug(row: Query) -> str:
    """What the plugin was called that a private question asked: its row names no plugin otherwise."""
    return row.release_name.partition("@")[0] if row.is_private else ""
