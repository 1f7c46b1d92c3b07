"""What retrieval finds for a question, and why: both rankings of each passage, and the words that carried it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from knowledge.embedders import get_embedder
from knowledge.filters import Filters
from knowledge.matching import words_of
from knowledge.search import LEXICAL_SUPPORT, Passage, search
from knowledge.terms import terms
from plugins.models import Release
from querying.releases import bases_of

# Enough to show what a question only just misses.
MOST_FOUND = 20


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A passage, and whether an answer would be made from it; if not, why. `matched` are the terms in common."""

    passage: Passage
    is_read: bool
    why_not: str
    matched: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class Probe:
    """`findings` are in the order of their scores. `missing` are words of the question that none of them holds."""

    findings: tuple[Finding, ...]
    asked: frozenset[str]
    missing: tuple[str, ...]


def probe(release: Release, question: str, *, document_id: UUID | None = None) -> Probe:
    """Search as a question to this release does, and keep what its policy would drop, with the reason. Raises
    `EmbedderError`."""
    bases = bases_of(release)
    found = search(
        knowledge_bases=bases,
        text=question,
        embedding={name: get_embedder(name).embed_one(question) for name in {base.embedder for base in bases}},
        filters=Filters(document_ids=(document_id,)) if document_id else None,
        limit=max(MOST_FOUND, release.top_k),
    )
    asked = frozenset(terms(question))
    findings = tuple(_findings(found, asked, release))
    held = frozenset().union(*(finding.matched for finding in findings)) if findings else frozenset()
    missing = tuple(word for word, counted in words_of(question).items() if counted.isdisjoint(held))
    return Probe(findings=findings, asked=asked, missing=missing)


def _findings(found: Sequence[Passage], asked: frozenset[str], release: Release) -> list[Finding]:
    findings, read = [], 0
    for passage in found:
        why_not = _why_not(passage, threshold=release.threshold, is_full=read >= release.top_k, most=release.top_k)
        read += not why_not
        words = " ".join([passage.document_title, *passage.section_path, passage.content])
        matched = asked & frozenset(terms(words))
        findings.append(Finding(passage=passage, is_read=not why_not, why_not=why_not, matched=matched))
    return findings


def _why_not(passage: Passage, *, threshold: float, is_full: bool, most: int) -> str:
    if passage.lexical < LEXICAL_SUPPORT and (passage.cosine is None or passage.cosine <= threshold):
        return f"too far in meaning (needs a cosine above {threshold:g}), and its words carry too little"
    return f"only the best {most} are read" if is_full else ""
