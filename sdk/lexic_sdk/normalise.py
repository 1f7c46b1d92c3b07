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
    Conflict,
    DecisionStep,
    Left,
    Limits,
    Me,
    NearestSource,
    Outcome,
    PluginInfo,
    Position,
    Raw,
    Sibling,
    Usage,
)

T = TypeVar("T")

CONFIDENCES: dict[str, Confidence] = {"high": "high", "medium": "medium", "low": "low"}
OUTCOMES: dict[str, Outcome] = {"answered": "answered", "refused": "refused", "clarify": "clarify"}
UNKNOWN_VERSION = "unknown"


def answer(value: Any, *, request: Raw | None = None) -> Answer:
    """An answer of any server, of any version. `request` is the body that was asked with."""
    fields = as_mapping(value)
    asked_back = clarification(fields.get("clarification"))
    return Answer(
        answer=string_field(fields, "answer"),
        citations=read_each(fields.get("citations"), citation),
        decision_path=read_each(fields.get("decisionPath"), decision_step),
        confidence=CONFIDENCES.get(string_field(fields, "confidence"), "low"),
        plugin_version=string_field(fields, "pluginVersion") or UNKNOWN_VERSION,
        outcome=OUTCOMES.get(string_field(fields, "outcome"), "clarify" if asked_back else "answered"),
        reason=string_field(fields, "reason") or None,
        why=string_list(fields.get("why")),
        about=sibling(fields.get("about")),
        nearest=read_each(fields.get("nearest"), nearest_source),
        clarification=asked_back,
        confidence_basis=confidence_basis(fields.get("confidenceBasis")),
        usage=usage(fields.get("usage")),
        query_id=string_field(fields, "queryId") or None,
        release=string_field(fields, "release") or None,
        answers={
            string_field(one, "plugin"): answer(one) for one in _as_list(fields.get("answers")) if as_mapping(one)
        },
        conflicts=read_each(fields.get("conflicts"), conflict),
        request=request or {},
        raw=fields,
    )


def citation(fields: Raw, *, position: int) -> Citation:
    """`position` counts from 1 and stands in for an id that is missing, as marks in the text are numbered."""
    return Citation(
        id=string_field(fields, "id") or f"src_{position}",
        excerpt=string_field(fields, "excerpt"),
        start=integer_field(fields, "start", minimum=0),
        end=integer_field(fields, "end", minimum=0),
        url=string_field(fields, "url") or None,
        plugin=string_field(fields, "plugin") or None,
        **_place_fields(fields),
    )


def conflict(fields: Raw, *, position: int) -> Conflict:
    return Conflict(
        topic=string_field(fields, "topic"),
        positions=read_each(fields.get("positions"), _stance),
        kind=string_field(fields, "kind"),
        is_certain=fields.get("certain") is True,
        is_resolved=fields.get("resolved") is True,
        resolution=string_field(fields, "resolution"),
        raw=fields,
    )


def _stance(fields: Raw, *, position: int) -> Position:
    return Position(
        plugin=string_field(fields, "plugin"),
        expert=string_field(fields, "expert"),
        stance=string_field(fields, "stance"),
        citations=string_list(fields.get("citations")),
    )


def decision_step(fields: Raw, *, position: int) -> DecisionStep:
    return DecisionStep(
        step=integer_field(fields, "step") or position,
        node=string_field(fields, "node"),
        label=string_field(fields, "label"),
        value=_value_text(fields.get("value")),
        result=_value_text(fields.get("result")),
        raw=fields,
    )


def sibling(value: Any) -> Sibling | None:
    fields = as_mapping(value)
    asked, found = string_field(fields, "asked"), string_field(fields, "found")
    return Sibling(asked=asked, found=found, place=string_field(fields, "place")) if asked and found else None


def nearest_source(fields: Raw, *, position: int) -> NearestSource:
    return NearestSource(excerpt=string_field(fields, "excerpt") or None, **_place_fields(fields))


def _place_fields(fields: Raw) -> dict[str, Any]:
    """What a citation and a nearest source have in common."""
    return {
        "document": string_field(fields, "document"),
        "page": integer_field(fields, "page"),
        "page_label": string_field(fields, "pageLabel") or None,
        "ocr": fields.get("ocr") is True,
        "section": string_field(fields, "section") or None,
        "document_id": string_field(fields, "documentId") or None,
        "score": number_field(fields, "score"),
        "path": string_field(fields, "path") or None,
        "start_line": integer_field(fields, "startLine", minimum=1),
        "end_line": integer_field(fields, "endLine", minimum=1),
        "file_hash": string_field(fields, "fileHash") or None,
        "commit": string_field(fields, "commit") or None,
        "raw": fields,
    }


def clarification(value: Any) -> Clarification | None:
    """None unless it is an object with a question: there would be nothing to answer."""
    fields = as_mapping(value)
    question = string_field(fields, "question")
    if not question:
        return None
    return Clarification(
        question=question,
        options=string_list(fields.get("options")),
        field=string_field(fields, "field"),
        token=string_field(fields, "token"),
        raw=fields,
    )


def confidence_basis(value: Any) -> ConfidenceBasis | None:
    fields = as_mapping(value)
    if not fields:
        return None
    return ConfidenceBasis(
        explanation=string_field(fields, "explanation"),
        is_calibrated=fields.get("calibrated") is True,
        probability=number_field(fields, "probability"),
    )


def usage(value: Any) -> Usage:
    fields = as_mapping(value)
    return Usage(
        prompt_tokens=integer_field(fields, "promptTokens", minimum=0) or 0,
        completion_tokens=integer_field(fields, "completionTokens", minimum=0) or 0,
    )


def me(value: Any) -> Me:
    fields = as_mapping(value)
    return Me(
        owner=_display_name(fields.get("owner")),
        key_name=_display_name(fields.get("key")),
        capabilities=string_list(fields.get("capabilities")),
        plugins=plugins(fields.get("plugins")),
        has_more_plugins=fields.get("morePlugins") is True,
        limits=_limits(fields.get("limits")),
        left=read_each(fields.get("left"), _remaining_limit),
        raw=fields,
    )


def _limits(value: Any) -> Limits | None:
    fields = as_mapping(value)
    if not fields:
        return None
    return Limits(
        per_minute=integer_field(fields, "perMinute", minimum=0),
        per_day=integer_field(fields, "perDay", minimum=0),
    )


def _remaining_limit(fields: Raw, *, position: int) -> Left:
    return Left(
        per=string_field(fields, "per"),
        limit=integer_field(fields, "limit", minimum=0) or 0,
        remaining=integer_field(fields, "remaining", minimum=0) or 0,
        reset_seconds=integer_field(fields, "resetSeconds", minimum=0) or 0,
    )


def plugins(value: Any) -> list[PluginInfo]:
    """A list of plugins: bare, or under the key `results` or `plugins`. Those without a slug cannot be asked."""
    if isinstance(value, Mapping):
        value = value.get("results", value.get("plugins"))
    listed = [{"slug": item} if isinstance(item, str) else item for item in _as_list(value)]
    return [found for found in read_each(listed, plugin_info) if found.slug]


def plugin(value: Any) -> PluginInfo:
    return plugin_info(value if isinstance(value, dict) else {}, position=0)


def plugin_info(fields: Raw, *, position: int) -> PluginInfo:
    slug = string_field(fields, "slug")
    return PluginInfo(
        slug=slug,
        name=string_field(fields, "name") or slug,
        tagline=string_field(fields, "tagline"),
        description=string_field(fields, "description"),
        domain=string_field(fields, "domain"),
        version=string_field(fields, "version") or None,
        tags=string_list(fields.get("tags")),
        config=config if isinstance(config := fields.get("config"), dict) else {},
        raw=fields,
    )


# --- Single values -------------------------------------------------------------------------------------------


def read_each(value: Any, read: Callable[..., T]) -> list[T]:
    """What `read` makes of each object in a list. Positions count everything, so they match the text's marks."""
    return [
        read(item, position=position) for position, item in enumerate(_as_list(value), 1) if isinstance(item, Mapping)
    ]


def as_mapping(value: Any) -> Raw:
    return value if isinstance(value, Mapping) else {}


def _as_list(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list) else []


def string_field(fields: Raw, name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def string_list(value: Any) -> list[str]:
    return [item for item in _as_list(value) if isinstance(item, str)]


def number_field(fields: Raw, name: str) -> float | None:
    value = fields.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:  # JSON has integers that no float can hold
        return None
    return number if math.isfinite(number) else None


def integer_field(fields: Raw, name: str, *, minimum: int = 1) -> int | None:
    number = number_field(fields, name)
    return int(number) if number is not None and number.is_integer() and number >= minimum else None


def _value_text(value: Any) -> str | None:
    """A step's value as text. Trees know numbers and yes or no; servers have sent them bare."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    return value if isinstance(value, str) else None


def _display_name(value: Any) -> str:
    """The name of an owner or a key, which may be a text or an object with a name."""
    if isinstance(value, str):
        return value
    fields = as_mapping(value)
    return next((text for name in ("name", "email") if (text := string_field(fields, name))), "")
