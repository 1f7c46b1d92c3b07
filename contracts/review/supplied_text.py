"""Checks a given text, for example a clause, against positions of a playbook: the judgement of a review, with a search
that needs no document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any
from uuid import UUID

import numpy as np

from contracts.clauses.parsed_contract import ContractPage, TextSpan
from contracts.models import ENGLISH, Verdict
from contracts.playbook.playbook_types import Playbook, Position
from contracts.review.contract_language import UnreadLanguage, contract_language
from contracts.review.document_search import verified_spans
from contracts.review.rule_judge import downgrade_unfounded_green, judge_position
from contracts.risk import Classification, risk_level
from knowledge.embedders import local_embedder
from knowledge.search.bm25 import LexicalScorer
from knowledge.search.passages import Passage
from knowledge.search.query_words import NO_SYNONYMS, dedupe_by_weight
from knowledge.search.revision_statistics import BaseRevision, load_statistics
from knowledge.search.term_statistics import term_weights
from language.sentences import sentence_spans
from language.terms import terms
from querying.question.resolve import WeightedTurn
from querying.retrieval.evidence import MAX_SCORED_PASSAGES, score_evidence
from querying.types.evidence import Evidence

# About as long as the chunks of documents.
_PASSAGE_CHARACTERS = 1000
_PAGE = 0  # a given text stands on no page
_BETWEEN_PARTS = "\n\n"


@dataclass(frozen=True, kw_only=True)
class SuppliedText:
    """A clause, or several points. `base` is a knowledge base of such texts: it says how common each word is."""

    parts: tuple[str, ...]
    base: BaseRevision

    @cached_property
    def text(self) -> str:
        return _BETWEEN_PARTS.join(self.parts)

    def part_at(self, span: TextSpan) -> str:
        """The part that the span begins in, whole."""
        end = -len(_BETWEEN_PARTS)
        for part in self.parts:
            end += len(_BETWEEN_PARTS) + len(part)
            if span.start < end:
                return part
        return ""

    def search(self, statement: str) -> Evidence:
        """The sentences of the text that say this, best first, and how strongly the best one does by itself: a clause
        has no rest that it could stand out from, as in `search_statement`. Raises `EmbedderError`."""
        found = sorted(self._passages(statement), key=lambda one: -one.score)[:MAX_SCORED_PASSAGES]
        weights = term_weights(knowledge_bases=[self.base], terms=terms(statement))
        turns = [WeightedTurn(text=statement, weight=1.0)]
        return score_evidence(turns=turns, passages=found, weights=weights, synonyms=NO_SYNONYMS)

    def _passages(self, statement: str) -> Iterator[Passage]:
        cosines = self._vectors @ local_embedder().embed_one(statement)
        for (start, end), cosine, lexical in zip(self._spans, cosines, self._lexical(statement), strict=True):
            yield Passage(
                chunk_id=start,
                document_id=UUID(int=0),
                document_title="",
                source_type="text",
                page_id=_PAGE,
                page_number=None,
                section_path=(),
                start=start,
                end=end,
                content=self.text[start:end],
                cosine=float(cosine),
                lexical=float(lexical),
                score=float(0.5 * cosine + 0.5 * lexical),
                knowledge_base_id=self.base.knowledge_base_id,
            )

    def _lexical(self, statement: str) -> np.ndarray:
        """[passages], as hybrid search counts words."""
        words = dedupe_by_weight(NO_SYNONYMS.words(statement))
        asked = list(dict.fromkeys(term for word in words for term in word.terms))
        [statistics] = load_statistics([self.base], set(asked))
        counts = np.array([[counted[term] for term in asked] for counted in self._terms], dtype=np.float64)
        lengths = np.array([counted.total() for counted in self._terms], dtype=np.float64)
        return LexicalScorer(words, statistics=statistics, known_terms=asked).scores(counts, lengths=lengths)

    @cached_property
    def _spans(self) -> list[tuple[int, int]]:
        """The spans of the passages: as many neighbouring sentences as fit."""
        spans: list[tuple[int, int]] = []
        for start, end in sentence_spans(self.text):
            if spans and end - spans[-1][0] <= _PASSAGE_CHARACTERS:
                spans[-1] = (spans[-1][0], end)
            else:
                spans.append((start, end))
        return spans

    @cached_property
    def _terms(self) -> list[Counter[str]]:
        return [Counter(terms(self.text[start:end])) for start, end in self._spans]

    @cached_property
    def _vectors(self) -> np.ndarray:
        """[passages, dimensions]"""
        return np.asarray(local_embedder().embed([self.text[start:end] for start, end in self._spans]))


def find_in_text(given: SuppliedText, playbook: Playbook, *, with_missing: bool) -> list[dict[str, Any]]:
    """What the text says of the playbook's positions, as rows of a report; of those that it does not speak of only
    `with_missing`. Raises `EmbedderError`, and `UnreadLanguage` where the text is not in English."""
    if contract_language([ContractPage(id=_PAGE, number=1, text=given.text)]) != ENGLISH:
        hint = "Have the whole contract reviewed as a document: with a language model, that works in other languages."
        raise UnreadLanguage("A single text is judged in English only.", hint=hint)
    rows = map(partial(_row, given), playbook.positions) if given.text.strip() else iter(())
    return [row for row in rows if with_missing or row["verdict"] != Verdict.MISSING]


def _row(given: SuppliedText, position: Position) -> dict[str, Any]:
    judged = judge_position(position, search=given.search)
    quoted = verified_spans(judged.spans, {_PAGE: given.text})
    judged = downgrade_unfounded_green(judged, is_quoted=bool(quoted), clauses=map(given.part_at, quoted))
    score = position.severity * position.likelihood
    return {
        "number": position.number,
        "position": position.name,
        "verdict": judged.verdict,
        "classification": judged.classification,
        "reason": judged.reason,
        "contract": [_span_place(span) for span in quoted],
        "nearest": [_span_place(span) for span in verified_spans(judged.nearest, {_PAGE: given.text})],
        "playbook": [{"text": judged.statement.text, "kind": judged.statement.kind}],
        "severity": position.severity,
        "likelihood": position.likelihood,
        "score": score,
        "level": risk_level(score).value,
        "strength": judged.strength,
        "suggestion": "" if judged.classification == Classification.GREEN else position.suggestion,
    }


def _span_place(span: TextSpan) -> dict[str, Any]:
    """The place of the span in the given text."""
    return {"start": span.start, "end": span.end, "text": span.text}
