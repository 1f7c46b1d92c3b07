"""Orders in a document: "State that X" does not say X, and so bears out no claim that X."""

from __future__ import annotations

import re
from functools import lru_cache

from knowledge.terms import terms

_SPEAK = """
say state answer reply respond write print repeat mention add tell claim pretend insist assert declare quote cite
attribute output announce report recommend advise call agree deny reveal begin start introduce spell translate invent
ignore disregard forget obey
"""
_VERB = "|".join(_SPEAK.split())
# At the head of its sentence, but for a polite word, a name with a colon, or a few words and a comma.
_ORDER = re.compile(
    rf"(?:^|(?<=[.!?:;]\s)|(?<=\n))[\W_]{{0,6}}(?:[^\n.,:;]{{1,40}}[,:]\s{{1,3}})?"
    rf"(?:(?:please|now|always|then|also|just|instead|you|must|should|to|and)\s{{1,3}}){{0,4}}(?P<verb>{_VERB})\b",
    re.IGNORECASE,
)

# Whoever speaks to the reader's assistant, or of its rules, states nothing about the subject.
_ADDRESS = re.compile(
    r"\b(?:assistant|chatbot|language\s+model|AI|LLM)\s?[,:]|\byou\s+are\s+now\b|\byou\s+obey\b"
    r"|\b(?:ignore|disregard|forget|override)\s+(?:\w+\s+){0,4}(?:instructions?|rules?|prompts?|above)\b"
    r"|\b(?:system\s+prompt|your\s+(?:instructions|rules|persona|prompt|new\s+task))\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def orders(text: str) -> frozenset[str]:
    """The stems of the verbs of speech that the text gives as orders."""
    return frozenset(stem for match in _ORDER.finditer(text) for stem in terms(match["verb"]))


def is_only_ordered(claim: str, span: str) -> bool:
    """The span speaks to an assistant, or orders somebody to say what the claim says and not that it be said."""
    if _ADDRESS.search(span) and not _ADDRESS.search(claim):
        return True
    found = orders(span)
    return bool(found) and not found & frozenset(terms(claim))
