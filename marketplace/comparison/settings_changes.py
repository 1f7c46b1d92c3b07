"""The persona and the settings that differ, with both values in the words of the form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from marketplace.comparison.side_by_side import Row, compare_texts
from plugins.models import AnswerPolicy, CitationMode, Planner, Release
from plugins.synonyms import format_synonyms
from querying.answering.confidence_calibration import parse_calibration
from querying.types.evidence import SUFFICIENCY_THRESHOLD

# Written by people, over several lines: shown side by side.
_TEXTS = ("system_prompt", "audience", "tone", "limits", "disclaimer", "synonyms")


@dataclass(frozen=True, kw_only=True)
class TextChange:
    title: str
    rows: list[Row]


@dataclass(frozen=True, kw_only=True)
class SettingChange:
    title: str
    then: str
    now: str


def text_changes(now: Release, then: Release) -> list[TextChange]:
    return [
        TextChange(title=_setting_label(name), rows=compare_texts(_setting_text(then, name), _setting_text(now, name)))
        for name in _TEXTS
        if not is_same_text(getattr(now, name), getattr(then, name))
    ]


def is_same_text(one: Any, other: Any) -> bool:
    """Whether two values are equal, however lines end: an older version kept texts as browsers send them."""
    if isinstance(one, str) and isinstance(other, str):
        return one.splitlines() == other.splitlines()
    return bool(one == other)


def setting_changes(now: Release, then: Release) -> list[SettingChange]:
    """Only where what is shown differs: a curve that was fitted again on the same questions is no news."""
    names = [name for name in AnswerPolicy.policy_fields() if name not in _TEXTS]
    shown = [(name, _shown(name, getattr(then, name)), _shown(name, getattr(now, name))) for name in names]
    return [SettingChange(title=_setting_label(name), then=old, now=new) for name, old, new in shown if old != new]


def _setting_label(name: str) -> str:
    if name == "calibration":
        return "Calibration of confidence"
    label = str(AnswerPolicy._meta.get_field(name).verbose_name)  # type: ignore[union-attr]
    return label[:1].upper() + label[1:]


def _setting_text(release: Release, name: str) -> str:
    value = getattr(release, name)
    return format_synonyms(value) if name == "synonyms" else str(value)


def _shown(name: str, value: Any) -> str:
    return _SHOWN.get(name, str)(value)


def _shown_evidence(value: float | None) -> str:
    return f"{SUFFICIENCY_THRESHOLD:.2f}, the default" if value is None else f"{value:.2f}"


def _shown_calibration(value: Any) -> str:
    fitted = parse_calibration(value)
    return f"fitted on {fitted.questions} golden questions on {fitted.date}" if fitted else "none"


_SHOWN: Mapping[str, Callable[[Any], str]] = {
    "citation_mode": lambda value: CitationMode(value).label,
    "planner": lambda value: Planner(value).label,
    "threshold": lambda value: f"{value:.2f}",
    "evidence_threshold": _shown_evidence,
    "public_only": lambda value: "yes" if value else "no",
    "calibration": _shown_calibration,
}
