"""Whether a sentence denies: one that does cannot bear out one that does not, nor the other way round."""

from __future__ import annotations

import re

# "Not less than 45 mm" states a minimum; it denies nothing.
_BOUND = re.compile(
    r"\b(?:not|no|never)\s+(?:be\s+)?(?:less|more|fewer|greater|later|earlier|smaller|larger|lower|higher)\s+than\b"
    r"|\b(?:not|never)\s+(?:to\s+)?exceed\w*|\bnot\s+only\b|\bno\s+later\b|\bwhether\s+or\s+not\b",
    re.IGNORECASE,
)
_DENIAL = re.compile(
    r"\b(?:not|no|never|none|neither|nor|cannot|without|nobody|nothing|nowhere)\b|n['’]t\b"
    r"|\b(?:exclud|prohibit|forbid|forbad|refus|den(?:y|ies|ied|ial)|ineligib|unable|lack)\w*",
    re.IGNORECASE,
)


def denies(text: str) -> bool:
    return _DENIAL.search(_BOUND.sub(" ", text)) is not None
