"""Search inside one document, as it was at a revision, with the retrieval that answers questions.

Signs of contradiction and the cross-encoder do not count here. Whether a clause denies a statement is judged
separately, and a statement is not a question: with the cross-encoder contractnli-dev has an AUC of .766, without it
.770.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from statistics import fmean
from uuid import UUID

from contracts.clauses.parsed_contract import TextSpan
from knowledge.embedders import get_embedder
from knowledge.models import Document
from knowledge.search.filters import Filters
from knowledge.search.hybrid import search
from knowledge.search.passages import Passage
from knowledge.search.query_words import NO_SYNONYMS
from knowledge.search.revision_statistics import BaseRevision
from knowledge.search.term_statistics import term_weights
from language.clause_references import referenced_clauses
from language.terms import terms
from querying.question.resolve import WeightedTurn
from querying.retrieval.evidence import score_evidence
from querying.types.evidence import Evidence, Sentence

# Twice what a question has: nobody waits, and what a position asks for is in this one document or nowhere.
PASSAGES = 20
_WINDOWS = 24
# All of the document is about the matter: a passage that says it in other words is not left out for its cosine.
_MIN_COSINE = -1.0
_MIN_WORDS = 4
# A clause that says it stands out from the rest of the contract: how much that counts, against the next so many
# sentences, and how far the best one is ahead of these as a rule.
_LEAD_WEIGHT, _NEXT_SENTENCES, _USUAL_LEAD = 0.6, 5, 0.08


@dataclass(frozen=True, kw_only=True)
class DocumentRevision:
    """A document at a revision of its knowledge base."""

    document_id: UUID
    base: BaseRevision

    @classmethod
    def of(cls, document: Document, *, revision: int | None = None) -> DocumentRevision:
        """The document as it stands, or at this revision."""
        base = document.knowledge_base
        at = base.revision if revision is None else revision
        return cls(
            document_id=document.pk,
            base=BaseRevision(knowledge_base_id=base.pk, revision=at, embedder=base.space_at(at).embedder),
        )


def search_statement(document: DocumentRevision, text: str) -> Evidence:
    """The passages of the document that say this, their sentences (best first), and how strongly the best one does.

    Raises `EmbedderError`.
    """
    passages = search(
        knowledge_bases=[document.base],
        text=text,
        embedding={document.base.embedder: get_embedder(document.base.embedder).embed_one(text)},
        filters=Filters(document_ids=(document.document_id,)),
        limit=PASSAGES,
        threshold=_MIN_COSINE,
        clauses=referenced_clauses(text),
    )
    weights = term_weights(knowledge_bases=[document.base], terms=terms(text))
    turns = [WeightedTurn(text=text, weight=1.0)]
    evidence = score_evidence(
        turns=turns,
        passages=passages,
        weights=weights,
        synonyms=NO_SYNONYMS,
        max_passages=PASSAGES,
        max_windows=_WINDOWS,
    )
    return replace(evidence, strength=strength_in_document(evidence))


def strength_in_document(evidence: Evidence) -> float:
    """How strongly the best sentence says it, 0 to 1, with regard to how far it is ahead of the next ones."""
    best, *others = [one.score for _, one in distinct_sentences(evidence, limit=1 + _NEXT_SENTENCES)] or [0.0]
    if not others:
        return best
    return min(1.0, max(0.0, best + _LEAD_WEIGHT * (best - fmean(others) - _USUAL_LEAD)))


class RecordingSearch:
    """`search_statement` in one document, remembering the passages that it found."""

    def __init__(self, document: DocumentRevision) -> None:
        self._document = document
        self._found: list[tuple[Passage, ...]] = []

    def __call__(self, text: str) -> Evidence:
        """Raises `EmbedderError`."""
        evidence = search_statement(self._document, text)
        self._found.append(evidence.passages)
        return evidence

    @property
    def passages(self) -> list[Passage]:
        """The best of each search first, then the second ones, and so on; each once."""
        ranked = chain.from_iterable(zip_longest(*self._found))
        return list({one.chunk_id: one for one in ranked if one}.values())


def sentence_span(passage: Passage, sentence: Sentence) -> TextSpan:
    """The place of a sentence of the evidence on its page."""
    start = passage.start + sentence.start
    return TextSpan(
        page_id=passage.page_id,
        page_number=passage.page_number or 1,
        start=start,
        end=start + len(sentence.text),
        text=sentence.text,
    )


def distinct_sentences(evidence: Evidence, *, limit: int) -> list[tuple[TextSpan, Sentence]]:
    """The best sentences with their places. Passages overlap, so the same sentence may have been weighed twice."""
    found: dict[tuple[int, int], tuple[TextSpan, Sentence]] = {}
    for sentence in evidence.sentences:
        if len(sentence.text.split()) < _MIN_WORDS:  # a number or a heading says nothing
            continue
        span = sentence_span(evidence.passages[sentence.source], sentence)
        found.setdefault((span.page_id, span.start), (span, sentence))
        if len(found) == limit:
            break
    return list(found.values())


def verified_spans(spans: Collection[TextSpan], texts: dict[int, str]) -> list[TextSpan]:
    """The spans that stand word for word on their page. `texts` has the text of each page by its id."""
    return [span for span in spans if texts.get(span.page_id, "")[span.start : span.end] == span.text != ""]
