"""A plan by rules alone: dates, the labels that the documents really have, and the words that ask for a list.

Nothing is guessed. A label becomes a filter where the question says that it is one ("tagged budget", "posts about
procurement") or where it cannot be anything else (a type of document, a project by its name); a word that merely
occurs in a question ("how does procurement work?") filters nothing.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

from querying.question.planning.label_matching import LabelMatcher
from querying.question.planning.label_vocabulary import LabelVocabulary, label_stem
from querying.question.planning.query_plan import DEFAULT_LIMIT, MAX_LIMIT, AnswerMode, Intent, QueryPlan, TimeRange
from querying.question.planning.question_patterns import (
    ANY_TIME,
    ASKING,
    ASKS,
    CONDENSE,
    COUNT,
    DETAIL,
    DID,
    DOINGS,
    HOW_TO,
    INTENTS,
    LISTING,
    NUMBERS,
    OWN_TIME,
    SINGLE,
    SOMEBODY,
    VALUE,
)
from querying.question.planning.request_clauses import names_documents, request_part
from querying.question.planning.time_mentions import TimeMention, find_time

# From this share of dated documents on, a time is a filter and a recap without one is asked back.
_DATED = 0.5
PERIOD_OPTIONS = ("this week", "this month", "last month", "this year", "any time")


def plan_by_rules(question: str, *, vocabulary: LabelVocabulary, today: date, timezone: str) -> QueryPlan:
    """What the question asks for. `today` is the day in the asker's time zone."""
    question = " ".join(question.split())
    request = request_part(question, vocabulary)
    plan = _build_plan(request, vocabulary=vocabulary, today=today, timezone=timezone)
    if request == question or plan.has_filters or plan.followup_question:
        return plan
    # "We had a fire in 1987. Which notes speak of it?" asks with all of its words.
    return _build_plan(question, vocabulary=vocabulary, today=today, timezone=timezone)


def _build_plan(question: str, *, vocabulary: LabelVocabulary, today: date, timezone: str) -> QueryPlan:
    said = find_time(question, today=today) if vocabulary.dated >= _DATED else None
    if said and not _is_of_documents(question, said, vocabulary, today):
        said = None
    rest = f"{question[: said.start]} {question[said.end :]}" if said else question
    rest = " ".join(ANY_TIME.sub(" ", rest).split())
    days = TimeRange(start=said.days.first, end=said.days.last, timezone=timezone) if said else None
    intent = _parse_intent(rest)
    plan, labels, is_list = _read_labels(
        rest, vocabulary, QueryPlan(intent=intent, time_range=days, limit=_parse_limit(question))
    )
    names_nothing = not (plan.has_filters or is_list or labels.left_over())
    if (
        names_nothing
        and intent == Intent.LOOKUP
        and (DOINGS.match(rest) or (DID.search(rest) and SOMEBODY.search(rest)))
    ):
        plan = replace(plan, intent=Intent.RECAP)
    if _lacks_time(plan, question, vocabulary, is_list=is_list):
        if not labels.left_over():
            return replace(
                plan,
                answer_mode=AnswerMode.SQL_ONLY,
                followup_question="Which time do you mean?",
                options=PERIOD_OPTIONS,
            )
        # "Summarise the parking rules", "what happened to the boiler" speak of something, and not of a time.
        plan, labels, is_list = _read_labels(rest, vocabulary, replace(plan, intent=Intent.LOOKUP))
    return _with_mode(plan, labels=labels, question=question, is_list=is_list)


def _is_of_documents(question: str, said: TimeMention, vocabulary: LabelVocabulary, today: date) -> bool:
    """ "The minutes of 1887" were written then; "the clock of 1887" says which clock, "by 2030" when something is due,
    and "last year's budget" what is asked about."""
    words, after = question[said.start : said.end], question[said.end :]
    is_due = bool(re.match(r"(?:by|until|till)\b", words, re.IGNORECASE))
    is_ahead = (said.days.first or said.days.last or today) > today
    if (is_due or is_ahead) and not _wants_documents(f"{question[: said.start]} {after}", vocabulary):
        return False
    if modified := OWN_TIME.match(after):
        return names_documents(modified[1], vocabulary) or label_stem(modified[1].split()[0]) in ASKING
    before = re.findall(r"[^\W_]+", question[: said.start])
    if not before or not (is_due or re.match(r"of\s+\d{4}$", words, re.IGNORECASE)):
        return True
    labels = (*vocabulary.doc_types, *vocabulary.tags, *vocabulary.projects, *vocabulary.statuses)
    return label_stem(before[-1]) in ASKING | {
        vocabulary.stems(label)[-1] for label in labels if vocabulary.stems(label)
    }


def _wants_documents(text: str, vocabulary: LabelVocabulary) -> bool:
    return bool(names_documents(text, vocabulary) or LISTING.search(text)) or _parse_intent(text) != Intent.LOOKUP


def _read_labels(text: str, vocabulary: LabelVocabulary, plan: QueryPlan) -> tuple[QueryPlan, LabelMatcher, bool]:
    """The plan with the labels that the text names, these, and whether it asks for a list."""
    labels = LabelMatcher(text, vocabulary)
    project = labels.project()
    doc_types = labels.doc_types()
    statuses = labels.statuses(plan.intent)
    is_list = bool(LISTING.search(labels.shape())) and not DETAIL.match(text)
    is_list = is_list or (plan.intent != Intent.LOOKUP and bool(plan.time_range or statuses))
    tags = labels.tags(is_list=is_list)
    limit = 1 if SINGLE.search(labels.shape()) and not COUNT.search(text) else plan.limit
    named = replace(plan, project=project, doc_types=doc_types, statuses=statuses, tags=tags, limit=limit)
    return named, labels, is_list


def _with_mode(plan: QueryPlan, *, labels: LabelMatcher, question: str, is_list: bool) -> QueryPlan:
    if not plan.has_filters:
        # Nothing to narrow: all the text is searched, unless all the newest documents are what is asked for.
        is_all = is_list and plan.intent == Intent.LOOKUP and not labels.left_over()
        return replace(plan, answer_mode=AnswerMode.SQL_ONLY) if is_all else plan
    # Where every word is a label the metadata answers; what is left over has to be searched for.
    is_about = bool(plan.tags or plan.time_range or plan.statuses)
    is_covered = not (labels.left_over() or CONDENSE.search(labels.shape())) and (
        is_list or (is_about and not VALUE.match(question)) or not ASKS.match(question)
    )
    return replace(plan, answer_mode=AnswerMode.SQL_ONLY if is_covered else AnswerMode.HYBRID)


def _parse_intent(text: str) -> Intent:
    if HOW_TO.match(text):
        return Intent.LOOKUP
    return next((intent for intent, words in INTENTS.items() if words.search(text)), Intent.LOOKUP)


def _parse_limit(question: str) -> int:
    found = COUNT.search(question)
    if found is None:
        return DEFAULT_LIMIT
    number = next(group for group in found.groups() if group)
    return max(1, min(MAX_LIMIT, NUMBERS.get(number.lower()) or int(number)))


def _lacks_time(plan: QueryPlan, question: str, vocabulary: LabelVocabulary, *, is_list: bool) -> bool:
    """A recap or a list of what was done, of everything ever: more than anybody wants to read."""
    wants = plan.intent in (Intent.RECAP, Intent.ACCOMPLISHMENTS)
    # "The goals that are done" is a list that a status narrows.
    is_narrow = plan.time_range or plan.project or plan.tags or (plan.doc_types and is_list)
    return wants and not is_narrow and vocabulary.dated >= _DATED and not ANY_TIME.search(question)
