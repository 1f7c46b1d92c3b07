"""Whether a question wants a yes or a no: "Can I stay for five hours?", and not "How long can I stay?"."""

from __future__ import annotations

import re

from language.auxiliary_verbs import AUXILIARY_PATTERN
from language.lazy_pattern import lazy_pattern

_CLOSED_CLAUSE = lazy_pattern(
    r"(?:^\s{0,5}|[.,;:!?]\s{1,3})(?:(?:and|but|so|then|or)\s)?"
    rf"(?:{AUXILIARY_PATTERN}(?:n?['’]t)?|won['’]t)\s\w",
    re.IGNORECASE,
)


def is_closed_question(text: str) -> bool:
    """Whether a clause of the English text begins with a verb that asks for yes or no: "I am 12, may I come?"."""
    return _CLOSED_CLAUSE.search(text) is not None
