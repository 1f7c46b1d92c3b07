"""What makes exceptions, so that nobody knows what is left: "every day except Monday"."""

from __future__ import annotations

import re

from language.lazy_pattern import lazy_pattern
from language.month_names import MONTH_PATTERN, WEEKDAYS

_EXCEPTION = lazy_pattern(
    r"\b(?:(?:except|excluding|exclude[sd]?|apart|other\s+than|but\s+not|not\s+on|never)\b"
    rf"|(?:all|any|every)\s+(?:\w+\s+){{1,4}}but\s+(?:(?:on|in)\s+)?(?:{'|'.join(WEEKDAYS)}|{MONTH_PATTERN}\b))",
    re.IGNORECASE,
)


def makes_exceptions(text: str) -> bool:
    """Whether the English text leaves something out of what it says."""
    return _EXCEPTION.search(text) is not None
