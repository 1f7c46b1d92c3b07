"""The plan of a question, made before anything is searched: a value with an allow-list of fields, never SQL."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from knowledge.search.filters import Filters
from lexic.errors import InvalidInput
from querying.sanitize import sanitize

DEFAULT_LIMIT, MAX_LIMIT = 50, 200
_MOST_VALUES, _LONGEST, _LONGEST_QUESTION = 20, 120, 500


class InvalidPlan(InvalidInput):
    """The plan is not valid."""

    code = "invalid_plan"


class Intent(enum.StrEnum):
    ACCOMPLISHMENTS = "accomplishments"
    IN_FLIGHT = "in_flight"
    RECAP = "recap"
    LOOKUP = "lookup"


class AnswerMode(enum.StrEnum):
    """`SQL_ONLY`: the metadata alone answers, nothing is embedded. `VECTOR_ONLY`: the plan filters nothing."""

    SQL_ONLY = "sql_only"
    HYBRID = "hybrid"
    VECTOR_ONLY = "vector_only"


@dataclass(frozen=True, kw_only=True)
class DayRange:
    """From the first to the last day, both included; None: no end on that side."""

    first: date | None = None
    last: date | None = None


@dataclass(frozen=True, kw_only=True)
class Mention:
    """Where a text names a label or a time. `kind`: "projects", "doc_types", "statuses" or "tags" with the `label`, or
    "time" with its `days`. `is_marked`: a tag that is written as one ("#design")."""

    kind: str
    start: int
    end: int
    label: str = ""
    days: DayRange = DayRange()
    is_marked: bool = False


@dataclass(frozen=True, kw_only=True)
class TimeRange:
    """From the first to the last day, both included, as the asker's time zone counts days; None: open on that side."""

    start: date | None
    end: date | None
    timezone: str


@dataclass(frozen=True, kw_only=True)
class QueryPlan:
    """`limit`: how many documents are considered at most. With a `followup_question` something is missing, and
    `options` are ways to say it. `maker` is who made the plan: "rules" or the model's name.
    `excluded`: documents that fit one of these are left out. `dropped`: words that may be denied and filter nothing."""

    intent: Intent = Intent.LOOKUP
    time_range: TimeRange | None = None
    doc_types: tuple[str, ...] = ()
    project: str | None = None
    statuses: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    answer_mode: AnswerMode = AnswerMode.VECTOR_ONLY
    limit: int = DEFAULT_LIMIT
    followup_question: str | None = None
    options: tuple[str, ...] = ()
    maker: str = "rules"
    excluded: tuple[Filters, ...] = ()
    dropped: tuple[str, ...] = ()

    @property
    def has_filters(self) -> bool:
        return any((self.time_range, self.doc_types, self.project, self.statuses, self.tags, self.excluded))

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that it filters by."""
        return (*self.doc_types, *([self.project] if self.project else []), *self.statuses, *self.tags)

    def narrowed(self, given: Filters) -> Filters:
        """The caller's filters and the plan's together: where both name the same thing the caller's holds."""
        if self.answer_mode == AnswerMode.VECTOR_ONLY:
            return given
        days = self.time_range
        dated = given.date_from is None and given.date_to is None and days is not None
        return replace(
            given,
            doc_types=given.doc_types or self.doc_types,
            projects=given.projects or ((self.project,) if self.project else ()),
            statuses=given.statuses or self.statuses,
            tags_any=given.tags_any or self.tags,
            date_from=days.start if dated and days else given.date_from,
            date_to=days.end if dated and days else given.date_to,
            none_of=(*given.none_of, *self.excluded),
        )

    def as_dict(self) -> dict[str, Any]:
        """The notes-chat's plan as JSON, and who made it."""
        days = self.time_range
        return {
            "intent": self.intent.value,
            "time_range": days
            and {
                "start": days.start and days.start.isoformat(),
                "end": days.end and days.end.isoformat(),
                "timezone": days.timezone,
            },
            "doc_types": list(self.doc_types),
            "project": self.project,
            "statuses": list(self.statuses),
            "tags": list(self.tags),
            "answer_mode": self.answer_mode.value,
            "limit": self.limit,
            "followup_question": self.followup_question,
            "maker": self.maker,
            **({"excluded": [_conditions(one) for one in self.excluded]} if self.excluded else {}),
            **({"dropped": list(self.dropped)} if self.dropped else {}),
        }


def _conditions(filters: Filters) -> dict[str, Any]:
    """What a filter sets, as JSON."""
    values = {field.name: getattr(filters, field.name) for field in fields(filters)}
    return {name: value.isoformat() if isinstance(value, date) else value for name, value in values.items() if value}


def parse_plan(data: Any, *, timezone: str, maker: str) -> QueryPlan:
    """A plan from what a language model wrote. Names that are not a plan's are dropped, because models add some;
    a value that its field cannot have raises `InvalidPlan`."""
    if not isinstance(data, Mapping):
        raise InvalidPlan("A plan is a JSON object.")
    question = data.get("followup_question")
    return QueryPlan(
        intent=_enum_value(Intent, data, "intent", Intent.LOOKUP),
        time_range=_time_range_value(data.get("time_range"), timezone),
        doc_types=_label_values(data, "doc_types"),
        project=_label_value(data, "project"),
        statuses=_label_values(data, "statuses"),
        tags=_label_values(data, "tags"),
        answer_mode=_enum_value(AnswerMode, data, "answer_mode", AnswerMode.HYBRID),
        limit=_limit_value(data.get("limit")),
        followup_question=_sanitized_followup(question),
        maker=maker,
    )


def parse_time_zone(name: str | None) -> ZoneInfo | None:
    """The time zone of this name, None where there is none."""
    try:
        return ZoneInfo(name) if name and len(name) <= 64 else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def _sanitized_followup(question: Any) -> str | None:
    """The model's question back without markup or addresses, because nobody has verified it."""
    return sanitize(question.strip()[:_LONGEST_QUESTION]).strip() or None if isinstance(question, str) else None


def _enum_value(kind: type[Any], data: Mapping[str, Any], name: str, default: Any) -> Any:
    value = data.get(name)
    try:
        return default if value is None else kind(value)
    except ValueError:
        raise InvalidPlan(f"“{name}” is not one of: {', '.join(str(one) for one in kind)}.") from None


def _label_value(data: Mapping[str, Any], name: str) -> str | None:
    value = data.get(name)
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise InvalidPlan(f"“{name}” is not a short text.")
    return value.strip()


def _label_values(data: Mapping[str, Any], name: str) -> tuple[str, ...]:
    values = data.get(name)
    if values is None:
        return ()
    if not isinstance(values, Sequence) or isinstance(values, str) or len(values) > _MOST_VALUES:
        raise InvalidPlan(f"“{name}” is not a short list of texts.")
    words = [_label_value({name: value}, name) for value in values]
    return tuple(dict.fromkeys(word for word in words if word))


def _limit_value(value: Any) -> int:
    if value is None:
        return DEFAULT_LIMIT
    if not isinstance(value, int) or isinstance(value, bool):
        raise InvalidPlan("“limit” is not a whole number.")
    return max(1, min(MAX_LIMIT, value))


def _time_range_value(value: Any, timezone: str) -> TimeRange | None:
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise InvalidPlan("“time_range” is not an object with start and end.")
    start, end = (_day_value(value.get(name)) for name in ("start", "end"))
    if start is None and end is None:
        return None
    if start and end and start > end:
        raise InvalidPlan("“time_range” ends before it starts.")
    named = value.get("timezone")
    return TimeRange(
        start=start, end=end, timezone=named if isinstance(named, str) and parse_time_zone(named) else timezone
    )


def _day_value(value: Any) -> date | None:
    if value is None or value == "":
        return None
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        raise InvalidPlan("A day of “time_range” is not like 2024-12-31.") from None


def describe_plan(plan: QueryPlan) -> str:
    """What a plan keeps to and leaves out, in words: "procurement, since 1 January 2016, without memos"."""
    period = [_period_text(plan.time_range)] if plan.time_range else []
    kept = ", ".join([*map(sanitize, plan.labels), *period])
    without = "".join(f", without {_excluded_text(filters)}" for filters in plan.excluded)
    unclear = "".join(f"; “{sanitize(words)}” filters nothing, because it may be denied" for words in plan.dropped)
    return f"{kept or 'everything'}{without}{unclear}"


def _excluded_text(filters: Filters) -> str:
    labels = (*filters.doc_types, *filters.projects, *filters.statuses, *filters.tags_any)
    days = TimeRange(start=filters.date_from, end=filters.date_to, timezone="")
    return ", ".join([*map(sanitize, labels), *([_period_text(days)] if days.start or days.end else [])])


def _period_text(days: TimeRange) -> str:
    first, last = (day and f"{day.day} {day:%B %Y}" for day in (days.start, days.end))
    if first and last:
        return first if first == last else f"{first} to {last}"
    return f"since {first}" if first else f"until {last}"
