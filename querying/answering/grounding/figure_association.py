"""Decides to which words a number belongs: "beams 25 mm, columns 40 mm" does not say that beams need 40 mm."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, product

from language.bound_words import AT_LEAST, AT_MOST, LESS_THAN, MORE_THAN
from language.cache_sizes import CACHED_SENTENCES
from language.clauses import split_subject, text_before_predicate
from language.content_words import content_stems
from language.figures.figure_extraction import extract_figures
from language.figures.figure_types import TOLERANCE, Identifier, Quantity, StatedDate
from language.terms import terms
from language.units import are_units_comparable, compare_amounts, is_same_amount
from querying.answering.grounding.linked_sentences import linked_sentences

_CELL_BREAK = re.compile(r"[;|\n]|[.!?](?=\s)|,(?=\s)|\s(?:and|but|while|whilst|whereas|or)\s|\s[–—-]\s", re.IGNORECASE)
_SENTENCE_BREAKS = frozenset(".!?\n")
_RESPECTIVELY = re.compile(r"\brespectively\b", re.IGNORECASE)
_LIST_SEPARATOR = re.compile(r",\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+", re.IGNORECASE)

# With more pairs of figures than this, none is compared and the claim is not supported.
_MAX_COMPARISONS = 4000

Figure = Quantity | Identifier | StatedDate


@dataclass(frozen=True)
class FigureContext:
    """A figure with the content words of its part of the sentence.

    A part is what lies between two breaks (`cell`). If several figures share a cell, each gets the words nearest to it.
    `subject` has the words that are also the subject of later cells that name none.
    """

    figure: Figure
    cell: int
    cell_words: frozenset[str]
    words: frozenset[str]
    subject: frozenset[str]


def misattributes_figure(claim: str, source: str) -> bool:
    """Whether the claim gives a figure to something to which the source gives another figure of the same kind."""
    said = figure_contexts(source)
    if len(said) < 2:
        return False
    if _misattributes(claim, said, source):
        return True
    things = [] if _RESPECTIVELY.search(claim) or _is_said_of_all(claim, said, source) else split_subject(claim)
    return any(_misattributes(one, said, source) for one in things)


def _is_said_of_all(claim: str, said: tuple[FigureContext, ...], source: str) -> bool:
    """Whether the source names all that the claim speaks of beside each figure, with no rival figure in between: what
    "a bed and breakfast" costs is not the price of a bed."""
    subject = content_stems(text_before_predicate(extract_figures(claim).words))
    words = extract_figures(source).words
    cells = [words[start:end] for start, end in pairwise(_cell_edges(words))]
    claimed = figure_contexts(claim)
    others = [each for each in said if not any(_is_same_figure(part.figure, each.figure) for part in claimed)]
    for part in claimed:
        homes = [home for home in said if _is_same_figure(part.figure, home.figure)]
        rivals = {other.cell for other in others if is_rival_figure(part.figure, other.figure)}
        if homes and rivals and not any(subject <= _words_around(home.cell, rivals, cells) for home in homes):
            return False
    return True


def _words_around(cell: int, rivals: Set[int], cells: Sequence[str]) -> frozenset[str]:
    """The words of the cell and of those beside it, as far as its sentence goes and no cell has a rival figure; none
    where it has one itself."""
    if cell in rivals:
        return frozenset()
    start, end = cell, cell + 1
    while start and cells[start][:1] not in _SENTENCE_BREAKS and start - 1 not in rivals:
        start -= 1
    while end < len(cells) and cells[end][:1] not in _SENTENCE_BREAKS and end not in rivals:
        end += 1
    return content_stems("".join(cells[start:end]))


def _misattributes(claim: str, said: tuple[FigureContext, ...], source: str) -> bool:
    claimed = _ClaimFigures(content_stems(extract_figures(claim).words), figure_contexts(claim))
    if len(claimed.parts) * len(said) > _MAX_COMPARISONS:
        return True
    return any(_figure_is_misattributed(part, claimed, said, source) for part in claimed.parts)


@dataclass(frozen=True)
class _ClaimFigures:
    words: frozenset[str]
    parts: tuple[FigureContext, ...]

    def words_of(self, part: FigureContext) -> frozenset[str]:
        """The words that belong to this figure; all words, if no other figure is of its kind."""
        others = [other for other in self.parts if is_rival_figure(part.figure, other.figure)]
        if not others:
            return self.words
        mine = part.cell_words if all(other.cell != part.cell for other in others) else part.words
        return mine.difference(*(other.words for other in others))


@lru_cache(maxsize=CACHED_SENTENCES)
def figure_contexts(text: str) -> tuple[FigureContext, ...]:
    """The figures of the text in their order, each with its words."""
    read = extract_figures(text)
    every: list[Figure] = [*read.quantities, *read.names, *read.dates]
    by_place = {(figure.start, figure.end): figure for figure in every}
    figures_in_order = sorted(by_place.values(), key=lambda figure: figure.start)
    edges = _cell_edges(read.words)
    cells = [read.words[start:end] for start, end in pairwise(edges)]
    subjects = [_subject_words(cell) for cell in cells]
    last_without = max((at for at, subject in enumerate(subjects) if not subject), default=-1)
    found = []
    for number, (start, end) in enumerate(pairwise(edges)):
        inside = [figure for figure in figures_in_order if start <= figure.start < end]
        # The words of a cell go to the nearest of its figures.
        middles = [_space_near(read.words, (one.end + after.start) // 2) for one, after in pairwise(inside)]
        subject = subjects[number] if number < last_without else frozenset()
        for figure, (begin, stop) in zip(inside, pairwise([start, *middles, end]), strict=False):
            words = content_stems(read.words[begin:stop])
            found.append(FigureContext(figure, number, content_stems(cells[number]), words, subject))
    return tuple(found)


def _cell_edges(words: str) -> list[int]:
    return [0, *(match.start() for match in _CELL_BREAK.finditer(words)), len(words)]


def _space_near(text: str, at: int) -> int:
    space = text.find(" ", at)
    return space if space >= 0 else at


def _subject_words(text: str) -> frozenset[str]:
    before = text_before_predicate(text)
    return content_stems(before) if before != text else frozenset()


def _figure_is_misattributed(
    part: FigureContext, claimed: _ClaimFigures, said: tuple[FigureContext, ...], source: str
) -> bool:
    homes = [home for home in said if _is_same_figure(part.figure, home.figure)]
    # In the source the figure may have no unit, as below "Price (EUR)", and then its rivals have none either.
    figures = [part.figure, *(home.figure for home in homes)]
    rivals = [
        other
        for other in said
        if any(is_rival_figure(figure, other.figure) for figure in figures)
        and not any(home.figure is other.figure for home in homes)
    ]
    if not homes or not rivals:
        return False
    if _RESPECTIVELY.search(source):
        return not any(_is_respectively_aligned(home, said, claimed.words_of(part), source) for home in homes)
    if _belongs_to_other_sentence(claimed.words_of(part), homes, rivals, source):
        return True
    return all(
        _shares_only_rival_words(home, rivals, part, claimed)
        or _stands_only_by_rival(home, rivals, part, claimed, said)
        for home in homes
    )


def _belongs_to_other_sentence(
    mine: frozenset[str], homes: list[FigureContext], rivals: list[FigureContext], source: str
) -> bool:
    """Whether the claim names the subject of a sentence with a rival figure, and no word that only the figure's own
    sentence has."""
    own = {text for home in homes for text in _sentences_at(source, home.figure.start)}
    others = {text for rival in rivals for text in _sentences_at(source, rival.figure.start)} - own
    if len(own) != 1:
        return False
    here = content_stems(*own)
    pairs = [(here - there, there - here) for there in map(content_stems, others)]
    return any(only_here and not mine & only_here and mine & only_there for only_here, only_there in pairs)


def _sentences_at(source: str, place: int) -> list[str]:
    return [text for start, text in linked_sentences(source, by_line=True) if start <= place < start + len(text)]


def _shares_only_rival_words(
    home: FigureContext, rivals: list[FigureContext], part: FigureContext, claimed: _ClaimFigures
) -> bool:
    """Whether the claim shares words with the part of a rival figure, and none with the figure's own part."""
    mine = claimed.words_of(part)
    for rival in rivals:
        is_apart = rival.cell != home.cell
        ours, theirs = (home.cell_words, rival.cell_words) if is_apart else (home.words, rival.words)
        own = ours - theirs - home.subject
        if own and not mine & own and mine & (theirs - ours):
            return True
    return False


def _stands_only_by_rival(
    home: FigureContext,
    rivals: list[FigureContext],
    part: FigureContext,
    claimed: _ClaimFigures,
    said: tuple[FigureContext, ...],
) -> bool:
    """Whether the claim puts the figure next to a word that the source has next to a rival figure, and not next to this
    one."""
    for other in claimed.parts:
        if other is part or other.cell != part.cell:
            continue
        cells = {place.cell for place in said if _is_same_figure(other.figure, place.figure)}
        if cells and home.cell not in cells and any(rival.cell in cells for rival in rivals):
            return True
    return False


def _is_respectively_aligned(
    home: FigureContext, said: tuple[FigureContext, ...], mine: frozenset[str], source: str
) -> bool:
    """Whether "respectively" aligns them: in "Beams and columns need 25 and 40 mm respectively" the second thing has
    the second figure."""
    row = [part.figure for part in said if is_rival_figure(home.figure, part.figure) or part is home]
    before = text_before_predicate(extract_figures(source).words[: row[0].start])
    items = [frozenset(terms(item)) for item in _LIST_SEPARATOR.split(before)][-len(row) :]
    if len(items) != len(row):
        return False
    at = row.index(home.figure)
    own = items[at].difference(*(item for i, item in enumerate(items) if i != at))
    others = frozenset().union(*(item for i, item in enumerate(items) if i != at)) - items[at]
    return bool(mine & own) or not mine & others


def _is_same_figure(one: Figure, other: Figure) -> bool:
    if isinstance(one, Quantity) and isinstance(other, Quantity):
        units = ((mine, theirs) for mine in one.units for theirs in other.units)
        return any(
            is_same_amount(one.low, mine or theirs, other.low, theirs or mine)
            and is_same_amount(one.high, mine or theirs, other.high, theirs or mine)
            for mine, theirs in units
        )
    if isinstance(one, Identifier) and isinstance(other, Identifier):
        return one.code == other.code
    if isinstance(one, StatedDate) and isinstance(other, StatedDate):
        return one.month == other.month and one.year in (0, other.year) and one.day in (0, other.day)
    return False


def is_rival_figure(one: Figure, other: Figure) -> bool:
    """Whether they are different figures of one kind."""
    if isinstance(one, Quantity) and isinstance(other, Quantity):
        kinds = ((mine, theirs) for mine in one.units for theirs in other.units)
        return not _is_same_figure(one, other) and any(are_units_comparable(mine, theirs) for mine, theirs in kinds)
    if isinstance(one, Identifier) and isinstance(other, Identifier):
        return (
            one.label == other.label and one.code != other.code and one.code[:1].isalpha() == other.code[:1].isalpha()
        )
    return isinstance(one, StatedDate) and isinstance(other, StatedDate) and not _is_same_figure(one, other)


def exclude_each_other(one: Quantity, other: Quantity) -> bool:
    """Whether two different quantities of one kind cannot both be right for the same thing. Two limits in one direction
    cannot; otherwise those that have no value in common."""
    if one.spelling or other.spelling:  # "1.500 Euro" where it may be a thousand or one and a half
        return False
    if TOLERANCE in (one.bound, other.bound) or (one.bound and one.bound == other.bound):
        return one.bound == other.bound
    return _lies_above(one, other) or _lies_above(other, one)


def _lies_above(one: Quantity, other: Quantity) -> bool:
    """Whether the least that one may be is more than the most that the other may be."""
    if one.bound in (AT_MOST, LESS_THAN) or other.bound in (AT_LEAST, MORE_THAN):
        return False
    units = product(one.units, other.units)
    return any(compare_amounts(one.low, mine, other.high, theirs) == 1 for mine, theirs in units)
