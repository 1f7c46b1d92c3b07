"""Passages of another document than the one that a question names: "Plus Plan Details" for "Standard Plan Details".

Only the titles of what was found are compared, two by two. What tells one from the other are the words that it alone
has; a question names the one of which it has all those words, and of the other not all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from uuid import UUID

from knowledge.search.passages import Passage
from language.terms import terms

# What a passage of the other document loses: about what divides the first passage from the tenth.
_OTHER_DOCUMENT_PENALTY = 0.15
# Two titles are alike when they share this share of the shorter one's words, of which the question says one.
_MIN_SHARED = 0.5


def demote_other_documents(passages: Sequence[Passage], question: str) -> list[Passage]:
    """The passages, best first; those of a document lose some of their score where the question names another one with
    a title like it."""
    titles = {one.document_id: one.document_title for one in passages}
    others = frozenset(_other_documents(titles, frozenset(terms(question))))
    if not others:
        return list(passages)
    scored = [_demoted(one) if one.document_id in others else one for one in passages]
    return sorted(scored, key=lambda one: (-one.score, one.chunk_id))


def _other_documents(titles: Mapping[UUID, str], asked: frozenset[str]) -> Iterator[UUID]:
    # A document that is named, and one with a title like it, have a word of the question in common.
    words = {document: _title_words(title) for document, title in titles.items()}
    alike = {document: each for document, each in words.items() if not each.isdisjoint(asked)}
    distinct = frozenset(alike.values())
    for document, title in alike.items():
        if any(_is_named_instead(other, title, asked) for other in distinct):
            yield document


@lru_cache(maxsize=1_024)
def _title_words(title: str) -> frozenset[str]:
    return frozenset(terms(title))


def _is_named_instead(named: frozenset[str], title: frozenset[str], asked: frozenset[str]) -> bool:
    own = named - title
    if not own or not own <= asked:
        return False
    rest, shared = title - named, named & title
    are_alike = len(shared) >= _MIN_SHARED * min(len(named), len(title)) and not shared.isdisjoint(asked)
    return are_alike and bool(rest) and not rest <= asked


def _demoted(passage: Passage) -> Passage:
    return replace(passage, score=max(0.0, passage.score - _OTHER_DOCUMENT_PENALTY))
