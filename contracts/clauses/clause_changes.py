"""Two versions of a contract, clause beside clause, and the sentences in which they differ."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from contracts.clauses.parsed_contract import Clause, TextSpan
from language.sentences import sentence_spans
from language.terms import terms

# Clauses that share less of their words than this are no versions of each other.
_MIN_LIKENESS = 0.35
_SAME_HEADING, _SAME_NUMBER = 0.3, 0.2
# Up to this many clauses without a counterpart are compared pair by pair; of more, only those with the same name.
_MAX_PAIRED = 400
_NUMBER = re.compile(
    r"[\s#*>-]{0,12}(?:(?i:article|section|clause)\s{1,3})?"
    r"(?:\d{1,3}(?:\.\d{1,3}){1,5}|\d{1,3}(?=[.)])|[IVXLC]{1,7}(?=[.)]))[.)]?\s{1,4}(?=[A-Z\"“‘'(])"
)
# The number of a clause that stands as a sentence of its own.
_ONLY_NUMBER = re.compile(r"[\s#*>-]{0,12}(?:\d{1,3}(?:\.\d{1,3}){0,5}|[IVXLC]{1,7})[.)]\s{0,9}")


@dataclass(frozen=True, kw_only=True)
class ClauseChange:
    """A clause of the earlier version and its counterpart (None: it is gone, or new), and the sentences of each that
    the other has not."""

    earlier: Clause | None
    later: Clause | None
    removed: tuple[TextSpan, ...]
    added: tuple[TextSpan, ...]

    @property
    def label(self) -> str:
        """The name of the clause, in the later version if it is there."""
        labels = [clause.label for clause in (self.later, self.earlier) if clause and clause.label]
        first = next((span.text for span in (*self.added, *self.removed)), "")
        return labels[0] if labels else " ".join(first.split())[:80]

    @property
    def text(self) -> str:
        """What differs, in one text."""
        return " ".join(span.text for span in (*self.added, *self.removed))


def find_changes(earlier: Sequence[Clause], later: Sequence[Clause]) -> list[ClauseChange]:
    """What changed, in the order of the later version; what is gone comes last. A clause that was only numbered anew or
    moved has not changed."""
    before, after = _without_counterparts(earlier, later)
    pairs = _pair_clauses(before, after)
    paired = {clause.position for clause, _ in pairs}
    counterpart = {new.position: old for old, new in pairs}
    changes = [_clause_change(counterpart.get(clause.position), clause) for clause in after]
    changes += [_clause_change(clause, None) for clause in before if clause.position not in paired]
    return [change for change in changes if change.added or change.removed]


def _without_counterparts(earlier: Sequence[Clause], later: Sequence[Clause]) -> tuple[list[Clause], list[Clause]]:
    """The clauses of both that the other does not have word for word."""
    known: defaultdict[str, deque[Clause]] = defaultdict(deque)
    for clause in earlier:
        known[_body(clause.text)].append(clause)
    after = []
    for clause in later:
        same = known[_body(clause.text)]
        if same:
            same.popleft()
        else:
            after.append(clause)
    left = {clause.position for clauses in known.values() for clause in clauses}
    return [clause for clause in earlier if clause.position in left], after


def _body(text: str) -> str:
    """The words of a clause or a sentence, without the number before them; "" where there is nothing else."""
    if _ONLY_NUMBER.fullmatch(text):
        return ""
    number = _NUMBER.match(text)
    return " ".join(text[number.end() if number else 0 :].split()).casefold()


def _pair_clauses(earlier: Sequence[Clause], later: Sequence[Clause]) -> list[tuple[Clause, Clause]]:
    """Each with its counterpart, the likest first; none is in two pairs."""
    is_much = max(len(earlier), len(later)) > _MAX_PAIRED
    stems = {id(clause): frozenset(terms(clause.text)) for clause in (*earlier, *later)}
    scored = [
        (-_likeness(old, new, stems[id(old)], stems[id(new)]), abs(old.position - new.position), at, to)
        for at, old in enumerate(earlier)
        for to, new in enumerate(later)
        if not is_much or old.label == new.label != ""
    ]
    pairs, taken_before, taken_after = [], set(), set()
    for negative, _, at, to in sorted(scored):
        if -negative >= _MIN_LIKENESS and at not in taken_before and to not in taken_after:
            taken_before.add(at)
            taken_after.add(to)
            pairs.append((earlier[at], later[to]))
    return pairs


def _likeness(old: Clause, new: Clause, mine: frozenset[str], theirs: frozenset[str]) -> float:
    shared = len(mine & theirs) / (len(mine | theirs) or 1)
    has_heading = bool(old.heading) and old.heading.casefold() == new.heading.casefold()
    has_number = bool(old.number) and old.number == new.number
    return shared + _SAME_HEADING * has_heading + _SAME_NUMBER * has_number


def _clause_change(old: Clause | None, new: Clause | None) -> ClauseChange:
    before, after = list(_clause_sentences(old)), list(_clause_sentences(new))
    said_before, said_after = ({_body(span.text) for span in spans} for spans in (before, after))
    return ClauseChange(
        earlier=old,
        later=new,
        removed=tuple(span for span in before if _body(span.text) not in said_after | {""}),
        added=tuple(span for span in after if _body(span.text) not in said_before | {""}),
    )


def _clause_sentences(clause: Clause | None) -> Iterator[TextSpan]:
    for span in clause.spans if clause else ():
        for start, end in sentence_spans(span.text):
            yield TextSpan(
                page_id=span.page_id,
                page_number=span.page_number,
                start=span.start + start,
                end=span.start + end,
                text=span.text[start:end],
            )
