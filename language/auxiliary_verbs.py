"""The auxiliary verbs of English, which open its questions that want a yes or a no."""

from __future__ import annotations

AUXILIARY_VERBS = (
    *("am", "is", "are", "was", "were", "do", "does", "did", "have", "has", "had"),
    *("can", "could", "may", "might", "must", "shall", "should", "will", "would"),
)
# In small letters: for a pattern that ignores case.
AUXILIARY_PATTERN = rf"(?:{'|'.join(AUXILIARY_VERBS)})"
