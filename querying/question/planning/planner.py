"""The first step of a query: what is asked for, and whether something is missing. By rules, or by the language model.

Whatever goes wrong while planning, the question is answered: the model's plan falls back to the rules', and that to
none. The audit row says what happened.
"""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Any

from asgiref.sync import sync_to_async

from knowledge.search.filters import Filters
from lexic.database import release_connections
from plugins.models import Planner
from querying.llm_interface import LLM, ProviderFailed
from querying.question import access
from querying.question.planning import model_planner, rule_planner
from querying.question.planning.label_vocabulary import LabelVocabulary, document_vocabulary
from querying.question.planning.matching_documents import documents_in_release
from querying.question.planning.query_plan import AnswerMode, InvalidPlan, QueryPlan, describe_plan, parse_time_zone
from querying.question.planning.time_mentions import find_time
from querying.types import Clarification, Question, Usage

logger = logging.getLogger(__name__)

# The fact that a question back for a time is answered by.
TIME_FIELD = "time"
# "And in April?" goes on with the question before it.
_LONGEST_CONTINUATION = 8


@dataclass(frozen=True, kw_only=True)
class PlannedQuestion:
    """The question as it is to be answered, the plan (None: the plugin makes none), and what went wrong on the way.

    `sought` is what the passages have to speak of: the question without its time, which is a filter already.
    """

    question: Question
    sought: Question
    plan: QueryPlan | None = None
    trouble: str = ""
    usage: Usage = field(default_factory=Usage)

    @classmethod
    def none(cls, question: Question, *, trouble: str = "") -> PlannedQuestion:
        """The question as it came."""
        return cls(question=question, sought=question, trouble=trouble)

    @property
    def clarification(self) -> Clarification | None:
        plan = self.plan
        if plan is None or plan.followup_question is None:
            return None
        return Clarification(question=plan.followup_question, options=plan.options, field=TIME_FIELD)

    @property
    def is_list(self) -> bool:
        return self.plan is not None and self.plan.answer_mode == AnswerMode.SQL_ONLY

    @property
    def filter_summary(self) -> str:
        """What the plan narrows the search to, in words; empty where it does not."""
        plan = self.plan
        is_narrow = plan is not None and plan.has_filters and plan.answer_mode != AnswerMode.VECTOR_ONLY
        return describe_plan(plan) if plan is not None and is_narrow else ""

    def as_dict(self) -> dict[str, Any]:
        """For the audit row; {} without a plan."""
        if self.plan is None:
            return {"trouble": self.trouble} if self.trouble else {}
        return {**self.plan.as_dict(), **({"trouble": self.trouble} if self.trouble else {})}


async def plan_question(question: Question, *, llm: LLM) -> PlannedQuestion:
    """What the question asks for, by the maker that the release names. Whatever planning gets wrong, this succeeds."""
    try:
        made = await _make_plan(question, llm=llm)
    except Exception:
        logger.exception("query %s was not planned", question.id)
        return PlannedQuestion.none(question, trouble="planning_failed")
    assert made.plan is not None
    if made.plan.followup_question or made.plan.answer_mode == AnswerMode.VECTOR_ONLY:
        return made
    filters = made.plan.narrowed(question.options.filters or Filters())
    narrowed = replace(question, options=replace(question.options, filters=filters or None))
    return replace(made, question=narrowed, sought=replace(narrowed, text=_text_without_time(narrowed, made.plan)))


async def _make_plan(question: Question, *, llm: LLM) -> PlannedQuestion:
    known = await sync_to_async(_document_vocabulary)(question)
    text = complete_question(question)
    by_model = _PlanAttempt()
    if question.release.planner == Planner.MODEL and llm.can_plan:
        by_model = await _plan_by_model(question, text, known=known, llm=llm)
    found = by_model.plan or rule_planner.plan_by_rules(
        text, vocabulary=known, today=_local_today(question), timezone=_zone_name(question)
    )
    return PlannedQuestion(
        question=question, sought=question, plan=found, trouble=by_model.trouble, usage=by_model.usage
    )


@dataclass(frozen=True, kw_only=True)
class _PlanAttempt:
    """What the model made of it: a plan, or the trouble with it. What was read and written is paid for either way."""

    plan: QueryPlan | None = None
    trouble: str = ""
    usage: Usage = field(default_factory=Usage)


async def _plan_by_model(question: Question, text: str, *, known: LabelVocabulary, llm: LLM) -> _PlanAttempt:
    usage, here = Usage(), _zone_name(question)
    try:
        made, usage = await model_planner.request_plan(
            text, vocabulary=known, today=_local_today(question), llm=llm, zone=here
        )
        return _PlanAttempt(
            plan=model_planner.parse_model_plan(made, vocabulary=known, zone=here, maker=llm.name), usage=usage
        )
    except (ProviderFailed, InvalidPlan) as error:
        logger.warning("the model made no plan: %s", error.code)
        return _PlanAttempt(trouble=error.code, usage=usage)
    except Exception:
        logger.exception("the model's plan of query %s broke", question.id)
        return _PlanAttempt(trouble="planning_failed", usage=usage)


def complete_question(question: Question) -> str:
    """The question with the time that was asked back for, or with the question that it goes on with."""
    said = question.facts.get(TIME_FIELD)
    text = f"{question.text} {said}" if isinstance(said, str) and said.strip() else question.text
    before = question.earlier_user_turns[-1:]
    is_continuation = text.lower().startswith(("and ", "what about ", "how about ", "or "))
    if not before or not is_continuation or len(text.split()) > _LONGEST_CONTINUATION:
        return text
    today = _local_today(question)
    return f"{text} {_cut_time(before[0], today=today) if find_time(text, today=today) else before[0]}"


def _text_without_time(question: Question, plan: QueryPlan) -> str:
    return _cut_time(question.text, today=_local_today(question)) if plan.time_range else question.text


def _cut_time(text: str, *, today: date) -> str:
    """The text without the time that it speaks of, unless nothing else is left."""
    said = find_time(text, today=today)
    rest = " ".join(f"{text[: said.start]} {text[said.end :]}".split()) if said else text
    return rest if re.search(r"\w", rest) else text


def _document_vocabulary(question: Question) -> LabelVocabulary:
    with release_connections():
        allowed = access.access_filters(question) or Filters()
        return document_vocabulary(documents_in_release(allowed.documents(), question.release))


def _zone_name(question: Question) -> str:
    return question.options.timezone if parse_time_zone(question.options.timezone) else "UTC"


def _local_today(question: Question) -> date:
    return datetime.now(parse_time_zone(question.options.timezone) or UTC).date()
