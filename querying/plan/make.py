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

from knowledge.filters import Filters
from lexic.database import release_connections
from plugins.models import Planner
from querying import audience, listing
from querying.llms.base import LLM, ProviderFailed
from querying.plan import model, rules
from querying.plan.dates import time_of
from querying.plan.types import AnswerMode, InvalidPlan, Plan, zone
from querying.plan.vocabulary import Vocabulary, vocabulary_of
from querying.types import Clarification, Question, Usage

logger = logging.getLogger(__name__)

# The fact that a question back for a time is answered by.
TIME = "time"
# "And in April?" goes on with the question before it.
_LONGEST_CONTINUATION = 8


@dataclass(frozen=True, kw_only=True)
class Planned:
    """The question as it is to be answered, the plan (None: the plugin makes none), and what went wrong on the way.

    `sought` is what the passages have to speak of: the question without its time, which is a filter already.
    """

    question: Question
    sought: Question
    plan: Plan | None = None
    trouble: str = ""
    usage: Usage = field(default_factory=Usage)

    @classmethod
    def none(cls, question: Question, *, trouble: str = "") -> Planned:
        """The question as it came."""
        return cls(question=question, sought=question, trouble=trouble)

    @property
    def clarification(self) -> Clarification | None:
        plan = self.plan
        if plan is None or plan.followup_question is None:
            return None
        return Clarification(question=plan.followup_question, options=plan.options, field=TIME)

    @property
    def is_list(self) -> bool:
        return self.plan is not None and self.plan.answer_mode == AnswerMode.SQL_ONLY

    @property
    def kept_to(self) -> str:
        """What the plan narrows the search to, in words; empty where it does not."""
        plan = self.plan
        is_narrow = plan is not None and plan.has_filters and plan.answer_mode != AnswerMode.VECTOR_ONLY
        return listing.described(plan) if plan is not None and is_narrow else ""

    def as_dict(self) -> dict[str, Any]:
        """For the audit row; {} without a plan."""
        if self.plan is None:
            return {"trouble": self.trouble} if self.trouble else {}
        return {**self.plan.as_dict(), **({"trouble": self.trouble} if self.trouble else {})}


async def plan(question: Question, *, llm: LLM) -> Planned:
    """What the question asks for, by the maker that the release names. Whatever planning gets wrong, this succeeds."""
    try:
        made = await _made(question, llm=llm)
    except Exception:
        logger.exception("query %s was not planned", question.id)
        return Planned.none(question, trouble="planning_failed")
    assert made.plan is not None
    if made.plan.followup_question or made.plan.answer_mode == AnswerMode.VECTOR_ONLY:
        return made
    filters = made.plan.narrowed(question.options.filters or Filters())
    narrowed = replace(question, options=replace(question.options, filters=filters or None))
    return replace(made, question=narrowed, sought=replace(narrowed, text=_without_time(narrowed, made.plan)))


async def _made(question: Question, *, llm: LLM) -> Planned:
    known = await sync_to_async(_vocabulary)(question)
    text = asked_in_full(question)
    by_model = _Attempt()
    if question.release.planner == Planner.MODEL and llm.can_plan:
        by_model = await _by_model(question, text, known=known, llm=llm)
    found = by_model.plan or rules.plan_of(text, vocabulary=known, today=_today(question), timezone=_zone(question))
    return Planned(question=question, sought=question, plan=found, trouble=by_model.trouble, usage=by_model.usage)


@dataclass(frozen=True, kw_only=True)
class _Attempt:
    """What the model made of it: a plan, or the trouble with it. What was read and written is paid for either way."""

    plan: Plan | None = None
    trouble: str = ""
    usage: Usage = field(default_factory=Usage)


async def _by_model(question: Question, text: str, *, known: Vocabulary, llm: LLM) -> _Attempt:
    usage, here = Usage(), _zone(question)
    try:
        made, usage = await model.asked(text, vocabulary=known, today=_today(question), llm=llm, zone=here)
        return _Attempt(plan=model.plan_of(made, vocabulary=known, zone=here, maker=llm.name), usage=usage)
    except (ProviderFailed, InvalidPlan) as error:
        logger.warning("the model made no plan: %s", error.code)
        return _Attempt(trouble=error.code, usage=usage)
    except Exception:
        logger.exception("the model's plan of query %s broke", question.id)
        return _Attempt(trouble="planning_failed", usage=usage)


def asked_in_full(question: Question) -> str:
    """The question with the time that was asked back for, or with the question that it goes on with."""
    said = question.facts.get(TIME)
    text = f"{question.text} {said}" if isinstance(said, str) and said.strip() else question.text
    before = question.earlier_user_turns[-1:]
    is_continuation = text.lower().startswith(("and ", "what about ", "how about ", "or "))
    if not before or not is_continuation or len(text.split()) > _LONGEST_CONTINUATION:
        return text
    today = _today(question)
    return f"{text} {_cut(before[0], today=today) if time_of(text, today=today) else before[0]}"


def _without_time(question: Question, plan: Plan) -> str:
    return _cut(question.text, today=_today(question)) if plan.time_range else question.text


def _cut(text: str, *, today: date) -> str:
    """The text without the time that it speaks of, unless nothing else is left."""
    said = time_of(text, today=today)
    rest = " ".join(f"{text[: said.start]} {text[said.end :]}".split()) if said else text
    return rest if re.search(r"\w", rest) else text


def _vocabulary(question: Question) -> Vocabulary:
    with release_connections():
        allowed = audience.allowed(question) or Filters()
        return vocabulary_of(listing.of_release(allowed.documents(), question.release))


def _zone(question: Question) -> str:
    return question.options.timezone if zone(question.options.timezone) else "UTC"


def _today(question: Question) -> date:
    return datetime.now(zone(question.options.timezone) or UTC).date()
