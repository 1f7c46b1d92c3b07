"""Judges the sentences of a segment against a plugin's documents, with the checks of citations and those of contract
reviews."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from collaboration.statements import cite_sentence, contradicting_citation, heading_of, supporting_citations
from collaboration.text_review.review_types import Annotation, Category, Segment, Severity
from contracts.review.statement_mismatches import before_exception, has_reservation
from knowledge.search.passages import Passage
from language.clauses import has_predicate
from language.content_words import content_stems
from language.sentences import sentence_spans
from querying.answering.grounding.conflict_types import ConflictKind, StatementConflict
from querying.answering.grounding.modality import states_duty
from querying.answering.grounding.statement_conflicts import is_within_bound
from querying.answering.grounding.supporting_spans import as_one_line
from querying.types.answer import Citation
from querying.types.confidence import Confidence

# Fewer content words state nothing that could be looked up, unless something is said of them: "There is a lift."
_MIN_WORDS = 2
_MAX_SENTENCES = 15
_ISSUES = {
    ConflictKind.NUMBER: "The figures differ from the source",
    ConflictKind.DUTY: "The source makes it a duty",
    ConflictKind.DENIAL: "The source says the contrary",
}


def judge_segment(segment: Segment, passages: Sequence[Passage]) -> list[Annotation]:
    """The annotations of a segment: every sentence that contradicts the documents, the first one that they support, and
    what they do not cover. A heading has none."""
    issues: list[Annotation] = []
    passed: list[Annotation] = []
    silent: list[tuple[int, int]] = []
    for start, end in statement_spans(segment):
        annotation = _judge(segment, start, end, passages)
        if annotation is None:
            silent.append((start, end))
        else:
            (passed if annotation.severity == Severity.PASS else issues).append(annotation)
    uncovered = [_not_covered(segment, silent)] if silent else []
    return [*issues, *passed[:1], *uncovered]


def statement_spans(segment: Segment) -> list[tuple[int, int]]:
    """The sentences that state something, as places in the whole text."""
    if segment.is_heading:
        return []
    spans = [
        (segment.start + start, segment.start + end)
        for start, end in sentence_spans(segment.text)
        if _states_something(segment.text[start:end])
    ]
    return spans[:_MAX_SENTENCES]


def _states_something(sentence: str) -> bool:
    if sentence.rstrip().endswith("?"):
        return False
    words = content_stems(sentence)
    return len(words) >= _MIN_WORDS or (bool(words) and has_predicate(sentence))


def _judge(segment: Segment, start: int, end: int, passages: Sequence[Passage]) -> Annotation | None:
    """None where the documents say nothing of it."""
    claim = as_one_line(segment.text[start - segment.start : end - segment.start])
    against = contradicting_citation(claim, passages, heading=segment.heading)
    if against and against[1].is_certain:
        return _contradiction(segment, start, end, claim, *against)
    if cited := supporting_citations(claim, passages) or _before_exception(claim, passages):
        return _supported(segment, start, end, claim, cited[0])
    if kept := _kept_limit(claim, passages, segment.heading):
        return _passed(segment, start, end, Category.WITHIN_LIMIT, "It keeps the limit of the source", kept)
    return _contradiction(segment, start, end, claim, *against) if against else None


def _contradiction(
    segment: Segment, start: int, end: int, claim: str, citation: Citation, conflict: StatementConflict
) -> Annotation:
    source, category = as_one_line(citation.excerpt), Category(conflict.kind.value)
    severity = Severity.ERROR if conflict.is_certain else Severity.WARNING
    issue = _ISSUES[conflict.kind]
    if conflict.kind == ConflictKind.DUTY and states_duty(claim) and not states_duty(source):
        severity, category, issue = Severity.INFO, Category.STRICTER, "The source allows or recommends it, and no more"
    lead = issue if conflict.is_certain else f"It may be about another case: {issue[:1].lower()}{issue[1:]}"
    return Annotation(
        segment=segment,
        start=start,
        end=end,
        severity=severity,
        category=category,
        issue=f"{lead}: “{source}”",
        suggested_fix=source,
        citations=(replace(citation, number=1),),
        confidence=Confidence.HIGH if conflict.is_certain else Confidence.MEDIUM,
    )


def _supported(segment: Segment, start: int, end: int, claim: str, citation: Citation) -> Annotation:
    source = as_one_line(citation.excerpt)
    if has_reservation(source, claim):
        issue = "It makes an exception that the source does not make, or binds fewer"
        found = _passed(segment, start, end, Category.EXCEPTION, issue, citation)
        return replace(found, severity=Severity.WARNING, suggested_fix=source, confidence=Confidence.MEDIUM)
    return _passed(segment, start, end, Category.SUPPORTED, "The source says so", citation)


def _before_exception(claim: str, passages: Sequence[Passage]) -> tuple[Citation, ...]:
    """Citations for what the claim says before its exception, where the passages support that and make no exception."""
    said = before_exception(claim)
    if said == claim:
        return ()
    cited = supporting_citations(said, passages)
    return tuple(one for one in cited if has_reservation(as_one_line(one.excerpt), claim))


def _kept_limit(claim: str, passages: Sequence[Passage], heading: str) -> Citation | None:
    for passage, start, end in _passage_sentences(passages):
        text = as_one_line(passage.content[start:end])
        if is_within_bound(claim, text, headings=(heading, heading_of(passage))):
            return cite_sentence(passage, start, end)
    return None


def _passage_sentences(passages: Sequence[Passage]) -> Iterator[tuple[Passage, int, int]]:
    for passage in passages:
        for start, end in passage.sentence_spans():
            yield passage, start, end


def _passed(segment: Segment, start: int, end: int, category: Category, issue: str, citation: Citation) -> Annotation:
    return Annotation(
        segment=segment,
        start=start,
        end=end,
        severity=Severity.PASS,
        category=category,
        issue=f"{issue}: “{as_one_line(citation.excerpt)}”",
        citations=(replace(citation, number=1),),
    )


def _not_covered(segment: Segment, silent: Sequence[tuple[int, int]]) -> Annotation:
    count = len(silent)
    what = "this" if count == 1 else f"{count} sentences from here on"
    return Annotation(
        segment=segment,
        start=silent[0][0],
        end=silent[0][1] if count == 1 else silent[-1][1],
        severity=Severity.INFO,
        category=Category.NOT_COVERED,
        issue=f"The documents do not say {what}.",
        confidence=Confidence.LOW,
    )
