"""What retrieval finds for a question, and why: both rankings of each passage, and the words that carried it."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from knowledge.embedders import get_embedder
from knowledge.search.filters import Filters
from knowledge.search.hybrid import passes_threshold, search
from knowledge.search.inflections import without_stop_words
from knowledge.search.passages import Passage
from knowledge.search.query_words import NO_SYNONYMS
from language.clause_references import referenced_clauses
from language.terms import terms
from language.word_matching import terms_by_word
from plugins.models import Release
from querying.releases import pinned_bases
from querying.retrieval.question_wording import wording_of

# Enough to show what a question only just misses.
MAX_EXPLAINED_PASSAGES = 20


@dataclass(frozen=True, kw_only=True)
class ExplainedPassage:
    """A passage, and whether an answer would be made from it (`why_not`: the reason, where not). `matched` are the
    question's terms that it has."""

    passage: Passage
    is_read: bool
    why_not: str
    matched: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class SearchExplanation:
    """`findings` are in the order of their scores. `missing` are the words of the question that none of them has."""

    findings: tuple[ExplainedPassage, ...]
    asked: frozenset[str]
    missing: tuple[str, ...]


def explain_search(release: Release, question: str, *, document_id: UUID | None = None) -> SearchExplanation:
    """Search as a question to this release does, and keep what its policy would drop, with the reason. Raises
    `EmbedderError`."""
    bases = pinned_bases(release)
    asked = NO_SYNONYMS.words(question)
    wording = wording_of(question, words=asked, bases=bases)
    embedders = map(get_embedder, {base.embedder for base in bases})
    found = search(
        knowledge_bases=bases,
        text=without_stop_words(asked, wording),
        embedding={one.name: one.embed_one(question) for one in embedders if one.understands(question)},
        forms=wording.forms,
        filters=Filters(document_ids=(document_id,)) if document_id else None,
        limit=max(MAX_EXPLAINED_PASSAGES, release.top_k),
        clauses=referenced_clauses(question),
    )
    question_terms = frozenset(terms(question))
    findings: list[ExplainedPassage] = []
    for passage in found:
        reason = _drop_reason(passage, release, is_full=sum(one.is_read for one in findings) >= release.top_k)
        words = " ".join([passage.document_title, *passage.section_path, passage.content])
        matched = question_terms & frozenset(terms(words))
        findings.append(ExplainedPassage(passage=passage, is_read=not reason, why_not=reason, matched=matched))
    covered = frozenset[str]().union(*(finding.matched for finding in findings))
    missing = tuple(word for word, stems in terms_by_word(question).items() if stems.isdisjoint(covered))
    return SearchExplanation(findings=tuple(findings), asked=question_terms, missing=missing)


def _drop_reason(passage: Passage, release: Release, *, is_full: bool) -> str:
    """Why no answer is made from the passage; empty where one is."""
    if not passes_threshold(passage, release.threshold):
        return f"too far in meaning (needs a cosine above {release.threshold:g}), and its words carry too little"
    return f"only the best {release.top_k} are read" if is_full else ""
