"""Builds the consensus of the experts' last answers from their verified sentences, without a model, so that each
sentence keeps its citation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from collaboration.collaboration_types import Consensus, Disagreement, Expert, Response, Round, Statement
from collaboration.statements import distinct_passages, statements_conflict, statements_of, supporting_citations
from querying.types.answer import Citation, Outcome
from querying.types.confidence import Confidence

_NOBODY = "None of the experts has verified information on this."


@dataclass
class _Point:
    """A statement, and the other experts whose documents support it, with the places that do."""

    statement: Statement
    supporters: dict[Expert, tuple[Citation, ...]] = field(default_factory=dict)

    @property
    def experts(self) -> list[Expert]:
        return [self.statement.expert, *self.supporters]


def build_consensus(rounds: Sequence[Round]) -> Consensus:
    """The last words of each expert, together: what several say, what one says, and what does not go together."""
    last = last_responses(rounds)
    answered = [response for response in last if response.is_answered]
    said = {one.expert: statements_of(one.answer, one.expert) for one in answered}
    disagreements = _disagreements(rounds, said)
    points = list(_points(answered, said))
    numbers = _Numbering()
    text = "\n".join(_consensus_lines(points, disagreements, last, numbers)) or _NOBODY
    return Consensus(
        text=text,
        outcome=_outcome(last),
        confidence=_confidence(answered, disagreements),
        agreement=_agreement(list(said), points, disagreements),
        citations=tuple(numbers.by_place.values()),
        owners=numbers.owners,
        disagreements=tuple(disagreements),
        key_points=tuple((one.expert, tuple(point.text for point in said.get(one.expert, ()))) for one in last),
    )


def last_responses(rounds: Sequence[Round]) -> list[Response]:
    """The last one of each expert, in the order in which they were named."""
    return list({one.expert: one for round_ in rounds for one in round_.responses}.values())


def _points(answered: Sequence[Response], said: dict[Expert, list[Statement]]) -> Iterator[_Point]:
    """Each statement once, with those who say the same."""
    passages = {one.expert: distinct_passages(one.answer.citations) for one in answered}
    covered = set[tuple[Expert, tuple[int, int, int]]]()
    for expert, statements in said.items():
        for statement in statements:
            if all((expert, citation.span) in covered for citation in statement.citations):
                continue
            point = _Point(statement=statement)
            for other in said:
                if other is not expert and (found := supporting_citations(statement.text, passages[other])):
                    point.supporters[other] = found
                    covered.update((other, citation.span) for citation in found)
            yield point


def _disagreements(rounds: Sequence[Round], said: dict[Expert, list[Statement]]) -> list[Disagreement]:
    """What does not go together in any round. It is resolved where one of the two no longer says it."""
    known: dict[tuple[str, str], Disagreement] = {}
    for round_ in rounds:
        spoken = [statements_of(one.answer, one.expert) for one in round_.responses if one.is_answered]
        for mine, theirs in combinations(spoken, 2):
            for one in mine:
                for other in theirs:
                    key = (one.text, other.text)
                    if key not in known and (conflict := statements_conflict(one, other)):
                        known[key] = Disagreement(positions=(one, other), conflict=conflict)
    return _once([_resolve(one, said) for one in known.values()])


def _once(found: Sequence[Disagreement]) -> list[Disagreement]:
    """Each pair of cited places once: the same source may be quoted in two sentences."""
    places = {tuple((at.expert, at.citations[0].span) for at in one.positions): one for one in reversed(found)}
    return list(places.values())[::-1]


def _resolve(found: Disagreement, said: dict[Expert, list[Statement]]) -> Disagreement:
    for position in found.positions:
        if all(position.text != statement.text for statement in said.get(position.expert, ())):
            return replace(found, resolution=f"{position.expert.name} no longer says so.")
    return found


# --- The text ------------------------------------------------------------------------------------------------------


class _Numbering:
    """The citations of several experts, numbered anew as they are named."""

    def __init__(self) -> None:
        self.by_place: dict[tuple[Expert, tuple[int, int, int]], Citation] = {}
        self.owners: dict[int, Expert] = {}

    def marks(self, expert: Expert, citations: Sequence[Citation]) -> str:
        return " ".join(f"[Source {self._number_of_citation(expert, citation)}]" for citation in citations)

    def _number_of_citation(self, expert: Expert, citation: Citation) -> int:
        key = (expert, citation.span)
        if key not in self.by_place:
            self.by_place[key] = replace(citation, number=len(self.by_place) + 1)
            self.owners[self.by_place[key].number] = expert
        return self.by_place[key].number


def _consensus_lines(
    points: Sequence[_Point], disagreements: Sequence[Disagreement], last: Sequence[Response], numbers: _Numbering
) -> Iterator[str]:
    standing = [one for one in disagreements if not one.resolution]
    disputed = {(at.expert, at.citations[0].span) for one in standing for at in one.positions}
    for point in sorted(points, key=lambda point: not point.supporters):
        if (point.statement.expert, point.statement.citations[0].span) not in disputed:
            yield _point_line(point, numbers)
    for one in standing:
        yield _disagreement_line(one, numbers)
    if points:
        for response in last:
            if not response.is_answered:
                yield f"{response.expert.name} has no verified answer to this."


def _point_line(point: _Point, numbers: _Numbering) -> str:
    cited = {point.statement.expert: point.statement.citations, **point.supporters}
    marks = " ".join(numbers.marks(expert, citations) for expert, citations in cited.items())
    names = join_names([expert.name for expert in point.experts])
    text, stop = _without_stop(point.statement.text)
    return f"{names} {'say' if len(point.experts) > 1 else 'says'}: {text} {marks}{stop}"


def _disagreement_line(found: Disagreement, numbers: _Numbering) -> str:
    one, other = (
        f"{at.expert.name} says “{at.text}” {numbers.marks(at.expert, at.citations)}" for at in found.positions
    )
    lead = "They disagree" if found.conflict.is_certain else "They may disagree"
    return f"{lead}: {one}, and {other}."


def _without_stop(text: str) -> tuple[str, str]:
    return (text[:-1], text[-1]) if text[-1:] in (".", "!", "?", ":") else (text, ".")


def join_names(names: Sequence[str]) -> str:
    """`A`, `A and B`, `A, B and C`."""
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


# --- The figures ------------------------------------------------------------------------------------------------


def _agreement(experts: Sequence[Expert], points: Sequence[_Point], disagreements: Sequence[Disagreement]) -> float:
    """The mean over all pairs of experts who answered: 1 if they agree on something and contradict each other nowhere,
    0 if they certainly contradict each other, ½ otherwise. 0 if only one answered."""
    standing = [one for one in disagreements if not one.resolution and one.conflict.is_certain]
    against = {frozenset(at.expert for at in one.positions) for one in standing}
    together = {frozenset(pair) for point in points for pair in combinations(point.experts, 2)}
    pairs = [frozenset(pair) for pair in combinations(experts, 2)]
    values = [0.0 if pair in against else 1.0 if pair in together else 0.5 for pair in pairs]
    return round(sum(values) / len(values), 2) if values else 0.0


def _confidence(answered: Sequence[Response], disagreements: Sequence[Disagreement]) -> Confidence:
    """The lowest confidence of the experts, and one step lower if they contradict each other."""
    if not answered:
        return Confidence.LOW
    levels = list(Confidence)
    least = min((one.answer.confidence for one in answered), key=levels.index)
    return least.step(-1 if any(not one.resolution for one in disagreements) else 0)


def _outcome(last: Sequence[Response]) -> Outcome:
    """Answered where one has answered; a question back where one has asked and none has answered."""
    outcomes = {one.answer.outcome for one in last if one.failed is None}
    return next((one for one in (Outcome.ANSWERED, Outcome.CLARIFY) if one in outcomes), Outcome.REFUSED)
