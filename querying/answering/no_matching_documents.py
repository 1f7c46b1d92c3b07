"""Why no document matches a plan: which of its filters leaves nothing over, and what is near."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date
from itertools import chain

from django.db.models import QuerySet

from knowledge.models import Document
from querying.question.planning.matching_documents import matching_documents
from querying.question.planning.query_plan import QueryPlan, TimeRange, describe_plan
from querying.question.resolve import ResolvedQuestion
from querying.sanitize import sanitize
from querying.types.question import Question

_MAX_NEAR = 5


def explain_no_match(question: Question, plan: QueryPlan) -> tuple[str, ...]:
    """Sentences: what was looked for, and for each filter that alone leaves nothing over, what there is without it."""
    # The filters of the question as it came: those of a planned one have the plan's among them.
    asked = ResolvedQuestion.of(question).asked
    return (f"No document matches: {describe_plan(plan)}.", *_near(asked, plan))


def _near(question: Question, plan: QueryPlan) -> Iterator[str]:
    if plan.time_range:
        others = matching_documents(question, replace(plan, time_range=None)).exclude(doc_date=None)
        if near := _nearest_in_time(others, plan.time_range):
            yield f"Without the time {_number_match(others.count())}; the nearest is {near}."
    without = {
        "project": replace(plan, project=None),
        "doc_type": replace(plan, doc_types=()),
        "doc_status": replace(plan, statuses=()),
    }
    for column, rest in without.items():
        if rest != plan:
            labels = [str(label) for label in matching_documents(question, rest).values_list(column, flat=True)]
            yield from _other_labels(labels, column.removeprefix("doc_"))
    if plan.tags:
        others = matching_documents(question, replace(plan, tags=()))
        yield from _other_labels(chain.from_iterable(others.values_list("tags", flat=True)), "tag")


def _nearest_in_time(documents: QuerySet[Document], days: TimeRange) -> str:
    before = documents.filter(doc_date__lt=days.start).order_by("-doc_date").first() if days.start else None
    after = documents.filter(doc_date__gt=days.end).order_by("doc_date").first() if days.end else None
    found = [(_distance(one.doc_date, days), one) for one in (before, after) if one and one.doc_date]
    if not found:
        return ""
    _, one = min(found, key=lambda pair: pair[0])
    assert one.doc_date
    return f"“{sanitize(one.title)}”, {one.doc_date.day} {one.doc_date:%B %Y}"


def _distance(day: date, days: TimeRange) -> int:
    return min(abs((day - edge).days) for edge in (days.start, days.end) if edge)


def _other_labels(labels: Iterable[str], name: str) -> Iterator[str]:
    found = Counter(label for label in labels if label).most_common(_MAX_NEAR)
    if found:
        near = ", ".join(f"{sanitize(label)} ({number})" for label, number in found)
        yield f"Documents that match otherwise have another {name}: {near}."


def _number_match(number: int) -> str:
    return "1 document matches" if number == 1 else f"{number} documents match"
