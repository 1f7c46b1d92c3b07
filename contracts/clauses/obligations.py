"""Finds obligations and dates: the sentences of a contract that oblige somebody, or name a day or a period."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from contracts.clauses.parsed_contract import Clause, TextSpan
from language.clauses import text_before_predicate
from language.figures.figure_extraction import extract_figures
from language.figures.figure_types import Quantity
from language.sentences import sentence_spans
from language.units import are_units_comparable

_DUTY = re.compile(r"\b(?:shall|must|agrees? to|undertakes? to|is obliged to|are obliged to|is required to)\b", re.I)
_PARTY = re.compile(
    r"(?:The |Each |Either |Neither |Any )?[A-Z][\w’'.&-]{1,40}(?:[ ](?:and|of|[A-Z][\w’'.&-]{0,40})){0,5}"
)
_NUMBERING = re.compile(
    r"\s{0,4}(?:[#*>-]{1,6}\s{1,4})?(?:\(?[0-9a-zA-Z.]{1,8}[.)]\s{1,4}|\d{1,3}(?:\.\d{1,3}){1,4}\s{1,4})?"
)
_MAX_SENTENCE = 2000
MAX_LABEL = 200

ObligationKind = Literal["obligation", "date", "period"]


@dataclass(frozen=True, kw_only=True)
class Obligation:
    """`party` is who has to, as the sentence begins ("" where it does not say); `when` has the days and periods that it
    names, as written."""

    clause: str
    kind: ObligationKind
    party: str
    when: str
    span: TextSpan

    def as_row(self) -> list[Any]:
        """`[clause, kind, party, when, page id, page, start, end]`: the words stand on the page."""
        place = (self.span.page_id, self.span.page_number, self.span.start, self.span.end)
        return [self.clause[:MAX_LABEL], self.kind, self.party, self.when, *place]


def find_obligations(clauses: Sequence[Clause]) -> Iterator[Obligation]:
    """Every such sentence, in the order of the contract."""
    for clause in clauses:
        for span in clause.spans:
            for start, end in sentence_spans(span.text):
                sentence = TextSpan(
                    page_id=span.page_id,
                    page_number=span.page_number,
                    start=span.start + start,
                    end=span.start + end,
                    text=span.text[start:end],
                )
                if (found := _obligation(clause, sentence)) is not None:
                    yield found


def _obligation(clause: Clause, sentence: TextSpan) -> Obligation | None:
    if len(sentence.text) > _MAX_SENTENCE:
        return None
    figures = extract_figures(sentence.text)
    days = [date.written for date in figures.dates]
    periods = [one.written for one in figures.quantities if _is_period(one)]
    has_duty = _DUTY.search(sentence.text) is not None
    if not (has_duty or days or periods):
        return None
    return Obligation(
        clause=clause.label,
        kind="obligation" if has_duty else "date" if days else "period",
        party=_party(sentence.text) if has_duty else "",
        when="; ".join([*days, *periods]),
        span=sentence,
    )


def _is_period(one: Quantity) -> bool:
    return any(unit and are_units_comparable(unit, "day") for unit in one.units)


def _party(sentence: str) -> str:
    """Whom the sentence opens with."""
    opening = _NUMBERING.match(sentence)
    begin = opening.end() if opening else 0
    subject = text_before_predicate(sentence[begin:])
    named = _PARTY.match(subject)
    return named.group() if named and subject != sentence[begin:] else ""
