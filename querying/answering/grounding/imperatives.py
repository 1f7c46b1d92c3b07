"""Orders in a document: "State that X" does not say X, and so supports no claim that X."""

from __future__ import annotations

import re
from functools import lru_cache

from language.cache_sizes import CACHED_SENTENCES
from language.lazy_pattern import lazy_pattern
from language.terms import terms

_SPEECH_VERBS = """
say state answer reply respond write print repeat mention add tell claim pretend insist assert declare quote cite
attribute output announce report recommend advise call agree deny reveal begin start introduce spell translate invent
ignore disregard forget obey
"""
_SPEECH_VERB_PATTERN = "|".join(_SPEECH_VERBS.split())
# At the head of its sentence, but for a polite word, a name with a colon, or a few words and a comma.
_IMPERATIVE = lazy_pattern(
    rf"(?:^|(?<=[.!?:;]\s)|(?<=\n))[\W_]{{0,6}}(?:[^\n.,:;]{{1,40}}[,:]\s{{1,3}})?"
    rf"(?:(?:please|now|always|then|also|just|instead|you|must|should|to|and)\s{{1,3}}){{0,4}}(?P<verb>{_SPEECH_VERB_PATTERN})\b",
    re.IGNORECASE,
)

# Whoever speaks to the reader's assistant, or of its rules, states nothing about the subject.
_ASSISTANT_ADDRESS = lazy_pattern(
    r"\b(?:assistant|chatbot|language\s+model|AI|LLM)\s?[,:]|\byou\s+are\s+now\b|\byou\s+obey\b"
    r"|\b(?:ignore|disregard|forget|override)\s+(?:\w+\s+){0,4}(?:instructions?|rules?|prompts?|above)\b"
    r"|\b(?:system\s+prompt|your\s+(?:instructions|rules|persona|prompt|new\s+task))\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=CACHED_SENTENCES)
def imperative_speech_stems(text: str) -> frozenset[str]:
    """The stems of the verbs of speech that the text gives as orders."""
    return frozenset(stem for match in _IMPERATIVE.finditer(text) for stem in terms(match["verb"]))


def is_only_instructed(claim: str, span: str) -> bool:
    """The span speaks to an assistant, or orders somebody to say what the claim says and not that it be said."""
    if _ASSISTANT_ADDRESS.search(span) and not _ASSISTANT_ADDRESS.search(claim):
        return True
    found = imperative_speech_stems(span)
    return bool(found) and not found & frozenset(terms(claim))
