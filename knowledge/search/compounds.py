"""Compounds of a question ("Kündigungsfrist") as words that the documents have ("Frist", "Kündigung").

No dictionary: a compound is taken apart where both sides are words of the documents themselves, or else where one is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from django.db import DEFAULT_DB_ALIAS

from knowledge.models import TermStem
from knowledge.search.revision_statistics import BaseRevision
from knowledge.search.wording import stop_terms
from language.stemming import stem_in

# Languages that write compounds as one word.
COMPOUNDING = frozenset({"da", "de", "fi", "hu", "nl", "no", "sv"})
_MIN_PART_LETTERS = 4
_MAX_COMPOUND_LETTERS = 40
# What may stand between the parts, the longest first.
_JOINTS = ("", "es", "en", "er", "s", "n", "e")

Part = tuple[str, ...]


def parts_in_bases(
    words: Collection[str], bases: Sequence[BaseRevision], language: str, *, using: str = DEFAULT_DB_ALIAS
) -> dict[str, Part]:
    """For each of the words that is a compound of words of the bases, a term of each part. One statement, and only in
    `COMPOUNDING` languages."""
    if language not in COMPOUNDING:
        return {}
    splits = {word: list(_splits(word)) for word in words if word.isalpha() and len(word) <= _MAX_COMPOUND_LETTERS}
    stems = {part: stem_in(part, language) for found in splits.values() for pair in found for part in pair}
    if not stems:
        return {}
    known = _terms_by_stem(set(stems.values()), bases, language, using=using)
    content = {stem: term for stem, term in known.items() if term not in stop_terms(language)}
    found = {word: _best_parts(each, stems, content) for word, each in splits.items()}
    return {word: parts for word, parts in found.items() if parts}


def _splits(word: str) -> Iterator[tuple[str, str]]:
    for at in range(_MIN_PART_LETTERS, len(word) - _MIN_PART_LETTERS + 1):
        for joint in _JOINTS:
            head = word[:at].removesuffix(joint)
            if word[:at].endswith(joint) and len(head) >= _MIN_PART_LETTERS:
                yield head, word[at:]


def _best_parts(splits: Sequence[tuple[str, str]], stems: dict[str, str], known: dict[str, str]) -> Part:
    """Both parts where there are such, of the longest ones; else the longest single one."""
    whole = [pair for pair in splits if all(stems[part] in known for part in pair)]
    if whole:
        return tuple(known[stems[part]] for part in max(whole, key=lambda pair: sum(map(len, pair))))
    single = [part for pair in splits for part in pair if stems[part] in known]
    return (known[stems[max(single, key=len)]],) if single else ()


def _terms_by_stem(
    stems: Collection[str], bases: Sequence[BaseRevision], language: str, *, using: str
) -> dict[str, str]:
    """A term of the bases for each of the stems that one has."""
    rows = TermStem.objects.using(using).filter(
        knowledge_base__in=[base.knowledge_base_id for base in bases], language=language, stem__in=stems
    )
    return dict(rows.order_by("-term__text").values_list("stem", "term__text"))
