"""Everything that is read before an answer is made: embeddings, passages, and their weight. Synchronous: it is
database and CPU work, done in a thread and finished before the language model talks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from knowledge.embedders import get_embedder
from knowledge.models import Page
from knowledge.search.filters import Filters
from knowledge.search.hybrid import BaseRevision, Passage, search
from knowledge.search.query_words import QueryWord, Synonyms
from knowledge.search.term_statistics import term_weights
from language.clause_references import referenced_clauses
from language.terms import terms
from querying import releases
from querying.question import access, conversation_context, validity
from querying.retrieval import rerankers
from querying.retrieval.document_labels import labels_by_document
from querying.retrieval.evidence import score_evidence
from querying.types import Evidence, Question

# Of the user's turn before, for a reranker.
_MAX_CONTEXT_CHARACTERS = 500
# How many of the passages that a tree's source hint finds join the others.
_MAX_HINTED_PASSAGES = 3


@dataclass(frozen=True, kw_only=True)
class SearchTerms:
    """What is searched for: words with their weights, vectors by embedder for meaning."""

    words: Sequence[QueryWord]
    vectors: dict[str, np.ndarray]


def retrieve(question: Question) -> list[Passage]:
    """The passages read for this question, best first. Raises `EmbedderError`."""
    bases = releases.pinned_bases(question.release)
    return _search_passages(
        question,
        bases,
        SearchTerms(
            words=conversation_context.weighted_words(question), vectors=_question_vectors(question, bases)
        ),
    )


def retrieve_with_hint(question: Question, *, hint: str, known: Sequence[Passage]) -> list[Passage]:
    """The known passages, joined by the best ones for what a tree's action says about its source."""
    bases = releases.pinned_bases(question.release)
    text = f"{question.text} {hint}"
    vectors = {name: get_embedder(name).embed_one(text) for name in {base.embedder for base in bases}}
    hinted = _search_passages(
        question,
        bases,
        SearchTerms(words=conversation_context.weighted_words(question, text=text), vectors=vectors),
    )[:_MAX_HINTED_PASSAGES]
    fresh = {passage.chunk_id: passage for passage in hinted}
    kept = [passage for passage in known if passage.chunk_id not in fresh]
    limit = max(len(known), len(hinted))
    return sorted([*hinted, *kept][:limit], key=lambda passage: (-passage.score, passage.chunk_id))


def build_evidence(question: Question, passages: Sequence[Passage], *, decided: str = "") -> Evidence:
    """How well the passages answer the question, or the question as a tree has decided it."""
    text = f"{question.text} {decided}".strip()
    relevance = rerankers.rerank_scores(
        _question_with_context(question, text), [passage.content for passage in passages]
    )
    weighed = _scored_evidence(question, passages, text=text, relevance=relevance)
    return replace(weighed, labels=labels_by_document(question, weighed.passages))


def _scored_evidence(
    question: Question, passages: Sequence[Passage], *, text: str, relevance: Sequence[float] | None = None
) -> Evidence:
    turns = conversation_context.weighted_turns(question, text=text)
    synonyms = Synonyms(question.release.synonyms)
    said = " ".join(part for turn in turns for part in (turn.text, *synonyms.expansions(turn.text)))
    weights = term_weights(knowledge_bases=releases.pinned_bases(question.release), terms=terms(said))
    return score_evidence(asked=turns, passages=passages, weights=weights, synonyms=synonyms, relevance=relevance)


def _question_with_context(question: Question, text: str) -> str:
    """The question with the user's turn before it: a reranker knows nothing of the conversation."""
    return " ".join([*(turn[-_MAX_CONTEXT_CHARACTERS:] for turn in question.earlier_user_turns[-1:]), text])


def _question_vectors(question: Question, bases: Sequence[BaseRevision]) -> dict[str, np.ndarray]:
    names = {base.embedder for base in bases}
    return {name: _question_vector(question, name) for name in names}


def _question_vector(question: Question, embedder_name: str) -> np.ndarray:
    embedder = get_embedder(embedder_name)
    parts = [(embedder.embed_one(text), share) for text, share in conversation_context.texts_to_embed(question)]
    if len(parts) == 1:
        return parts[0][0]
    mixed = np.sum([share * vector for vector, share in parts], axis=0)
    return np.asarray(mixed / np.linalg.norm(mixed))


def _search_passages(question: Question, bases: Sequence[BaseRevision], sought: SearchTerms) -> list[Passage]:
    limit = min(question.release.top_k, question.options.max_sources or question.release.top_k)
    allowed = access.access_filters(question)

    def find(filters: Filters | None) -> list[Passage]:
        return search(
            knowledge_bases=bases,
            text=sought.words,
            embedding=sought.vectors,
            filters=access.combine_filters(filters, allowed),
            limit=limit,
            threshold=question.release.threshold,
            clauses=referenced_clauses(question.text),
        )

    def strength(passages: Sequence[Passage]) -> float:
        return _scored_evidence(question, passages, text=question.text).strength

    return _verbatim_passages(validity.passages_in_force(question, find=find, strength=strength))


def _verbatim_passages(passages: Sequence[Passage]) -> list[Passage]:
    """Only passages that stand on their page word for word. One query; the promise of every citation rests on it."""
    pages = dict(Page.objects.filter(pk__in={p.page_id for p in passages}).values_list("pk", "text"))
    return [p for p in passages if pages.get(p.page_id, "")[p.start : p.end] == p.content]
