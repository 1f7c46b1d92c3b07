"""What a question finds, and why: the two rankings of each passage, and the words that carried it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from builder.knowledge.scope import readable_bases
from builder.panes import render
from knowledge.blocks import flowing
from knowledge.embedders.base import EmbedderError
from knowledge.matching import matching_spans, words_of
from knowledge.models import Document
from plugins.models import Plugin
from querying.probe import Finding, probe
from querying.releases import snapshot

LONGEST_QUESTION = 1000
_LONGEST_EXCERPT = 900


@dataclass(frozen=True, kw_only=True)
class Found:
    """A finding as it is shown. `pieces` are text and whether the question has the word; none where the text is not
    this person's to read. `matched` are words of the question."""

    finding: Finding
    pieces: tuple[tuple[str, bool], ...]
    address: str
    matched: tuple[str, ...]

    @property
    def percents(self) -> tuple[int, int, int]:
        passage = self.finding.passage
        cosine, lexical, score = (
            max(0, round(100 * (value or 0))) for value in (passage.cosine, passage.lexical, passage.score)
        )
        return cosine, lexical, score


def find(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    """A question to everything that the plugin reads."""
    return render(request, plugin, "knowledge", "builder/knowledge/find.html", asked(request, plugin))


def asked(request: HttpRequest, plugin: Plugin, *, document: Document | None = None) -> dict[str, Any]:
    """What the draft would find for the question in `q`; `in=document` looks into that document alone."""
    question = " ".join(request.GET.get("q", "").replace("\x00", " ").split())[:LONGEST_QUESTION]
    scope = "all" if document is None or request.GET.get("in") == "all" else "document"
    context: dict[str, Any] = {"question": question, "scope": scope, "top_k": plugin.top_k}
    if not question:
        return context
    only = document.pk if document and scope == "document" else None
    try:
        probed = probe(snapshot(plugin), question, document_id=only)
    except EmbedderError as error:
        return {**context, "search_error": f"{error.message} {error.hint}".strip()}
    readable = readable_bases(request)
    words = words_of(question)
    found = [_found(finding, words=words, asked=probed.asked, readable=readable) for finding in probed.findings]
    return {**context, "found": found, "missing": probed.missing, "read": sum(one.finding.is_read for one in found)}


def _found(
    finding: Finding, *, words: Mapping[str, set[str]], asked: frozenset[str], readable: Collection[int]
) -> Found:
    passage = finding.passage
    may_read = passage.knowledge_base_id in readable
    span = urlencode({"start": passage.start, "end": passage.end})
    return Found(
        finding=finding,
        pieces=tuple(_pieces(flowing(passage.content[:_LONGEST_EXCERPT]), asked)) if may_read else (),
        address=f"{reverse('source', args=[passage.page_id])}?{span}" if may_read else "",
        matched=tuple(word for word, counted in words.items() if not counted.isdisjoint(finding.matched)),
    )


def _pieces(text: str, asked: frozenset[str]) -> Iterator[tuple[str, bool]]:
    at = 0
    for start, end in matching_spans(text, asked):
        if at < start:
            yield text[at:start], False
        yield text[start:end], True
        at = end
    if at < len(text):
        yield text[at:], False
