"""Previews what a question finds and why: both rankings of each passage, and the words that matched."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse

from accounts.signed_in_request import SignedInRequest
from builder.knowledge.lookup import readable_base_ids
from builder.panes import render_pane
from knowledge.citation_url import source_path
from knowledge.documents.text_blocks import unwrap_lines
from knowledge.embedders.base import EmbedderError
from knowledge.models import Document
from knowledge.search.query_words import MAX_QUERY_CHARACTERS
from language.word_matching import split_at_matches, terms_by_word
from lexic.http.parameters import single_line
from plugins.models import Plugin
from querying.releases import snapshot
from querying.retrieval.search_explanation import ExplainedPassage, explain_search

_MAX_EXCERPT_LENGTH = 900


@dataclass(frozen=True, kw_only=True)
class FindingRow:
    """A finding as it is shown. `highlights` are text and whether the question has the word; none where the text is not
    this person's to read. `matched` are words of the question."""

    finding: ExplainedPassage
    highlights: tuple[tuple[str, bool], ...]
    url: str
    matched: tuple[str, ...]

    @property
    def percentages(self) -> tuple[int, int, int]:
        passage = self.finding.passage
        cosine, lexical, score = (
            max(0, round(100 * (value or 0))) for value in (passage.cosine, passage.lexical, passage.score)
        )
        return cosine, lexical, score


def show_search(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """A question to everything that the plugin reads."""
    return render_pane(request, plugin, "knowledge", "builder/knowledge/search.html", search_context(request, plugin))


def search_context(request: SignedInRequest, plugin: Plugin, *, document: Document | None = None) -> dict[str, Any]:
    """What the draft would find for the question in `q`; `in=document` looks into that document alone."""
    question = single_line(request.GET.get("q", ""), max_length=MAX_QUERY_CHARACTERS)
    scope = "all" if document is None or request.GET.get("in") == "all" else "document"
    context: dict[str, Any] = {"question": question, "scope": scope, "top_k": plugin.top_k}
    if not question:
        return context
    only = document.pk if document and scope == "document" else None
    try:
        probed = explain_search(snapshot(plugin), question, document_id=only)
    except EmbedderError as error:
        return {**context, "search_error": error.message_with_hint}
    readable = readable_base_ids(request)
    words = terms_by_word(question)
    found = [_finding_row(finding, words=words, asked=probed.asked, readable=readable) for finding in probed.findings]
    return {**context, "found": found, "missing": probed.missing, "read": sum(one.finding.is_read for one in found)}


def _finding_row(
    finding: ExplainedPassage, *, words: Mapping[str, set[str]], asked: frozenset[str], readable: Collection[int]
) -> FindingRow:
    passage = finding.passage
    may_read = passage.knowledge_base_id in readable
    return FindingRow(
        finding=finding,
        highlights=tuple(split_at_matches(unwrap_lines(passage.content[:_MAX_EXCERPT_LENGTH]), asked))
        if may_read
        else (),
        url=source_path(passage.page_id, start=passage.start, end=passage.end) if may_read else "",
        matched=tuple(word for word, counted in words.items() if not counted.isdisjoint(finding.matched)),
    )
