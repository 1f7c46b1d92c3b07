"""The words that stated a tree's facts, where the pages say something else for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from language.terms import terms

if TYPE_CHECKING:
    from trees.facts.extraction import Fact


def options_of_unsaid_words(facts: Iterable[Fact], texts: Iterable[str]) -> Mapping[str, str]:
    """For the words that stated a fact and that none of the texts says, the option of the tree; for a number "".

    The tree has compared the number with its limits, so that a page need not say it.
    The author of the tree has declared that the words mean the option: where “Portugal” stands for “European Union”, a
    page about the European Union answers.
    """
    said = set(terms(" ".join(texts)))
    return {
        fact.span: fact.value if isinstance(fact.value, str) else ""
        for fact in facts
        if fact.span and not isinstance(fact.value, bool) and not said.issuperset(terms(fact.span))
    }
