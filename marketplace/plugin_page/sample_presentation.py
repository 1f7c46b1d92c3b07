"""The sample answer of a plugin's page, as visitors see it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from accounts.models import User
from querying.presentation.answer import AnswerPresentation, present_answer


def present_sample_answer(sample: Mapping[str, Any], *, viewer: User | None) -> AnswerPresentation | None:
    """What `sample.sample_of` keeps; None for an empty one."""
    if not sample:
        return None
    return present_answer(sample["question"], sample, viewer=viewer, seconds=sample.get("seconds"))
