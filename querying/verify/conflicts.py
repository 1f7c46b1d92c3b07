"""Sources that contradict each other: the same subject, another value. Better none than a false alarm."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from knowledge.search import Passage
from knowledge.terms import terms
from querying.verify.association import is_rival
from querying.verify.contrasts import contradicts
from querying.verify.figures import Quantity
from querying.verify.generic import content
from querying.verify.modality import says_more
from querying.verify.negation import flips
from querying.verify.quantities import figures
from querying.verify.spans import sentences_of

# Words that reading figures puts into a text which does not say them: "1 x 2" for "1×2", "5 years after".
_PUT_IN = frozenset(terms("x year"))
# Fewer content words do not make a subject that is surely the same.
_FEWEST_WORDS = 3


def conflicting_sentences(
    excerpt: str, *, source: Passage, passages: Sequence[Passage]
) -> Iterator[tuple[Passage, int, int]]:
    """Sentences of other documents that speak of exactly the same, and give another value or deny it.

    Yields the passage and the place in its content, the best passages first.
    """
    if len(_subject(excerpt)) < _FEWEST_WORDS:
        return
    for passage in passages:
        if passage.document_id != source.document_id and _is_about_the_same(source, passage, excerpt):
            for start, end in sentences_of(passage.content):
                if disagree(excerpt, passage.content[start:end]):
                    yield passage, start, end


def disagree(one: str, other: str) -> bool:
    """Whether two sentences about the same subject exclude each other."""
    # Most sentences lack a word of the subject, which shows without reading their figures.
    if not _subject(one) <= content(other) | _PUT_IN or _subject(one) != _subject(other):
        return False
    mine, theirs = figures(one), figures(other)
    if len(mine.quantities) != len(theirs.quantities) or len(mine.quantities) > 1:
        return False
    if {name.code for name in mine.names} != {name.code for name in theirs.names} or _differ(one, other):
        return False
    if flips(one, other):
        return True
    return any(_exclude(a, b) for a, b in product(mine.quantities, theirs.quantities))


def _differ(one: str, other: str) -> bool:
    """They speak of different cases: not "very severe" and "severe", not "above" and "below"."""
    return any(contradicts(*pair) or says_more(*pair) for pair in ((one, other), (other, one)))


def _subject(text: str) -> frozenset[str]:
    return content(figures(text).words)


def _exclude(one: Quantity, other: Quantity) -> bool:
    """Different values under the same bound, none inside the other's range, both with a unit."""
    if one.units == ("",) or other.units == ("",) or one.bound != other.bound or not is_rival(one, other):
        return False
    return one.units != other.units or one.low > other.high or other.low > one.high


def _is_about_the_same(one: Passage, other: Passage, excerpt: str) -> bool:
    """Not under headings that name different things ("Columns" and "Beams")."""
    mine, theirs = (_heading(passage) - _subject(excerpt) for passage in (one, other))
    return not mine or not theirs or bool(mine & theirs)


def _heading(passage: Passage) -> frozenset[str]:
    above = content(passage.section_path[-1]) if passage.section_path else frozenset()
    return above - content(passage.document_title)
