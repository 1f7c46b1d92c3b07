"""Decides which documents are in force. Superseded documents, and those that are not valid yet, are not cited unless
the question asks for them.

Without `asOf` the day is today. A document out of force is read nevertheless if the caller names it (by a filter on
documents or on their status), or if the question does: by a year, an edition or a version in its title, or by asking
for old or future documents. "In force in 2015" reads what was valid then. If nothing in force is good enough to answer
from, documents out of force are read as a last resort, and the answer says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from knowledge.models import Document
from knowledge.search.filters import Filters
from knowledge.search.passages import Passage
from knowledge.sync.library_layout import DESIGN, LIBRARY_FOLDER, STALE
from language.lazy_pattern import lazy_pattern
from language.month_names import MONTH_PATTERN, month_number
from language.number_words import ORDINALS
from querying.question.resolve import ResolvedQuestion
from querying.types.answer import Citation
from querying.types.evidence import SUFFICIENCY_THRESHOLD

_DOCUMENT_NOUN = (
    r"(?:edition|version|issue|revision|release|code|standard|polic(?:y|ies)|rules?|regulations?|clauses?|handbook"
    r"|guide(?:line)?s?|manual|agreement|contract|plan|document|requirements?|values?|provisions?)"
)
_ASKS_FOR_OLD = lazy_pattern(
    rf"\b(?:superseded|withdrawn|outdated|deprecated|obsolete|historical(?:ly)?|repealed|no\s+longer\s+(?:valid|in\s+force)|used\s+to"
    rf"|(?:previous|former|old|older|earlier|prior|past)\s+(?:\w+\s+)?{_DOCUMENT_NOUN})\b",
    re.IGNORECASE,
)
_ASKS_FOR_NEW = lazy_pattern(
    rf"\b(?:not\s+yet\s+(?:valid|in\s+force)|(?:upcoming|coming|future|next)\s+(?:\w+\s+)?{_DOCUMENT_NOUN})\b",
    re.IGNORECASE,
)
_DAY_PATTERN = (
    r"(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)-(?P<day>\d\d)"
    rf"|(?P<day2>\d{{1,2}})\s+(?P<name>{MONTH_PATTERN})\s+(?P<year2>(?:19|20)\d\d)|(?P<year3>(?:19|20)\d\d)"
)
_ASKS_FOR_DAY = lazy_pattern(
    r"\b(?:as\s+(?:of|at|on)|(?:in\s+(?:force|effect)|valid|effective|applicable|back)\s+(?:in|on|at|until|before|during))"
    rf"\s+(?:the\s+year\s+)?(?:{_DAY_PATTERN})\b",
    re.IGNORECASE,
)
_NAMED_VERSION = lazy_pattern(
    r"\b(?:(?:19|20)\d\d|v\d+(?:\.\d+){0,3}|(?:version|edition|issue|revision|rev\.?|release)\s+[\dA-Z][\d.]{0,9}"
    rf"|(?:\d{{1,2}}(?:st|nd|rd|th)|{'|'.join(ORDINALS)})\s+edition)(?!\w)",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class OutOfForce(Passage):
    """A passage of a document that is not in force today, and why it was read nevertheless."""

    superseded_on: date | None
    effective_from: date | None
    is_last_resort: bool  # the documents in force are not good enough to answer from

    @property
    def state(self) -> str:
        """ "superseded on 2020-01-01" or "valid from 2030-01-01"."""
        if self.superseded_on:
            return f"superseded on {self.superseded_on.isoformat()}"
        return f"valid from {self.effective_from.isoformat()}" if self.effective_from else ""


PassageSearch = Callable[[Filters | None], Sequence[Passage]]
PassageStrength = Callable[[Sequence[Passage]], float]


def passages_in_force(
    question: ResolvedQuestion, *, find: PassageSearch, strength: PassageStrength
) -> Sequence[Passage]:
    """The passages to answer from. `find` searches under filters, and `strength` rates the result.

    Costs one small statement more if a document that was found has dates of validity, and one if files of a library
    were found.
    """
    return _mark_stale(_choose_passages(question, find=find, strength=strength))


def _choose_passages(
    question: ResolvedQuestion, *, find: PassageSearch, strength: PassageStrength
) -> Sequence[Passage]:
    given, text = question.options.filters or Filters(), question.search_text
    if given.as_of:
        return find(given)
    if day := requested_day(text):
        return find(replace(given, as_of=day))
    today = timezone.localdate()
    found = find(given or None)
    others = _documents_out_of_force(found, today)
    if not others:
        return found
    if given.document_ids is not None or given.statuses:
        return _mark_out_of_force(found, others)
    requests = {True: _ASKS_FOR_OLD, False: _ASKS_FOR_NEW}
    asked = [pk for pk, one in others.items() if requests[_is_superseded(one, today)].search(text)]
    if asked:
        return _mark_out_of_force(find(replace(given, document_ids=tuple(sorted(asked)))), others)
    versions = set(_version_names(text))
    named = {pk for pk, document in others.items() if not versions.isdisjoint(_version_names(document.title))}
    current = find(replace(given, as_of=today, validity_exempt_ids=tuple(sorted(named))))
    if named or _is_sufficient(question, strength(current)) or not _is_sufficient(question, strength(found)):
        return _mark_out_of_force(current, others)
    return _mark_out_of_force(found, others, is_last_resort=True)


def requested_day(question: str) -> date | None:
    """The day whose rules a question asks for ("in force on 1 March 2019"). A year means its last day."""
    found = _ASKS_FOR_DAY.search(question)
    if found is None:
        return None
    year = int(found["year"] or found["year2"] or found["year3"])
    month, day = 12, 31
    if found["name"]:
        month = month_number(found["name"])
        day = int(found["day2"])
    elif found["month"]:
        month, day = int(found["month"]), int(found["day"])
    try:
        return date(year, month, day)
    except ValueError:
        return None


def without_requested_day(question: str) -> str:
    """The question without "as of 2015": the day selects the documents, so passages need not mention it."""
    return _ASKS_FOR_DAY.sub("", question)


def is_last_resort(citation: Citation) -> bool:
    """Whether it is of a document that is not in force and was read because none in force answers."""
    return isinstance(citation.passage, OutOfForce) and citation.passage.is_last_resort


def validity_note(citations: Iterable[Citation]) -> str:
    """A short sentence on the cited sources that are out of force or stale, with their numbers; empty if there are
    none.

    It contains no date, because every number in an answer must stand in a cited span.
    """
    citations = list(citations)
    cited = [(one.number, one.passage) for one in citations if isinstance(one.passage, OutOfForce)]
    stale = [f"[Source {one.number}]" for one in citations if one.passage.is_stale]
    clauses = [f"what is quoted here is older than the file that it describes {' '.join(stale)}"] if stale else []
    if not (cited or stale):
        return ""
    for state, is_old in (("no longer in force", True), ("not yet in force", False)):
        marks = [f"[Source {number}]" for number, passage in cited if bool(passage.superseded_on) is is_old]
        if marks:
            clauses.append(f"what is quoted here is {state} {' '.join(marks)}")
    sentence = "; ".join(clauses)
    if any(passage.is_last_resort for _, passage in cited):
        sentence += "; nothing that is in force answers the question"
    return f"Note: {sentence}."


def _documents_out_of_force(passages: Sequence[Passage], today: date) -> dict[UUID, Document]:
    """The documents of the passages that are not valid on this day, by id."""
    dated = {passage.document_id for passage in passages if passage.has_validity_dates}
    if not dated:
        return {}
    documents = Document.objects.filter(pk__in=dated)
    is_out_of_force = Q(effective_from__gt=today) | Q(superseded_on__lte=today)
    return documents.filter(is_out_of_force).only("title", "effective_from", "superseded_on").in_bulk()


def _mark_stale(passages: Sequence[Passage]) -> Sequence[Passage]:
    """The passages; those of design files that are older than their sources are marked as stale."""
    designs = {one.document_id for one in passages if one.path.startswith(f"{LIBRARY_FOLDER}/")}
    if not designs:
        return passages
    stale = set(Document.objects.filter(pk__in=designs, doc_type=DESIGN, doc_status=STALE).values_list("pk", flat=True))
    return [
        replace(one, is_stale=True) if one.document_id in stale and not isinstance(one, OutOfForce) else one
        for one in passages
    ]


def _is_superseded(document: Document, today: date) -> bool:
    return document.superseded_on is not None and document.superseded_on <= today


def _version_names(text: str) -> Iterator[str]:
    """The years, editions and versions that the text names."""
    for match in _NAMED_VERSION.finditer(text):
        yield " ".join(match.group().lower().rstrip(".").split())


def _is_sufficient(question: ResolvedQuestion, strength: float) -> bool:
    own = question.release.evidence_threshold
    return strength >= (SUFFICIENCY_THRESHOLD if own is None else own)


def _mark_out_of_force(
    passages: Sequence[Passage], others: dict[UUID, Document], *, is_last_resort: bool = False
) -> list[Passage]:
    return [
        _out_of_force_passage(passage, document, is_last_resort) if document else passage
        for passage, document in ((passage, others.get(passage.document_id)) for passage in passages)
    ]


def _out_of_force_passage(passage: Passage, document: Document, is_last_resort: bool) -> OutOfForce:
    is_old = _is_superseded(document, timezone.localdate())
    return OutOfForce(
        **{field.name: getattr(passage, field.name) for field in fields(passage)},
        superseded_on=document.superseded_on if is_old else None,
        effective_from=document.effective_from,
        is_last_resort=is_last_resort,
    )
