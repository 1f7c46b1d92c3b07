"""Plans a question, by rules or by the language model: what it asks for, and whether something is missing.

When the model's plan cannot be used, the rules make one. The query row says what went wrong.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Any

from knowledge.search.filters import Filters
from lexic.concurrency import in_turn
from lexic.database import release_connections
from plugins.models import Planner
from querying.llm_interface import LLM, ProviderFailed
from querying.question import document_access
from querying.question.clarifications import TIME_FIELD
from querying.question.planning import llm_planner, rule_planner
from querying.question.planning.label_vocabulary import LabelVocabulary, document_vocabulary
from querying.question.planning.matching_documents import documents_of_question
from querying.question.planning.query_plan import (
    AnswerMode,
    Intent,
    InvalidPlan,
    QueryPlan,
    describe_plan,
    parse_time_zone,
)
from querying.types.answer import Clarification
from querying.types.question import Question
from querying.types.token_usage import Usage

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class PlanResult:
    """A plan (None: none was made), what went wrong (`trouble`), and the tokens it took, whether or not it can be
    used."""

    plan: QueryPlan | None = None
    trouble: str = ""
    usage: Usage = field(default_factory=Usage)

    @property
    def clarification(self) -> Clarification | None:
        """The question back, where a time is missing."""
        plan = self.plan
        if plan is None or plan.followup_question is None:
            return None
        return Clarification(question=plan.followup_question, options=plan.options, field=TIME_FIELD)

    @property
    def narrows(self) -> bool:
        """Whether the plan's filters apply to the search."""
        plan = self.plan
        return plan is not None and not plan.followup_question and plan.answer_mode != AnswerMode.VECTOR_ONLY

    @property
    def is_list(self) -> bool:
        """Whether the metadata alone answers."""
        return self.plan is not None and self.plan.answer_mode == AnswerMode.SQL_ONLY

    @property
    def is_recap(self) -> bool:
        """Whether it asks for what was done or is being done, and not for documents."""
        return self.plan is not None and self.plan.intent != Intent.LOOKUP

    @property
    def filter_summary(self) -> str:
        """What the plan narrows the search to and what it did not understand, in words; empty where it does neither."""
        plan = self.plan
        return describe_plan(plan) if plan and ((plan.has_filters and self.narrows) or plan.dropped) else ""

    def as_dict(self) -> dict[str, Any]:
        """The plan as JSON for the query row; {} without a plan."""
        trouble = {"trouble": self.trouble} if self.trouble else {}
        return {**(self.plan.as_dict() if self.plan else {}), **trouble}


async def make_plan(question: Question, *, text: str, llm: LLM) -> PlanResult:
    """The plan for a text, by the planner that the question's release names."""
    if not (question.release.planner == Planner.MODEL and llm.can_plan):
        return PlanResult(plan=await in_turn(_plan_by_rules, question, text))
    known = await in_turn(_document_vocabulary, question)
    by_model = await _plan_by_model(question, text, known=known, llm=llm)
    if by_model.plan:
        return by_model
    return replace(by_model, plan=await in_turn(_plan_by_rules, question, text, known=known))


def _plan_by_rules(question: Question, text: str, *, known: LabelVocabulary | None = None) -> QueryPlan:
    """On a thread: the local model reads the question."""
    vocabulary = _document_vocabulary(question) if known is None else known
    today, zone = local_today(question), _zone_name(question)
    return rule_planner.plan_by_rules(text, vocabulary=vocabulary, today=today, timezone=zone)


async def _plan_by_model(question: Question, text: str, *, known: LabelVocabulary, llm: LLM) -> PlanResult:
    usage, here = Usage(), _zone_name(question)
    try:
        reply, usage = await llm_planner.request_plan(
            text, vocabulary=known, today=local_today(question), llm=llm, zone=here
        )
        plan = llm_planner.parse_model_plan(reply, vocabulary=known, zone=here, maker=llm.name)
        return PlanResult(plan=plan, usage=usage)
    except (ProviderFailed, InvalidPlan) as error:
        logger.warning("the model made no plan: %s", error.code)
        return PlanResult(trouble=error.code, usage=usage)
    except Exception:
        logger.exception("the model's plan of query %s broke", question.id)
        return PlanResult(trouble="planning_failed", usage=usage)


def _document_vocabulary(question: Question) -> LabelVocabulary:
    with release_connections():
        allowed = document_access.access_filters(question) or Filters()
        return document_vocabulary(documents_of_question(allowed.documents(), question))


def _zone_name(question: Question) -> str:
    return question.options.timezone if parse_time_zone(question.options.timezone) else "UTC"


def local_today(question: Question) -> date:
    """The day it is where the asker is."""
    return datetime.now(parse_time_zone(question.options.timezone) or UTC).date()
