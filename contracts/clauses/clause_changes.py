"""Two versions of a contract, clause beside clause, and the sentences in which they differ."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from contracts.clauses.outline_numbers import OutlineNumbers
from contracts.clauses.parsed_contract import Clause, TextSpan
from language.sentences import sentences_by_block
from language.terms import terms

# Clauses that share less of their words than this are no versions of each other.
_MIN_LIKENESS = 0.35
_SAME_HEADING, _SAME_NUMBER = 0.3, 0.2
# Up to this many clauses without a counterpart are compared pair by pair; of more, only those with the same name.
_MAX_PAIRED = 400


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


@dataclass(frozen=True)
class _Sentence:
    """`words` are what it says, `body` the same without a number that only counts the clause ("" where there is nothing
    else)."""

    span: TextSpan
    words: str
    body: str


_Sentences = Mapping[int, Sequence[_Sentence]]  # by the position of their clause


def find_changes(earlier: Sequence[Clause], later: Sequence[Clause]) -> list[ClauseChange]:
    """What changed, in the order of the later version; what is gone comes last. A clause that was only numbered anew or
    moved has not changed."""
    said_before, said_after = _read_sentences(earlier), _read_sentences(later)
    before, after = list(earlier), list(later)
    for texts in (_whole_texts, _unnumbered_texts):  # who has the same number as well comes first
        before, after = _without_counterparts(before, after, texts(said_before), texts(said_after))
    pairs = _pair_clauses(before, after)
    paired = {clause.position for clause, _ in pairs}
    counterpart = {new.position: old for old, new in pairs}
    pairs_and_new = [(counterpart.get(clause.position), clause) for clause in after]
    gone = [(clause, None) for clause in before if clause.position not in paired]
    changes = [_clause_change(old, new, said_before, said_after) for old, new in (*pairs_and_new, *gone)]
    return [change for change in changes if change.added or change.removed]


def _read_sentences(clauses: Sequence[Clause]) -> _Sentences:
    numbers = OutlineNumbers()
    return {clause.position: list(_clause_sentences(clause, numbers)) for clause in clauses}


def _clause_sentences(clause: Clause, numbers: OutlineNumbers) -> Iterator[_Sentence]:
    for span in clause.spans:
        for block in sentences_by_block(span.text):
            counted = numbers.length(span.text[block[0][0] : block[-1][1]]) if block else 0
            for start, end in block:
                text = span.text[start:end]
                yield _Sentence(_span_within(span, start, end), _folded_text(text), _folded_text(text[counted:]))
                counted = 0


def _span_within(span: TextSpan, start: int, end: int) -> TextSpan:
    return TextSpan(
        page_id=span.page_id,
        page_number=span.page_number,
        start=span.start + start,
        end=span.start + end,
        text=span.text[start:end],
    )


def _folded_text(text: str) -> str:
    return " ".join(text.split()).casefold()


def _whole_texts(sentences: _Sentences) -> dict[int, str]:
    return {position: " ".join(one.words for one in said) for position, said in sentences.items()}


def _unnumbered_texts(sentences: _Sentences) -> dict[int, str]:
    return {position: " ".join(one.body for one in said).strip() for position, said in sentences.items()}


def _without_counterparts(
    earlier: Sequence[Clause], later: Sequence[Clause], before: Mapping[int, str], after: Mapping[int, str]
) -> tuple[list[Clause], list[Clause]]:
    """The clauses of both that the other does not have word for word. `before` and `after` are their texts."""
    known: defaultdict[str, deque[Clause]] = defaultdict(deque)
    for clause in earlier:
        known[before[clause.position]].append(clause)
    new = []
    for clause in later:
        same = known[after[clause.position]]
        if same:
            same.popleft()
        else:
            new.append(clause)
    left = {clause.position for clauses in known.values() for clause in clauses}
    return [clause for clause in earlier if clause.position in left], new


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


def _clause_change(
    old: Clause | None, new: Clause | None, said_before: _Sentences, said_after: _Sentences
) -> ClauseChange:
    before = said_before[old.position] if old else ()
    after = said_after[new.position] if new else ()
    return ClauseChange(earlier=old, later=new, removed=_not_in(after, said=before), added=_not_in(before, said=after))


def _not_in(others: Sequence[_Sentence], *, said: Sequence[_Sentence]) -> tuple[TextSpan, ...]:
    """What is said and is not among the others, not with another number either."""
    words, bodies = {one.words for one in others}, {one.body for one in others}
    return tuple(one.span for one in said if one.body and one.words not in words and one.body not in bodies)
