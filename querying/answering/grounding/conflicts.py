"""Sources that contradict each other: the same subject, another value. Better none than a false alarm."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from knowledge.search.passages import Passage
from language.content_words import content_stems
from language.figures.figure_extraction import extract_figures
from language.figures.figure_types import Quantity
from language.negation import reverses_polarity
from language.terms import terms
from querying.answering.grounding.claim_contradictions import contradicts
from querying.answering.grounding.figure_association import exclude_each_other, is_rival_figure
from querying.answering.grounding.modality import overstates

# Words that reading figures puts into a text which does not say them: "1 x 2" for "1×2".
_NOTATION_STEMS = frozenset(terms("x"))
# Fewer content words do not make a subject that is surely the same.
_MIN_SUBJECT_WORDS = 3


def conflicting_sentences(
    excerpt: str, *, source: Passage, passages: Sequence[Passage]
) -> Iterator[tuple[Passage, int, int]]:
    """Sentences of other documents that speak of exactly the same, and give another value or deny it.

    Yields the passage and the place in its content, the best passages first.
    """
    subject = _subject_stems(excerpt)
    if len(subject) < _MIN_SUBJECT_WORDS:
        return
    for passage in passages:
        if passage.document_id != source.document_id and _headings_agree(source, passage, subject):
            for start, end in passage.sentence_spans():
                sentence = passage.content[start:end]
                if _may_have_subject(sentence, subject) and sentences_disagree(excerpt, sentence):
                    yield passage, start, end


def sentences_disagree(one: str, other: str) -> bool:
    """Whether two sentences about the same subject exclude each other."""
    subject = _subject_stems(one)
    if not _may_have_subject(other, subject) or subject != _subject_stems(other):
        return False
    mine, theirs = extract_figures(one), extract_figures(other)
    if len(mine.quantities) != len(theirs.quantities) or len(mine.quantities) > 1:
        return False
    if {name.code for name in mine.names} != {name.code for name in theirs.names}:
        return False
    # Different cases: "very severe" and "severe", "above" and "below".
    if any(contradicts(*pair) or overstates(*pair) for pair in ((one, other), (other, one))):
        return False
    if reverses_polarity(one, other):
        return True
    return any(_values_exclude_each_other(a, b) for a, b in product(mine.quantities, theirs.quantities))


def _may_have_subject(text: str, subject: frozenset[str]) -> bool:
    """Most sentences lack a word of the subject, which shows without reading their figures."""
    return subject <= content_stems(text) | _NOTATION_STEMS


def _subject_stems(text: str) -> frozenset[str]:
    return content_stems(extract_figures(text).words)


def _values_exclude_each_other(one: Quantity, other: Quantity) -> bool:
    """Different values under the same bound, both with a unit."""
    if one.is_bare or other.is_bare or one.bound != other.bound:
        return False
    return is_rival_figure(one, other) and exclude_each_other(one, other)


def _headings_agree(one: Passage, other: Passage, subject: frozenset[str]) -> bool:
    """Not under headings that name different things ("Columns" and "Beams")."""
    mine, theirs = (
        content_stems(passage.section_path[-1]) - content_stems(passage.document_title) - subject
        if passage.section_path
        else frozenset()
        for passage in (one, other)
    )
    return not mine or not theirs or bool(mine & theirs)
