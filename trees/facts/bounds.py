"""Bounds of numbers in a text: “at least 30 days” and “18 or older” say where a number lies, not which it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from language.bound_words import (
    AT_LEAST,
    AT_MOST,
    BOUND_PHRASES,
    BOUND_WORDS,
    DOWNWARD,
    GREATER,
    LESS_THAN,
    MORE_THAN,
    SMALLER,
    UPWARD,
)
from trees.definition.nodes import Operator
from trees.facts.negation import is_foreign_negation, is_negation
from trees.quantities import QuantityMention
from trees.words import WordToken, word_set

# “30 days or more”, “at least”, “minimum” behind it are bounds too.
_BEHIND: dict[tuple[str, str], Operator] = {
    ("at", "least"): "gte",
    ("at", "most"): "lte",
    **{(link, word): "gte" for link in ("or", "and") for word in UPWARD},
    **{(link, word): "lte" for link in ("or", "and") for word in DOWNWARD},
}
_AT_THE_END = word_set("minimum maximum min max plus")
# “Almost 18”, “I turn 18 next month”.
NOT_YET_WORDS = word_set("almost nearly until till turn turns turning")
# “I doubt that it is more than 30 days”, “few work over 30 days”.
_DOUBTS = NOT_YET_WORDS | word_set("unable rarely seldom hardly barely scarcely doubt doubts doubtful unlikely few")
ARTICLES = frozenset({"a", "an", "the"})
WORDS_BEHIND = 4
_MAX_SIGN_LENGTH = 12
# An arrow (“-> 30 days”) is none. “<> 30”, “=> 30” and “<b>30” are found too, and leave open what they mean.
_SIGN = re.compile(r"(?<![-<>=≤≥])([<>]\s=|=?[<>≤≥][<>=≤≥]{0,2}|</?\w{1,8}>)\s{0,2}\Z")
_QUOTING = " \t>"
# A line break ends no sentence: the line may be too short for it. Nor does “e.g. for”, “max. 30”.
_SENTENCE_END = re.compile(r"[.;!?]\s+(?=[^\W\d_])")
_OPERATORS: dict[str, Operator] = {LESS_THAN: "lt", MORE_THAN: "gt", AT_MOST: "lte", AT_LEAST: "gte"}
_SIGNS: dict[str, Operator] = {**_OPERATORS, "≤": "lte", "≥": "gte"}
# The words that stand right before a number, and what they say of it. What else is a bound leaves the number open:
# “between 4 and 6 m” is two numbers, “minimum 18 years” may be the rule that is asked for, and “within 10 days” is a
# deadline, “within 5 m” a place.
_BEFORE: dict[tuple[str, ...], Operator] = {
    **{tuple(phrase.split()): _OPERATORS[direction] for phrase, direction in BOUND_PHRASES.items()},
    **{(negation, word, "than"): "lte" for negation in ("no", "not") for word in GREATER},
    **{(negation, word, "than"): "gte" for negation in ("no", "not") for word in SMALLER},
}
_LONGEST_BEFORE = 3


@dataclass(frozen=True, kw_only=True)
class Bound:
    """What a text says around a number, from `start` to `end`. `operator` is None where it does not say clearly on
    which side of it the value lies."""

    operator: Operator | None
    start: int
    end: int


def sentence_start(text: str, end: int) -> int:
    """Where the sentence begins in which a bound, or what denies it, may stand before the number at `end`."""
    ends = (found.end() for found in _SENTENCE_END.finditer(text, 0, end + 1))
    return max((start for start in ends if not text[start].islower()), default=0)


def find_bound(
    text: str, measure: QuantityMention, *, sentence: Sequence[WordToken], after: Sequence[WordToken]
) -> Bound | None:
    """The bound that the number is; None where it is none. `sentence` are the words of its sentence before it, and
    `after` the first `WORDS_BEHIND` behind it."""
    found = [
        one for one in (bound_before(text, measure, sentence), _bound_behind(text, measure, sentence, after)) if one
    ]
    if not found:
        return None
    operators = {one.operator for one in found}
    return Bound(
        operator=operators.pop() if len(operators) == 1 else None,
        start=min(one.start for one in found),
        end=max(one.end for one in found),
    )


def bound_before(text: str, measure: QuantityMention, sentence: Sequence[WordToken]) -> Bound | None:
    """“At least 30 days”, “over 6 m”, “> 6 m”."""
    if sign := _SIGN.search(text, max(0, measure.start - _MAX_SIGN_LENGTH), measure.start):
        operator = None if _is_quoted(text, sign) else _SIGNS.get("".join(sign[1].split()))
        operator = _unless_denied(operator, sentence)
        return Bound(operator=operator, start=sign.start(), end=measure.end)
    nearest = [word.text for word in sentence[-_LONGEST_BEFORE:]]
    if nearest and nearest[-1] in ARTICLES:  # “over a 6 m span” says where, not how much
        return None
    for length in range(len(nearest), 0, -1):
        if operator := _BEFORE.get(tuple(nearest[-length:])):
            operator = _unless_denied(operator, sentence[:-length])
            return Bound(operator=operator, start=sentence[-length].start, end=measure.end)
    if BOUND_WORDS.isdisjoint(nearest[-2:]):
        return None
    return Bound(operator=None, start=measure.start, end=measure.end)


def _bound_behind(
    text: str, measure: QuantityMention, sentence: Sequence[WordToken], after: Sequence[WordToken]
) -> Bound | None:
    """“30 days or more”, “30+ days”, “6 m at least”, and “6 m minimum” and “18 and over” where nothing follows that it
    belongs to."""
    if (plus := text.find("+", measure.start + 1, measure.end + 1)) >= 0:
        operator = _unless_denied("gte", sentence)
        return Bound(operator=operator, start=measure.start, end=max(measure.end, plus + 1))
    clause = list(takewhile(lambda word: not word.starts_clause, after))
    ends = len(clause) < len(after) or len(clause) < WORDS_BEHIND
    clause = [word for word in clause if word.text not in ARTICLES]
    behind = [*(word.text for word in clause), *([""] if ends else [])]
    for at, (word, following) in enumerate(pairwise(behind)):
        further = behind[at + 2] if at + 2 < len(behind) else "…"
        if (word, following) in _BEHIND and not _joins_another(word, further, at):
            is_clear = at == 0 and (word != "and" or not further)
            operator = _unless_denied(_BEHIND[word, following], [*sentence, *clause]) if is_clear else None
            return Bound(operator=operator, start=measure.start, end=clause[at + 1].end)
        if word in _AT_THE_END and not following:
            return Bound(operator=None, start=measure.start, end=clause[at].end)
    return None


def _joins_another(link: str, further: str, at: int) -> bool:
    """“6 m and over 3 m high”, “6 m wide and under contract”: what follows the “and” is said of something else."""
    return link == "and" and bool(further) and (at > 0 or further[0].isdigit())


def _is_quoted(text: str, sign: re.Match[str]) -> bool:
    """Whether the sign may mark a line of several as quoted: “> 30 days”."""
    line = text[: sign.start()].rpartition("\n")[2]
    return sign[1] == ">" and not line.strip(_QUOTING) and "\n" in text.strip()


def _unless_denied(operator: Operator | None, words: Sequence[WordToken]) -> Operator | None:
    """None where the other words of the sentence may deny it: “I have not been there for more than 30 days”."""
    said = (word.text for word in words)
    is_open = any(is_negation(one) or is_foreign_negation(one) or one in _DOUBTS for one in said)
    return None if is_open else operator
