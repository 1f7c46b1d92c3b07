"""What kind of thing the cells of a column hold: money, a number, a time, a person, a place. Figures tell the first
ones, the embedder and the names of people the others."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from knowledge.embedders import local_embedder
from language.figures.figure_extraction import extract_figures
from language.units import CURRENCIES, are_units_comparable
from querying.question.column_questions import QUESTIONS, ColumnKind
from querying.redaction.person_names import find_person_names

Vectors = NDArray[np.float32]

# So many cells tell what a column holds.
SAMPLE_CELLS = 5
_MAX_CELL_CHARACTERS = 120
_MAX_CACHED_COLUMNS = 512
_CLOCK_TIME = re.compile(r"(?<!\d)\d{1,2}:\d\d(?!\d)")
_MIN_PLACE_NEARNESS = 0.3

# What a column of words may hold besides places, each described in a few words.
_PLACES = ("a place", "an address in a street", "a room in a building", "a town or site")
_NO_PLACES = (
    "a state of work",
    "a condition",
    "a company",
    "a manufacturer",
    "a description",
    "a material",
    "an instruction",
    "a category",
    "a colour",
)


@lru_cache(maxsize=_MAX_CACHED_COLUMNS)
def figure_kind(values: tuple[str, ...]) -> ColumnKind:
    """What the figures of most cells are; OTHER where they are words."""
    kinds = Counter(_kind_of_figures(value[:_MAX_CELL_CHARACTERS]) for value in values[:SAMPLE_CELLS])
    return kinds.most_common(1)[0][0] if kinds else ColumnKind.OTHER


def _kind_of_figures(text: str) -> ColumnKind:
    figures = extract_figures(text)
    units = {unit for quantity in figures.quantities for unit in quantity.units if unit}
    if units & CURRENCIES:
        return ColumnKind.MONEY
    if any(are_units_comparable(unit, "hour") for unit in units):
        return ColumnKind.DURATION
    if figures.dates:
        return ColumnKind.DATE
    if _CLOCK_TIME.search(text):
        return ColumnKind.HOURS
    if units:
        return ColumnKind.MEASURE
    is_number = bool(figures.quantities) and not any(map(str.isalpha, text))
    return ColumnKind.COUNT if is_number else ColumnKind.OTHER


@lru_cache(maxsize=_MAX_CACHED_COLUMNS)
def word_kind(head: str, values: tuple[str, ...]) -> ColumnKind:
    """What a column of words holds: people, places or something else. Raises `EmbedderError`."""
    sample = [value[:_MAX_CELL_CHARACTERS] for value in values[:SAMPLE_CELLS]]
    if sum(bool(find_person_names(value)) for value in sample) * 2 > len(sample):
        return ColumnKind.PERSON
    cells = local_embedder().embed([f"{head}: {value}" for value in sample])
    place, other = (
        float((cells @ described.T).mean(axis=0).max()) for described in (_vectors(_PLACES), _vectors(_NO_PLACES))
    )
    return ColumnKind.PLACE if place >= max(other, _MIN_PLACE_NEARNESS) else ColumnKind.OTHER


@lru_cache(maxsize=len(QUESTIONS))
def question_vectors(kind: ColumnKind) -> Vectors:
    """The questions for a kind as vectors, one a row; none for a kind without questions. Raises `EmbedderError`."""
    return _vectors(QUESTIONS[kind])


@lru_cache(maxsize=16)
def _vectors(texts: tuple[str, ...]) -> Vectors:
    vectors: Vectors = np.asarray(local_embedder().embed(list(texts)), dtype=np.float32)
    return vectors
