"""What retrieval finds for a question, and why: both rankings of each passage, and the words that carried it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from knowledge.embedders import get_embedder
from knowledge.search.filters import Filters
from knowledge.search.hybrid import MIN_LEXICAL_SUPPORT, Passage, search
from language.terms import terms
from language.word_matching import terms_by_word
from plugins.models import Release
from querying.releases import pinned_bases

# Enough to show what a question only just misses.
MAX_EXPLAINED_PASSAGES = 20


@dataclass(frozen=True, kw_only=True)
class ExplainedPassage:
    """A passage, and whether an answer would be made from it; if not, why. `matched` are the terms in common."""

    passage: Passage
    is_read: bool
    why_not: str
    matched: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class SearchExplanation:
    """`findings` are in the order of their scores. `missing` are words of the question that none of them holds."""

    findings: tuple[ExplainedPassage, ...]
    asked: frozenset[str]
    missing: tuple[str, ...]


def explain_search(release: Release, question: str, *, document_id: UUID | None = None) -> SearchExplanation:
    """Search as a question to this release does, and keep what its policy would drop, with the reason. Raises
    `EmbedderError`."""
    bases = pinned_bases(release)
    found = search(
        knowledge_bases=bases,
        text=question,
        embedding={name: get_embedder(name).embed_one(question) for name in {base.embedder for base in bases}},
        filters=Filters(document_ids=(document_id,)) if document_id else None,
        limit=max(MAX_EXPLAINED_PASSAGES, release.top_k),
    )
    asked = frozenset(terms(question))
    findings = tuple(_explained_passages(found, asked, release))
    held = frozenset().union(*(finding.matched for finding in findings)) if findings else frozenset()
    missing = tuple(word for word, counted in terms_by_word(question).items() if counted.isdisjoint(held))
    return SearchExplanation(findings=findings, asked=asked, missing=missing)


def _explained_passages(
    found: Sequence[Passage], asked: frozenset[str], release: Release
) -> list[ExplainedPassage]:
    findings, read = [], 0
    for passage in found:
        why_not = _drop_reason(
            passage, threshold=release.threshold, is_full=read >= release.top_k, most=release.top_k
        )
        read += not why_not
        words = " ".join([passage.document_title, *passage.section_path, passage.content])
        matched = asked & frozenset(terms(words))
        findings.append(ExplainedPassage(passage=passage, is_read=not why_not, why_not=why_not, matched=matched))
    return findings


def _drop_reason(passage: Passage, *, threshold: float, is_full: bool, most: int) -> str:
    if passage.lexical < MIN_LEXICAL_SUPPORT and (passage.cosine is None or passage.cosine <= threshold):
        return f"too far in meaning (needs a cosine above {threshold:g}), and its words carry too little"
    return f"only the best {most} are read" if is_full else ""
