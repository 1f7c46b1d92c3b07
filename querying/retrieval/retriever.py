"""Everything that is read before an answer is written: embeddings, passages, and how well these answer.

Synchronous, because it is database and CPU work: it is done in a thread, and finished before the language model is
asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from django.conf import settings
from django.db.models.functions import Left
from numpy.typing import NDArray

from knowledge.embedders import get_embedder, local_embedder
from knowledge.embedders.packed_states import PackedStates
from knowledge.models import Chunk, Page
from knowledge.search.filters import Filters
from knowledge.search.hybrid import search
from knowledge.search.inflections import without_stop_words
from knowledge.search.passages import Passage
from knowledge.search.revision_statistics import BaseRevision
from knowledge.search.term_statistics import term_weights
from knowledge.search.token_states import states_of_chunks
from knowledge.search.wording import Wording
from knowledge.sync.library_layout import INDEX_NAME, is_test_file
from language.clause_references import referenced_clauses
from language.stemming import stem
from language.terms import terms
from plugins.models import PluginKind
from querying.question import document_access, document_validity
from querying.question.resolve import ResolvedQuestion
from querying.releases import bases_of
from querying.retrieval import rerankers
from querying.retrieval.document_labels import labels_by_document
from querying.retrieval.evidence import MAX_SCORED_PASSAGES, score_evidence
from querying.retrieval.evidence_rescoring import adjust_strength
from querying.retrieval.file_ranking import MAX_RANKED_PASSAGES, rank_by_file
from querying.retrieval.passage_tables import NO_PAGES, has_table_rows
from querying.retrieval.question_wording import wording_of
from querying.retrieval.section_lists import with_section_list
from querying.retrieval.similar_titles import demote_other_documents
from querying.types.answer import Answer
from querying.types.evidence import Evidence
from querying.types.question import Question

# How many of the passages that a tree's source hint finds join the others.
_MAX_HINTED_PASSAGES = 3
# How strong the evidence of a library is: how well its best file fits, less this, for code says little in words that a
# question has. Then the threshold of other plugins refuses nine in ten absent subjects here too (docs/evaluation.md).
_FILE_FIT_OFFSET = 0.065
# How many of the listed documents a recap is written from.
_MAX_RECAP_PASSAGES = 20
# How far down a page its tables' captions are looked for.
_MAX_PAGE_CHARACTERS = 30_000
# How many passages tell which languages the documents are in.
_SAMPLED_TEXTS = 10


def retrieve(question: Question) -> list[Passage]:
    """The passages to read for this question, best first. A question that nobody has planned is searched as it is.

    Raises `EmbedderError`.
    """
    resolved = ResolvedQuestion.of(question)
    return _search_passages(resolved, texts=resolved.texts_to_embed())


def retrieve_for_text(question: Question, text: str) -> list[Passage]:
    """The passages on this text that whoever asked the question may be answered from, best first. Raises
    `EmbedderError`."""
    return retrieve(replace(question, text=text, context=(), facts={}, peers=()))


def build_evidence(
    question: Question, passages: Sequence[Passage], *, source_hint: str = "", decision_text: str = ""
) -> Evidence:
    """How well the passages answer the question, or the question as a tree has decided it (`decision_text`).

    With a `source_hint` or a decision, the passages that these find are read as well. Raises `EmbedderError`.
    """
    resolved = ResolvedQuestion.of(question)
    if hint := f"{source_hint} {decision_text}".strip():
        passages = _with_hinted_passages(resolved, passages, hint=hint)
    contents = [passage.content for passage in passages]
    relevance = rerankers.rerank_scores(resolved.reranker_text(decision_text), contents)
    evidence = _score(resolved, passages, added=decision_text, relevance=relevance)
    if not hint:
        evidence = _with_list(resolved, evidence)
    return replace(evidence, labels=labels_by_document(resolved, evidence.passages))


def recap_evidence(question: Question, listed: Answer) -> Evidence:
    """The beginnings of the listed documents, for a language model to write a recap from."""
    passages = tuple(citation.passage for citation in listed.citations[:_MAX_RECAP_PASSAGES])
    return Evidence(passages=passages, sentences=(), strength=1.0, labels=labels_by_document(question, passages))


def sample_texts(question: Question) -> list[str]:
    """Some passages of what the question reads, whatever they say: to tell their language. Nothing of them is shown."""
    bases = [base.knowledge_base_id for base in bases_of(question)]
    chunks = Chunk.objects.filter(knowledge_base__in=bases, index=0).order_by("pk")
    return list(chunks.values_list("content", flat=True)[:_SAMPLED_TEXTS])


def _with_hinted_passages(question: ResolvedQuestion, known: Sequence[Passage], *, hint: str) -> list[Passage]:
    """The known passages, joined by the best ones for what a tree's action says about its source."""
    texts = [(f"{question.search_text} {hint}", 1.0)]
    hinted = _search_passages(question, added=hint, texts=texts)[:_MAX_HINTED_PASSAGES]
    fresh = {passage.chunk_id for passage in hinted}
    others = [passage for passage in known if passage.chunk_id not in fresh]
    limit = max(len(known), len(hinted))
    return sorted([*hinted, *others][:limit], key=lambda passage: (-passage.score, passage.chunk_id))


def _search_passages(
    question: ResolvedQuestion, *, texts: Sequence[tuple[str, float]], added: str = ""
) -> list[Passage]:
    """The best passages for the texts by meaning, and for the question with the added words by its words."""
    release, bases = question.release, bases_of(question)
    wording, allowed = _wording_of(question, bases, added), document_access.access_filters(question)
    words = without_stop_words(question.weighted_words(added), wording)
    names = {base.embedder for base in bases if get_embedder(base.embedder).understands(question.search_text)}
    vectors = {name: _mixed_vector(texts, name) for name in names}
    question.statistics.searched = bases

    is_library = release.plugin.kind == PluginKind.LIBRARY

    def find(filters: Filters | None) -> list[Passage]:
        limit = min(release.top_k, question.options.max_sources or release.top_k)
        found = search(
            knowledge_bases=bases,
            text=words,
            embedding=vectors,
            filters=document_access.combine_filters(filters, allowed),
            limit=max(limit, MAX_RANKED_PASSAGES) if is_library else 2 * limit,
            threshold=None if is_library else release.threshold,  # a refusal names the nearest files, however far
            clauses=referenced_clauses(question.search_text),
            statistics=question.statistics,
            forms=wording.forms,
        )
        if is_library:
            return demote_repetitions(rank_by_file(found), question.search_text)[:limit]
        return demote_other_documents(found, question.search_text)[:limit]

    def strength(passages: Sequence[Passage]) -> float:
        return _fit_of_best_file(passages) if is_library else _score(question, passages).strength

    in_force = document_validity.passages_in_force(question, find=find, strength=strength)
    return [passage for passage in in_force if passage.is_verbatim]  # every citation depends on it


def _wording_of(question: ResolvedQuestion, bases: Sequence[BaseRevision], added: str) -> Wording:
    """Looked up once for a question: the search and the evidence ask for the same words."""
    asked = (tuple(bases), added)
    if asked not in question.wordings:
        words = question.weighted_words(added)
        question.wordings[asked] = wording_of(question.search_text, words=words, bases=bases)
    return question.wordings[asked]


def demote_repetitions(passages: Sequence[Passage], text: str) -> list[Passage]:
    """The passages of a library, those last that only repeat others: tests say again what the code does, and indexes
    what the design files say. They keep their place where the question asks for tests, or names the directory."""
    asks_for_tests = stem("test") in terms(text)

    def repeats(passage: Passage) -> bool:
        if passage.path.endswith(f"/{INDEX_NAME}"):
            name = passage.document_title.rstrip("/")
            return (name if "/" in name else passage.document_title) not in text
        return not asks_for_tests and is_test_file(passage.path)

    return sorted(passages, key=repeats)


def _score(
    question: ResolvedQuestion,
    passages: Sequence[Passage],
    *,
    added: str = "",
    relevance: Sequence[float] | None = None,
) -> Evidence:
    turns, synonyms = question.weighted_turns(added), question.synonyms
    bases = question.statistics.searched or bases_of(question)
    words = terms(" ".join(part for turn in turns for part in (turn.text, *synonyms.expansions(turn.text))))
    wording = _wording_of(question, bases, added)
    weights = term_weights(knowledge_bases=bases, terms=words, wording=wording, statistics=question.statistics)
    evidence = score_evidence(
        turns=turns,
        passages=passages,
        weights=weights,
        synonyms=synonyms,
        relevance=relevance,
        wording=wording,
        pages=NO_PAGES if wording.language else _pages_with_tables(passages),
        kept=kept_states(question, passages),
    )
    if not wording.language and local_embedder().understands(question.search_text):
        chunk_count = sum(one.chunk_count for one in question.statistics.load(bases, ()))
        evidence = adjust_strength(evidence, question.search_text, question.asked.text, chunk_count=chunk_count)
    if question.release.plugin.kind == PluginKind.LIBRARY:
        return replace(evidence, strength=_fit_of_best_file(evidence.passages))
    return evidence


def kept_states(question: ResolvedQuestion, passages: Sequence[Passage]) -> dict[int, PackedStates]:
    """The token states that were kept of the passages. Read once for a question, which is weighed more than once."""
    if not settings.LEXIC_TOKEN_STATES_MAX_CHUNKS:
        return {}
    wanted = [passage.chunk_id for passage in passages]
    if unread := [chunk_id for chunk_id in wanted if chunk_id not in question.token_states]:
        found = states_of_chunks(unread)
        question.token_states.update({chunk_id: found.get(chunk_id) for chunk_id in unread})
    known = {passage.chunk_id: (question.token_states[passage.chunk_id], len(passage.content)) for passage in passages}
    return {chunk_id: states for chunk_id, (states, length) in known.items() if states and states.length == length}


def _with_list(question: ResolvedQuestion, evidence: Evidence) -> Evidence:
    """With the list that is asked for as a whole. The embedder tells what is asked for, in English."""
    text, wording = question.search_text, evidence.wording
    if not evidence.sentences or not (wording.language or local_embedder().understands(text)):
        return evidence
    bases = question.statistics.searched or bases_of(question)
    weights = term_weights(knowledge_bases=bases, terms=terms(text), wording=wording, statistics=question.statistics)
    revisions = {base.knowledge_base_id: base.revision for base in bases}
    return with_section_list(evidence, question=text, weights=weights, revisions=revisions)


def _pages_with_tables(passages: Sequence[Passage]) -> dict[int, str]:
    """The texts of the pages whose tables the passages show, as far as captions are looked for there."""
    pages = {passage.page_id for passage in passages[:MAX_SCORED_PASSAGES] if has_table_rows(passage)}
    if not pages:  # a statement is not even made
        return {}
    return dict(Page.objects.filter(pk__in=pages).values_list("pk", Left("text", _MAX_PAGE_CHARACTERS)))


def _fit_of_best_file(passages: Sequence[Passage]) -> float:
    """How strong the evidence of a library is, 0 to 1."""
    fit = max((passage.score for passage in passages), default=0.0)
    return min(1.0, max(0.0, fit - _FILE_FIT_OFFSET))


def _mixed_vector(texts: Sequence[tuple[str, float]], embedder_name: str) -> NDArray[np.float32]:
    embedder = get_embedder(embedder_name)
    parts = [(embedder.embed_one(text), share) for text, share in texts]
    if len(parts) == 1:
        return parts[0][0]
    mixed = np.sum([share * vector for vector, share in parts], axis=0)
    return np.asarray(mixed / np.linalg.norm(mixed))
