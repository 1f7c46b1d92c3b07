"""Whose duty or right a sentence states, where the question asks for that of another: "the Receiving Party shall" is no
answer to "What must the Disclosing Party do?", though it names both. Only names are compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from language.synonyms import synonyms_of
from querying.answering.siblings.same_place import Replaced
from querying.answering.siblings.words import Word, run_end, run_start, stems_of, text_of

_MODALS = frozenset(["must", "shall", "may", "can", "will", "should"])
# In a sentence these say the same.
_BINDING = _MODALS | {"agrees", "undertakes", "warrants"}
_ARTICLES = frozenset(["the", "a", "an", "each", "any"])
_MAX_NAME_WORDS = 4
_POSSESSIVES = ("'s", "’s", "s'", "s’")


def find_other_bearer(question: str, asked: Sequence[Word], text: str, words: Sequence[Word]) -> Replaced | None:
    """Who is bound in the sentence in place of whom the question asks for; None where it is not certain."""
    wanted = _asked_bearer(asked)
    bound = list(_bearers(words))
    if not wanted or not bound or any(_are_one(wanted, one, asked) for one in bound):
        return None
    return Replaced(asked=text_of(wanted, question), found=text_of(bound[0], text))


def _are_one(wanted: Sequence[Word], bound: Sequence[Word], asked: Sequence[Word]) -> bool:
    """Whether both are one name, though one may be shorter, made of the first letters of the question's names, or
    another word for it ("Tenants", "Renters")."""
    one, other = stems_of(wanted), stems_of(bound)
    if any(synonyms_of(stem) & other for stem in one):
        return True
    initials = "".join(word.text[0] for word in asked if word.is_name).casefold()
    return one <= other or other <= one or any(word.text.casefold() in initials for word in bound)


def _asked_bearer(words: Sequence[Word]) -> Sequence[Word]:
    """The name behind the modal verb of a question."""
    for at, word in enumerate(words):
        if word.text.casefold() in _MODALS:
            first = at + 1
            while first < len(words) and words[first].text.casefold() in _ARTICLES:
                first += 1
            return _names(words[first : run_end(words, first, most=_MAX_NAME_WORDS)])
    return []


def _bearers(words: Sequence[Word]) -> Iterator[Sequence[Word]]:
    """The names right before verbs that bind."""
    for at, word in enumerate(words):
        if word.text.casefold() in _BINDING and word.follows:
            name = [one for one in words[run_start(words, at, most=_MAX_NAME_WORDS) : at] if one.is_name]
            if name and name[-1] is words[at - 1]:
                yield name


def _names(words: Sequence[Word]) -> Sequence[Word]:
    """The words that are capitalised, from the first on."""
    kept: list[Word] = []
    for word in words:
        if not word.is_name:
            break
        kept.append(word)
    # "Anna's team" is another than Anna.
    return [] if kept and kept[-1].text.endswith(_POSSESSIVES) else kept
