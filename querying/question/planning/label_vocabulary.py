"""The words that the documents at hand are labelled with, as they are written there: types, statuses, projects, tags.

They are data: a knowledge base of notes knows other types than one of standards.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Count, Func, Q, QuerySet

from knowledge.models import Document
from language.terms import terms

# Labels that only a few documents of a large collection carry are rarely asked for; the most frequent are known.
_MAX_LABELS = 500


@dataclass(frozen=True, kw_only=True)
class LabelVocabulary:
    """`dated`: the share of documents with a date, 0 to 1."""

    doc_types: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    dated: float = 0.0
    _stems: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False, compare=False)

    def stems(self, label: str) -> tuple[str, ...]:
        """How a label is recognised in a question, whatever its inflection: "daily-note" in "my daily notes"."""
        if label not in self._stems:
            self._stems[label] = tuple(map(label_stem, re.findall(r"[^\W_]+", label)))
        return self._stems[label]


def label_stem(word: str) -> str:
    """Of words that search leaves out ("how-to", "to do") the word itself without a plural; "PRDs" as "PRD"."""
    word = word[:-1] if re.fullmatch(r"[A-Z]{2,}s", word) else word
    singular = word.removesuffix("s")
    if singular and not terms(singular):
        return singular.lower()
    found = terms(word)
    return found[0] if found else word.lower()


def document_vocabulary(documents: QuerySet[Document]) -> LabelVocabulary:
    """What these documents are labelled with, the most frequent first. Two statements."""
    found = documents.order_by().aggregate(
        number=Count("pk"),
        with_date=Count("pk", filter=Q(doc_date__isnull=False)),
        types=ArrayAgg("doc_type", filter=~Q(doc_type=""), distinct=True, default=[]),
        statuses=ArrayAgg("doc_status", filter=~Q(doc_status=""), distinct=True, default=[]),
        projects=ArrayAgg("project", filter=~Q(project=""), distinct=True, default=[]),
    )
    tags = (
        documents.order_by()
        .annotate(tag=Func("tags", function="unnest"))
        .values("tag")
        .annotate(number=Count("pk"))
        .order_by("-number", "tag")
        .values_list("tag", flat=True)[:_MAX_LABELS]
    )
    return LabelVocabulary(
        doc_types=_first_labels(found["types"]),
        statuses=_first_labels(found["statuses"]),
        projects=_first_labels(found["projects"]),
        tags=tuple(tags),
        dated=found["with_date"] / found["number"] if found["number"] else 0.0,
    )


def _first_labels(labels: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(labels))[:_MAX_LABELS]


def stem_positions(stems: Sequence[str], said: Sequence[str]) -> list[int]:
    """The positions at which these stems follow one another."""
    length = len(stems)
    if not length:
        return []
    return [at for at in range(len(said) - length + 1) if list(said[at : at + length]) == list(stems)]
