"""JSON as the server sent it → results, whatever it looks like.

Nothing here raises: a field that is missing or of the wrong type gets its default, each citation and each step is
read on its own, and what is no object at all is left out of its list.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from lexic_sdk.results import (
    Answer,
    Citation,
    Clarification,
    Confidence,
    ConfidenceBasis,
    DecisionStep,
    Left,
    Limits,
    Me,
    NearestSource,
    Outcome,
    PluginInfo,
    Raw,
    Usage,
)

T = TypeVar("T")

_CONFIDENCES: dict[str, Confidence] = {"high": "high", "medium": "medium", "low": "low"}
_OUTCOMES: dict[str, Outcome] = {"answered": "answered", "refused": "refused", "clarify": "clarify"}
UNKNOWN_VERSION = "unknown"


def answer(value: Any, *, request: Raw | None = None) -> Answer:
    """An answer of any server, of any version. `request` is the body that was asked with."""
    fields = _object(value)
    asked_back = clarification(fields.get("clarification"))
    return Answer(
        answer=_text(fields, "answer"),
        citations=_each(fields.get("citations"), citation),
        decision_path=_each(fields.get("decisionPath"), decision_step),
        confidence=_CONFIDENCES.get(_text(fields, "confidence"), "low"),
        plugin_version=_text(fields, "pluginVersion") or UNKNOWN_VERSION,
        outcome=_OUTCOMES.get(_text(fields, "outcome"), "clarify" if asked_back else "answered"),
        reason=_text(fields, "reason") or None,
        why=_texts(fields.get("why")),
        nearest=_each(fields.get("nearest"), nearest_source),
        clarification=asked_back,
        confidence_basis=confidence_basis(fields.get("confidenceBasis")),
        usage=usage(fields.get("usage")),
        query_id=_text(fields, "queryId") or None,
        release=_text(fields, "release") or None,
        request=request or {},
        raw=fields,
    )


def citation(fields: Raw, *, position: int) -> Citation:
    """`position` counts from 1 and stands in for an id that is missing, as marks in the text are numbered."""
    return Citation(
        id=_text(fields, "id") or f"src_{position}",
        document=_text(fields, "document"),
        excerpt=_text(fields, "excerpt"),
        page=_count(fields, "page"),
        section=_text(fields, "section") or None,
        document_id=_text(fields, "documentId") or None,
        start=_count(fields, "start", least=0),
        end=_count(fields, "end", least=0),
        url=_text(fields, "url") or None,
        score=_number(fields, "score"),
        raw=fields,
    )


def decision_step(fields: Raw, *, position: int) -> DecisionStep:
    return DecisionStep(
        step=_count(fields, "step") or position,
        node=_text(fields, "node"),
        label=_text(fields, "label"),
        value=_shown(fields.get("value")),
        result=_shown(fields.get("result")),
        raw=fields,
    )


def nearest_source(fields: Raw, *, position: int) -> NearestSource:
    return NearestSource(
        document=_text(fields, "document"),
        page=_count(fields, "page"),
        section=_text(fields, "section") or None,
        document_id=_text(fields, "documentId") or None,
        score=_number(fields, "score"),
        raw=fields,
    )


def clarification(value: Any) -> Clarification | None:
    """None unless it is an object with a question: there would be nothing to answer."""
    fields = _object(value)
    if not _text(fields, "question"):
        return None
    return Clarification(
        question=_text(fields, "question"),
        options=_texts(fields.get("options")),
        field=_text(fields, "field"),
        token=_text(fields, "token"),
        raw=fields,
    )


def confidence_basis(value: Any) -> ConfidenceBasis | None:
    fields = _object(value)
    if not fields:
        return None
    return ConfidenceBasis(
        explanation=_text(fields, "explanation"),
        is_calibrated=fields.get("calibrated") is True,
        probability=_number(fields, "probability"),
    )


def usage(value: Any) -> Usage:
    fields = _object(value)
    return Usage(
        prompt_tokens=_count(fields, "promptTokens", least=0) or 0,
        completion_tokens=_count(fields, "completionTokens", least=0) or 0,
    )


def me(value: Any) -> Me:
    fields = _object(value)
    return Me(
        owner=_named(fields.get("owner")),
        key_name=_named(fields.get("key")),
        capabilities=_texts(fields.get("capabilities")),
        plugins=plugins(fields.get("plugins")),
        has_more_plugins=fields.get("morePlugins") is True,
        limits=_limits(fields.get("limits")),
        left=_each(fields.get("left"), _left),
        raw=fields,
    )


def _limits(value: Any) -> Limits | None:
    fields = _object(value)
    if not fields:
        return None
    return Limits(per_minute=_count(fields, "perMinute", least=0), per_day=_count(fields, "perDay", least=0))


def _left(fields: Raw, *, position: int) -> Left:
    return Left(
        per=_text(fields, "per"),
        limit=_count(fields, "limit", least=0) or 0,
        remaining=_count(fields, "remaining", least=0) or 0,
        reset_seconds=_count(fields, "resetSeconds", least=0) or 0,
    )


def plugins(value: Any) -> list[PluginInfo]:
    """A list of plugins: bare, or under the key `results` or `plugins`. Those without a slug cannot be asked."""
    if isinstance(value, Mapping):
        value = value.get("results", value.get("plugins"))
    listed = [{"slug": item} if isinstance(item, str) else item for item in _list(value)]
    return [found for found in _each(listed, plugin_info) if found.slug]


def plugin_info(fields: Raw, *, position: int) -> PluginInfo:
    slug = _text(fields, "slug")
    return PluginInfo(
        slug=slug,
        name=_text(fields, "name") or slug,
        tagline=_text(fields, "tagline"),
        description=_text(fields, "description"),
        domain=_text(fields, "domain"),
        version=_text(fields, "version") or None,
        tags=_texts(fields.get("tags")),
        raw=fields,
    )


# --- Single values -------------------------------------------------------------------------------------------


def _each(value: Any, read: Callable[..., T]) -> list[T]:
    """What `read` makes of each object in a list. Positions count everything, so they match the text's marks."""
    return [
        read(item, position=position) for position, item in enumerate(_list(value), 1) if isinstance(item, Mapping)
    ]


def _object(value: Any) -> Raw:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list) else []


def _text(fields: Raw, name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> list[str]:
    return [item for item in _list(value) if isinstance(item, str)]


def _number(fields: Raw, name: str) -> float | None:
    value = fields.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:  # JSON has integers that no float can hold
        return None
    return number if math.isfinite(number) else None


def _count(fields: Raw, name: str, *, least: int = 1) -> int | None:
    number = _number(fields, name)
    return int(number) if number is not None and number.is_integer() and number >= least else None


def _shown(value: Any) -> str | None:
    """A step's value as text. Trees know numbers and yes or no; servers have sent them bare."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    return value if isinstance(value, str) else None


def _named(value: Any) -> str:
    """Whose it is or what it is called, be it a text or an object with a name."""
    if isinstance(value, str):
        return value
    fields = _object(value)
    return next((text for name in ("name", "email") if (text := _text(fields, name))), "")
