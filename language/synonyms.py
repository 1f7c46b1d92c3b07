"""Everyday words that mean the same, and irregular forms that stemming does not bring together."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from language.terms import terms

# One group a line.
_SYNONYM_GROUPS = Path(__file__).with_name("synonyms.txt")
# One thing and several of it; none whose stem is that of a word of another meaning: “person” and “personal”, “foot” and
# “footing”, “leaves” and “leave”, “vertices” and “vertical”.
_IRREGULAR_PLURALS = """
child children|grandchild grandchildren|woman women|tooth teeth|goose geese|mouse mice
ox oxen|wolf wolves|knife knives|wife wives|half halves|shelf shelves|loaf loaves|thief thieves|crisis crises
analysis analyses|hypothesis hypotheses|criterion criteria|phenomenon phenomena|bacterium bacteria|matrix matrices
"""


@cache
def _synonyms_by_stem() -> dict[str, frozenset[str]]:
    groups = _SYNONYM_GROUPS.read_text(encoding="utf-8")
    return _others_by_stem(f"{groups}{_IRREGULAR_PLURALS}")


@cache
def _numbers_by_stem() -> dict[str, frozenset[str]]:
    return _others_by_stem(_IRREGULAR_PLURALS)


def _others_by_stem(groups: str) -> dict[str, frozenset[str]]:
    meaning: dict[str, set[str]] = {}
    for group in groups.replace("\n", "|").split("|"):
        stems = {stem for word in group.split() for stem in terms(word)}
        for stem in stems:
            meaning.setdefault(stem, set()).update(stems - {stem})
    return {stem: frozenset(others) for stem, others in meaning.items()}


def synonyms_of(stem: str) -> frozenset[str]:
    """The synonyms of this stem, as stems."""
    return _synonyms_by_stem().get(stem, frozenset())


def with_other_numbers(stems: Iterable[str]) -> frozenset[str]:
    """The stems, and for those of “child” or “teeth” that of “children” or “tooth”, which stemming does not bring
    together."""
    known = frozenset(stems)
    return known.union(*(_numbers_by_stem().get(stem, frozenset()) for stem in known))
