"""Has a language model judge positions beside the rules, and counts what that costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from asgiref.sync import async_to_sync

from contracts.clauses.parsed_contract import ContractPage
from contracts.models import ContractReview
from contracts.playbook.playbook_types import Position
from contracts.review.combine_verdicts import reconcile
from contracts.review.contract_language import MAX_CHARACTERS
from contracts.review.llm_answers import InvalidModelAnswer, read_confirmation, read_verdict
from contracts.review.llm_opinion import ModelOpinion
from contracts.review.llm_prompt import Messages, confirmation_messages, reading_messages
from contracts.review.rule_judge import Judgement
from knowledge.search.passages import Passage
from lexic.database import release_connections
from querying.llm_interface import LLM, ProviderFailed
from querying.query_log.cost import cost_of
from querying.query_log.spending import SpendingCapReached, check_account_spending, count_spending

# A contract of this length is read whole for each position; of a longer one the passages that a search finds.
_WHOLE_CHARACTERS = 24_000
# After so many positions in a row without an answer the rules go on alone.
_MAX_UNANSWERED = 2
_NOT_ASKED = "It did not answer before, so it was not asked."


class ModelJudge:
    """Judges with a model while a worker has the review. `judge` gives the judgement that counts, with the model's
    opinion. Where the provider fails, or a spending cap is reached, the judgement of the rules counts. The rules read
    English only: for other languages `judge` raises `ProviderFailed` or `SpendingCapReached` then."""

    def __init__(self, review: ContractReview, llm: LLM) -> None:
        self._review = review
        self._llm = llm
        self._is_english = review.is_english
        self._unanswered = review.unanswered_findings(_MAX_UNANSWERED) if self._is_english else 0

    def judge(
        self, position: Position, rules: Judgement, *, pages: Sequence[ContractPage], passages: Sequence[Passage]
    ) -> Judgement:
        unread = ModelOpinion(
            model=self._llm.name, rules_verdict=rules.verdict, rules_classification=rules.classification
        )
        if self._unanswered >= _MAX_UNANSWERED:
            return replace(rules, opinion=replace(unread, problem=_NOT_ASKED, is_unanswered=True))
        try:
            return self._judge(position, rules, pages=pages, passages=passages)
        except InvalidModelAnswer as void:
            return replace(rules, opinion=replace(unread, problem=str(void)))
        except (ProviderFailed, SpendingCapReached) as error:
            if not self._is_english:
                raise
            self._unanswered += 1
            return replace(rules, opinion=replace(unread, problem=error.message, is_unanswered=True))

    def _judge(
        self, position: Position, rules: Judgement, *, pages: Sequence[ContractPage], passages: Sequence[Passage]
    ) -> Judgement:
        contract = _readable_text(pages, passages, most=_WHOLE_CHARACTERS if self._is_english else MAX_CHARACTERS)
        answer = self._ask_model(reading_messages(position, contract=contract, side=self._review.side))
        self._unanswered = 0
        reading = read_verdict(answer, position=position, pages=pages)
        return reconcile(
            position, rules, reading, model=self._llm.name, is_english=self._is_english, confirm=self._confirm
        )

    def _confirm(self, statement: str, passage: str) -> bool:
        return read_confirmation(self._ask_model(confirmation_messages(statement, passage=passage)))

    def _ask_model(self, messages: Messages) -> str:
        """Raises `ProviderFailed`, `SpendingCapReached`."""
        with release_connections():  # none is held while the model talks
            check_account_spending(self._review.created_by_id, llm=self._llm)
        text, usage = async_to_sync(self._llm.generate_text)(messages)
        cost = cost_of(usage, llm=self._llm, was_called=True)
        self._review.count_model_call(usage, cost=cost)
        count_spending(self._review.created_by_id, cost)
        return text


def _readable_text(pages: Sequence[ContractPage], passages: Sequence[Passage], *, most: int) -> str:
    """The whole contract where it is short enough, otherwise the best passages, in the order of the contract."""
    if sum(len(page.text) for page in pages) <= most:
        return "\n".join(f"[Page {page.number}]\n{page.text}" for page in pages)
    chosen: dict[int, Passage] = {}
    room = most
    for passage in passages:
        if passage.chunk_id not in chosen and len(passage.content) <= room:
            chosen[passage.chunk_id] = passage
            room -= len(passage.content)
    ordered = sorted(chosen.values(), key=lambda one: (one.page_number or 1, one.start))
    return "\n\n".join(f"[Page {one.page_number or 1}]\n{one.content}" for one in ordered)
