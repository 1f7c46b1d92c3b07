"""Judges the positions of one review: by the rules, and by a language model beside them where there is one."""

from __future__ import annotations

from contracts.playbook.playbook_types import Position
from contracts.review.contract_language import check_language
from contracts.review.document_search import RecordingSearch
from contracts.review.learned_thresholds import learned_thresholds
from contracts.review.llm_judge import ModelJudge
from contracts.review.reviewed_contract import DocumentVersion, ReviewedContract
from contracts.review.rule_judge import (
    DEFAULT_THRESHOLDS,
    Judgement,
    downgrade_unfounded_green,
    judge_position,
    position_in_unread_language,
)
from querying.llm_interface import LLM


class PositionJudge:
    """Judges positions while a worker has the review. Raises `UnreadLanguage` where neither rules nor a model read the
    contract's language."""

    def __init__(self, read: ReviewedContract, llm: LLM) -> None:
        review, has_model = read.review, not llm.is_offline
        is_comparison = read.earlier is not None
        check_language(read.contract.pages, review.language, has_model=has_model, is_comparison=is_comparison)
        self._learned = learned_thresholds(review)
        self._is_english = review.is_english
        self._model = ModelJudge(review, llm) if has_model else None

    def judge(self, position: Position, version: DocumentVersion) -> Judgement:
        """What this version says of the position; GREEN only with a quotation that stands on its page. Raises
        `EmbedderError`; of a contract that is not in English `ProviderFailed`, `SpendingCapReached`."""
        search = RecordingSearch(version.document)
        if self._is_english:
            thresholds = self._learned.get(position.name, DEFAULT_THRESHOLDS)
            judged = judge_position(position, search=search, thresholds=thresholds)
        else:
            judged = position_in_unread_language(position)
        if self._model is not None:
            judged = self._model.judge(position, judged, pages=version.pages, passages=search.passages)
        is_quoted, clauses = bool(version.quotations(judged.spans)), version.clause_texts(judged.spans)
        return downgrade_unfounded_green(judged, is_quoted=is_quoted, clauses=clauses)
