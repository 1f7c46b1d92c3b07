"""The words that stated a tree's facts, where the pages say something else for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from language.terms import terms
from language.word_runs import run_starts


def options_of_unsaid_words(options_by_words: Mapping[str, Sequence[str]], texts: Iterable[str]) -> dict[str, str]:
    """For words that stated a fact and that none of the texts says, the tree's option that one of them says; for a
    number, which has no option, "".

    The author of the tree has declared that the words mean the option: where “Portugal” stands for “European Union”, a
    page about the European Union answers. A number has been compared with the limits of the tree, and no page need say
    it: “10 days” is said where both stand together. Small letters, so that an option is no name that was asked for.
    """
    words_of_texts = [terms(text) for text in texts]
    said = set(chain.from_iterable(words_of_texts))
    found = {}
    for words, options in options_by_words.items():
        if not options and not any(_says(text, words) for text in words_of_texts):
            found[words] = ""
        known = [option for option in options if terms(option) and said.issuperset(terms(option))]
        if known and not said.issuperset(terms(words)):
            found[words] = " ".join(known).lower()
    return found


def _says(text: Sequence[str], words: str) -> bool:
    return any(True for _ in run_starts(terms(words), text))
