"""What kind of thing the cells of a column hold: money, a number, a time, a person, a place; and the questions that ask
for each kind. Figures tell the first ones, the embedder and the names of people the others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from knowledge.embedders import local_embedder
from language.figures.figure_extraction import extract_figures
from language.units import CURRENCIES, are_units_comparable
from querying.redaction.person_names import find_person_names

Vectors = NDArray[np.float32]

# So many cells tell what a column holds.
SAMPLE_CELLS = 5
_MAX_CELL_CHARACTERS = 120
_MAX_CACHED_COLUMNS = 512
_CLOCK_TIME = re.compile(r"(?<!\d)\d{1,2}:\d\d(?!\d)")
_MIN_PLACE_NEARNESS = 0.3


class ColumnKind(StrEnum):
    MONEY = "money"
    COUNT = "count"
    DURATION = "duration"
    DATE = "date"
    START = "start"
    END = "end"
    HOURS = "hours"
    PERSON = "person"
    PLACE = "place"
    MEASURE = "measure"
    OTHER = "other"


# Questions for each kind, about "it". They are compared in the embedder's space, so a few of each will do. Those of
# OTHER are for what tables of things seldom have: what is nearest to them asks for no column of another kind.
QUESTIONS: Mapping[ColumnKind, tuple[str, ...]] = {
    ColumnKind.MONEY: (
        "How much does it cost?",
        "What do you charge for it?",
        "How much do I have to pay for it?",
        "What is the price of it?",
    ),
    ColumnKind.COUNT: ("How many are there?", "How many are left?", "How many do you have?", "How many are available?"),
    ColumnKind.DURATION: ("How long does it take?", "How long does it last?", "How much time does it need?"),
    ColumnKind.DATE: ("When is it?", "What is the date of it?"),
    ColumnKind.START: ("When does it begin?", "When does it start?"),
    ColumnKind.END: ("When does it end?", "When is it due?", "Until when is it?", "What is the deadline for it?"),
    ColumnKind.HOURS: (
        "What time does it open?",
        "When is it open?",
        "What time does it start?",
        "When can I go there?",
    ),
    ColumnKind.PERSON: (
        "Who does it?",
        "Who is responsible for it?",
        "Who is in charge of it?",
        "Whom do I ask about it?",
    ),
    ColumnKind.PLACE: (
        "Where is it?",
        "Where does it take place?",
        "Where do I find it?",
        "Where can I get it?",
    ),
    ColumnKind.OTHER: (
        "How heavy is it?",
        "How big is it?",
        "What is it made of?",
        "What colour is it?",
        "How old is it?",
        "How old must I be for it?",
        "How often is it done?",
        "On which days is it?",
        "How does it work?",
        "How do I do it?",
        "Why is it?",
        "What is it?",
        "What kind is it?",
        "Who made it?",
        "What is needed for it?",
        "Is it allowed?",
        "What is the warranty of it?",
        "How long is the warranty of it?",
        "How long is it valid?",
        "How long do I have to wait for it?",
        "What is the period of notice of it?",
        "What are the terms of it?",
        "How many were sold?",
        "How many were ordered?",
        "How much was it last year?",
    ),
}
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
