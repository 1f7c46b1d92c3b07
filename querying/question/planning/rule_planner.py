"""A plan by rules: the times and labels that a question names, what it excludes, and the kind of question that it is.

`times` and `label_matching` find what may be filters, `classifier` says which of them are and what is wanted. What is
denied is excluded; a "not" whose reach is unclear drops the filter behind it, and the plan says so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from knowledge.search.filters import Filters
from language.number_words import VALUE_BY_WORD
from querying.question.planning import classifier
from querying.question.planning.label_matching import KINDS, find_labels, is_thing
from querying.question.planning.label_vocabulary import LabelVocabulary
from querying.question.planning.negations import Negations, find_negations
from querying.question.planning.query_plan import (
    DEFAULT_LIMIT,
    MAX_LIMIT,
    AnswerMode,
    Intent,
    Mention,
    QueryPlan,
    TimeRange,
)
from querying.question.planning.times import find_times

# What is asked for stands at the beginning.
_MAX_CHARACTERS = 1000
# From this share of dated documents on, a time is a filter and a recap without one is asked back.
_DATED = 0.5
PERIOD_OPTIONS = ("this week", "this month", "last month", "this year", "any time")
# What a status is called when something is finished, or not yet. Which of them count, the documents say.
_FINISHED = frozenset(
    "done complete completed finished shipped closed delivered final published approved resolved".split()
)
_OPEN = frozenset("active open ongoing doing wip current draft underway started in-progress in-review".split())
_ANY_TIME = re.compile(r"\b(?:any|all)\s*time\b|\bever\b|\boverall\b|\bso\s+far\b", re.IGNORECASE)
_NEWEST = frozenset("latest newest last recent".split())
_WORD = re.compile(r"[^\W_]+")
# From this weight on a label or a time is a filter; found by leaving out one list after another.
_MIN_FILTER_PROBABILITY = 0.25
# How much more a question has to sound like an intent before a tag that reads as a filter is a word of that intent.
_INTENT_GAIN = 4.0
# Each tag is another reading by the model; a question that names more of them names labels.
_MAX_INTENT_TAGS = 4


def plan_by_rules(question: str, *, vocabulary: LabelVocabulary, today: date, timezone: str) -> QueryPlan:
    """What the question asks for. `today` is the day in the asker's time zone."""
    text = " ".join(question[:_MAX_CHARACTERS].split())
    places = find_mentions(text, vocabulary, today)
    found = classifier.classify(text, places)
    if said := _intent_words(text, places, found):
        places = [place for place in places if place not in said]
        found = classifier.classify(text, places)
    sure = dict(zip(places, found.filters, strict=True))
    # What documents say may well be denied in a question ("why is there no parking?"); only filters are.
    named = [
        place for place in places if found.wants != "text" or sure[place] > _MIN_FILTER_PROBABILITY or place.is_marked
    ]
    denied = find_negations(text, named)
    kept = [place for place in named if sure[place] > _MIN_FILTER_PROBABILITY or place.is_marked]
    meant = [place for place in kept if place not in (*denied.places, *denied.unclear)]
    labels = {kind: tuple(dict.fromkeys(place.label for place in meant if place.kind == kind)) for kind in KINDS}
    times = [place for place in meant if place.kind == "time"]
    days = max(times, key=lambda place: sure[place]).days if times else denied.turned()
    plan = QueryPlan(
        time_range=TimeRange(start=days.first, end=days.last, timezone=timezone) if days else None,
        doc_types=labels["doc_types"],
        project=next(iter(labels["projects"]), None),
        statuses=labels["statuses"],
        tags=labels["tags"],
        excluded=denied.filters(is_turned=not times),
        dropped=tuple(text[place.start : place.end] for place in denied.unclear if place in kept),
        limit=_parse_limit(text, places),
    )
    return _with_kind(plan, found.wants, text=text, places=places, denied=denied, vocabulary=vocabulary)


def _intent_words(text: str, places: Sequence[Mention], found: classifier.QuestionClass) -> list[Mention]:
    """The tags that are no labels here but say what is wanted, such as the tag "work" in "what am I working on?"."""
    tags = [pair for pair in zip(places, found.filters, strict=True) if pair[0].kind == "tags"][:_MAX_INTENT_TAGS]
    gains = {place: _INTENT_GAIN if sure > _MIN_FILTER_PROBABILITY else 0.0 for place, sure in tags}
    return [
        place
        for place, gain in gains.items()
        if not place.is_marked and classifier.says_intent(text, places, place, gain=gain)
    ]


def find_mentions(text: str, vocabulary: LabelVocabulary, today: date) -> list[Mention]:
    """The labels and times that the text names, in its order; of those that overlap the longer one."""
    times = find_times(text, today=today) if vocabulary.dated >= _DATED else []
    found = [*find_labels(text, vocabulary), *times]
    kept: list[Mention] = []
    beside = [project for project in found if project.kind == "projects"]
    for place in sorted(found, key=lambda place: place.start - place.end):
        is_named = text[place.start : place.end].lower() == "project" and any(
            one.start - place.end in (0, 1) or place.start - one.end in (0, 1) for one in beside
        )  # "the Atlas project" names one project, and no type of document
        if not is_named and not any(one.start < place.end and place.start < one.end for one in kept):
            kept.append(place)
    return sorted(kept, key=lambda place: place.start)


def _with_kind(
    plan: QueryPlan,
    wants: str,
    *,
    text: str,
    places: Sequence[Mention],
    denied: Negations,
    vocabulary: LabelVocabulary,
) -> QueryPlan:
    """The plan with its intent and mode, or with the question back for a time."""
    if wants == "list" and plan.statuses:  # "the goals that are done" are accomplishments too
        wants = _intents(plan.statuses)
    if wants not in ("list", "text"):
        plan = _with_intent(plan, Intent(wants), denied, vocabulary)
    is_doing = plan.intent in (Intent.RECAP, Intent.ACCOMPLISHMENTS)
    is_narrow = plan.time_range or plan.project or plan.tags or plan.doc_types or _ANY_TIME.search(text)
    if vocabulary.dated >= _DATED and is_doing and not is_narrow:
        asking = replace(plan, answer_mode=AnswerMode.SQL_ONLY)
        return replace(asking, followup_question="Which time do you mean?", options=PERIOD_OPTIONS)
    if not plan.has_filters:
        return replace(plan, answer_mode=AnswerMode.SQL_ONLY if wants == "list" else AnswerMode.VECTOR_ONLY)
    return replace(plan, answer_mode=AnswerMode.HYBRID if wants == "text" else AnswerMode.SQL_ONLY)


def _intents(statuses: Sequence[str]) -> str:
    kinds = {
        "in_flight" if _is_one(status, _OPEN) else "accomplishments" if _is_one(status, _FINISHED) else "list"
        for status in statuses
    }
    return kinds.pop() if len(kinds) == 1 else "list"


def _is_one(status: str, names: frozenset[str]) -> bool:
    return re.sub(r"[\s_]", "-", status.lower()) in names


def _with_intent(plan: QueryPlan, intent: Intent, denied: Negations, vocabulary: LabelVocabulary) -> QueryPlan:
    """The plan with the statuses that its intent implies, where the question names none."""
    finished = tuple(status for status in vocabulary.statuses if _is_one(status, _FINISHED))
    if intent == Intent.ACCOMPLISHMENTS and denied.has_no_target:  # "what haven't I finished?"
        excluded = (Filters(statuses=finished),) if finished else ()
        return replace(plan, intent=Intent.IN_FLIGHT, excluded=(*plan.excluded, *excluded))
    is_named = plan.statuses or any(one.statuses for one in plan.excluded) or denied.has_no_target
    if is_named or intent == Intent.RECAP:
        return replace(plan, intent=intent)
    open_ = tuple(status for status in vocabulary.statuses if _is_one(status, _OPEN))
    return replace(plan, intent=intent, statuses=finished if intent == Intent.ACCOMPLISHMENTS else open_)


def _parse_limit(text: str, places: Sequence[Mention]) -> int:
    """ "The five latest posts", "ten documents"; one for "the newest one", "the latest post"."""
    times = {at for place in places if place.kind == "time" for at in range(place.start, place.end)}
    words = [match for match in _WORD.finditer(text.lower()) if match.start() not in times]
    ends = {place.end for place in places if place.kind == "doc_types"}
    is_new = [word.group() in _NEWEST and words[max(0, at - 1)].group() != "at" for at, word in enumerate(words)]
    is_document = [word.group() == "one" or word.end() in ends or is_thing(word.group()) for word in words]
    for at, word in enumerate(match.group() for match in words):
        number = int(word) if word.isdecimal() and len(word) <= 3 else VALUE_BY_WORD.get(word, 0)
        if number > 1 and (any(is_new[max(0, at - 2) : at + 4]) or any(is_document[at + 1 : at + 3])):
            return min(number, MAX_LIMIT)
    for at in (at for at, is_so in enumerate(is_new) if is_so):
        then = next(
            (one.group() for one, is_so in zip(words[at:], is_document[at : at + 4], strict=False) if is_so), "s"
        )
        if not then.endswith("s"):
            return 1
    return DEFAULT_LIMIT
