"""Everything that is read before an answer is made: embeddings, passages, and their weight. Synchronous: it is
database and CPU work, done in a thread and finished before the language model talks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from knowledge.embedders import get_embedder
from knowledge.lexicon import term_weights
from knowledge.models import Page
from knowledge.search import BaseAt, Passage, search
from knowledge.terms import terms
from querying import releases
from querying.evidence import weigh
from querying.types import Evidence, Question

# Each of the turns before weighs less than the question itself (measured on conversations).
_QUESTION_SHARE = 0.6
# How many of the passages that a tree's source hint finds join the others.
_HINTED = 3


@dataclass(frozen=True, kw_only=True)
class Sought:
    """What is searched for: a text for words, vectors by embedder for meaning."""

    text: str
    vectors: dict[str, np.ndarray]


def retrieve(question: Question) -> list[Passage]:
    """The passages read for this question, best first. Raises `EmbedderError`."""
    bases = releases.bases_of(question.release)
    earlier = question.earlier_user_turns[-1:]
    text = " ".join([*earlier, question.text])
    return _search(question, bases, Sought(text=text, vectors=_vectors(question, bases)))


def retrieve_hinted(question: Question, *, hint: str, known: Sequence[Passage]) -> list[Passage]:
    """The known passages, joined by the best ones for what a tree's action says about its source."""
    bases = releases.bases_of(question.release)
    text = f"{question.text} {hint}"
    vectors = {name: get_embedder(name).embed_one(text) for name in {base.embedder for base in bases}}
    hinted = _search(question, bases, Sought(text=text, vectors=vectors))[:_HINTED]
    fresh = {passage.chunk_id: passage for passage in hinted}
    kept = [passage for passage in known if passage.chunk_id not in fresh]
    limit = max(len(known), len(hinted))
    return sorted([*hinted, *kept][:limit], key=lambda passage: (-passage.score, passage.chunk_id))


def weigh_evidence(question: Question, passages: Sequence[Passage], *, decided: str = "") -> Evidence:
    """How well the passages answer the question, or the question as a tree has decided it."""
    text = f"{question.text} {decided}".strip()
    earlier = " ".join(question.earlier_user_turns[-1:])
    weights = term_weights(knowledge_bases=releases.bases_of(question.release), terms=terms(f"{earlier} {text}"))
    return weigh(question=text, passages=passages, weights=weights, earlier=earlier)


def _vectors(question: Question, bases: Sequence[BaseAt]) -> dict[str, np.ndarray]:
    names = {base.embedder for base in bases}
    return {name: _question_vector(question, name) for name in names}


def _question_vector(question: Question, embedder_name: str) -> np.ndarray:
    embedder = get_embedder(embedder_name)
    asked = embedder.embed_one(question.text)
    if not question.earlier_user_turns:
        return asked
    everything = embedder.embed_one(" ".join([*question.earlier_user_turns, question.text])[-4000:])
    mixed = _QUESTION_SHARE * asked + (1 - _QUESTION_SHARE) * everything
    return mixed / np.linalg.norm(mixed)


def _search(question: Question, bases: Sequence[BaseAt], sought: Sought) -> list[Passage]:
    limit = min(question.release.top_k, question.options.max_sources or question.release.top_k)
    found = search(
        knowledge_bases=bases,
        text=sought.text,
        embedding=sought.vectors,
        filters=question.options.filters,
        limit=limit,
        threshold=question.release.threshold,
    )
    return _unaltered(found)


def _unaltered(passages: Sequence[Passage]) -> list[Passage]:
    """Only passages that stand on their page word for word. One query; the promise of every citation rests on it."""
    pages = dict(Page.objects.filter(pk__in={p.page_id for p in passages}).values_list("pk", "text"))
    return [p for p in passages if pages.get(p.page_id, "")[p.start : p.end] == p.content]
