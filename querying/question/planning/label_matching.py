"""Finds the labels of the documents that a question names: types, projects, statuses and tags."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from language.stop_words import STOP_WORDS
from querying.question.planning.label_vocabulary import LabelVocabulary, label_stem, stem_positions
from querying.question.planning.query_plan import Mention
from querying.question.planning.spelling import correct_spelling

KINDS = ("projects", "doc_types", "statuses", "tags")
# What documents are called whatever their type.
THINGS = frozenset(
    "post note document doc articl entri page file item piec paper record write-up up text memo anyth everyth".split()
)
_WORD = re.compile(r"[^\W_]+")
_HASH = re.compile(r"(?<!\w)#([\w/-]{2,60})")


def is_thing(word: str) -> bool:
    """Whether documents of any type are called so: "posts", "anything"."""
    return label_stem(word) in THINGS


def find_labels(text: str, vocabulary: LabelVocabulary) -> list[Mention]:
    """The labels that the text may name, in its order; of those that overlap the one with the most words.

    Inflection and typing errors do not matter. Whether a label is meant as a filter is not decided here.
    """
    places = [match.span() for match in _WORD.finditer(text)]
    labels = (label for kind in KINDS for label in getattr(vocabulary, kind))
    singular = {word.lower() for label in labels for word in _WORD.findall(label)} | THINGS
    words = {word: label_stem(one) for one in singular for word in (one, f"{one}s")}
    known = frozenset(words.values())
    stems = [_stem(text[start:end], words, known) for start, end in places]
    found: list[Mention] = [
        Mention(kind="tags", label=tag, start=match.start(), end=match.end(), is_marked=True)
        for match in _HASH.finditer(text)
        for tag in vocabulary.tags
        if tag.lower() == match[1].lower()
    ]
    for kind, label, parts in sorted(_names_of_labels(vocabulary), key=lambda name: -len(name[2])):
        for at in stem_positions(parts, stems):
            start, end = places[at][0], places[at + len(parts) - 1][1]
            if not any(one.start < end and start < one.end for one in found):
                found.append(Mention(kind=kind, label=label, start=start, end=end))
    return sorted(found, key=lambda one: one.start)


def _names_of_labels(vocabulary: LabelVocabulary) -> Iterator[tuple[str, str, Sequence[str]]]:
    """Each label with the stems that name it. "Ideas" are "idea-captures" where no other type has that word."""
    for kind in KINDS:
        for label in getattr(vocabulary, kind):
            yield kind, label, vocabulary.stems(label)
    types = {label: vocabulary.stems(label) for label in vocabulary.doc_types}
    for label, stems in types.items():
        others = {stem for other, parts in types.items() if other != label for stem in parts}
        if len(stems) > 1:
            yield from (("doc_types", label, (stem,)) for stem in stems if stem not in others | THINGS | STOP_WORDS)
        if not others & {"note"} and "note" not in stems:  # "meeting notes" are meetings
            yield "doc_types", label, (*stems, "note")


def _stem(word: str, words: dict[str, str], stems: frozenset[str]) -> str:
    """The stem of the word, or of the label's word that it is a misspelling of."""
    stem = label_stem(word)
    return stem if stem in stems else words.get(correct_spelling(word.lower(), words) or "", stem)
