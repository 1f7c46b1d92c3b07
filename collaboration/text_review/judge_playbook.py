"""If a plugin has a playbook, checks a text against its positions in the same way as contract reviews."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from collaboration.text_review.review_types import Annotation, Category, Segment, Severity
from contracts.models import Verdict
from contracts.playbook.playbook_sources import PLAYBOOK_TYPE, PlaybookAtRevision, read_playbook
from contracts.playbook.playbook_types import Playbook, UnfitPlaybook
from contracts.review.contract_language import UnreadLanguage
from contracts.review.supplied_text import SuppliedText, find_in_text
from contracts.risk import Classification
from knowledge.models import Document
from knowledge.search.passages import Passage
from querying.question.document_access import usable_templates, works_on_plugin
from querying.releases import pinned_bases
from querying.types.answer import Citation
from querying.types.confidence import Confidence
from querying.types.question import Question

_SEVERITIES = {
    Classification.RED: Severity.ERROR,
    Classification.YELLOW: Severity.WARNING,
    Classification.GREEN: Severity.PASS,
}
# A text that speaks of fewer of the positions is no contract of this kind: what it lacks is not missing in it.
_LEAST_SHARE = 1 / 3


def judge_by_playbook(question: Question, segments: Sequence[Segment]) -> list[Annotation]:
    """What the plugin's playbook says of the text. Nothing where it has none, where the caller does not work on the
    plugin, for playbooks are not for strangers, or where the text is in a language that the rules do not know.

    Raises `EmbedderError`."""
    source = _find_playbook(question)
    parts = [segment for segment in segments if not segment.is_heading]
    if source is None or not parts:
        return []
    given = SuppliedText(parts=tuple(part.text for part in parts), base=pinned_bases(question.release)[0])
    try:
        rows = find_in_text(given, source.playbook, with_missing=True)
    except UnreadLanguage:
        return []
    said = [row for row in rows if row["verdict"] != Verdict.MISSING]
    if len(said) < _LEAST_SHARE * len(rows):
        rows = said
    return [_annotate(row, source, parts) for row in rows]


def _find_playbook(question: Question) -> PlaybookAtRevision | None:
    bases = [base.knowledge_base_id for base in pinned_bases(question.release)]
    if not bases or not works_on_plugin(question):
        return None
    marked = usable_templates(question).filter(doc_type__iexact=PLAYBOOK_TYPE, knowledge_base__in=bases)
    present = Document.objects.present().filter(pk__in=marked.values("pk")).order_by("created_at")
    for document in present[:5]:
        try:
            return read_playbook(document)
        except UnfitPlaybook:
            continue
    return None


def _annotate(row: dict[str, Any], source: PlaybookAtRevision, parts: Sequence[Segment]) -> Annotation:
    places = row["contract"] or row["nearest"]
    segment, start, end = _locate(places[0], parts) if places else (parts[0], parts[0].start, parts[0].start)
    severity = _SEVERITIES[Classification(row["classification"])]
    return Annotation(
        segment=segment,
        start=start,
        end=end,
        severity=severity,
        category=Category.PLAYBOOK,
        issue=f"{row['position']}: {row['reason']}",
        suggested_fix="" if severity == Severity.PASS else row["suggestion"],
        citations=(_cite_statement(row, source),),
        confidence=Confidence.HIGH if row["contract"] else Confidence.MEDIUM,
    )


def _locate(place: dict[str, Any], parts: Sequence[Segment]) -> tuple[Segment, int, int]:
    """The segment and the place in the whole text of a place in the parts, which stand two characters apart."""
    at = 0
    for part in parts:
        if place["start"] < at + len(part.text) + 2:
            start = part.start + max(0, place["start"] - at)
            return part, start, min(part.end, part.start + place["end"] - at)
        at += len(part.text) + 2
    return parts[-1], parts[-1].start, parts[-1].end


def _cite_statement(row: dict[str, Any], source: PlaybookAtRevision) -> Citation:
    """The statement that decided, on the page of the playbook."""
    document, playbook = source.document, source.playbook
    assert document is not None
    assert source.page_id is not None
    start, end = _statement_place(row, playbook)
    passage = Passage(
        chunk_id=0,
        document_id=document.pk,
        document_title=document.title,
        source_type=document.source_type,
        page_id=source.page_id,
        page_number=None,
        section_path=(row["position"],),
        start=start,
        end=end,
        content=playbook.text[start:end],
        cosine=0.0,
        lexical=0.0,
        score=1.0,
        knowledge_base_id=document.knowledge_base_id,
    )
    return Citation(number=1, passage=passage, start=start, end=end, excerpt=playbook.text[start:end], score=1.0)


def _statement_place(row: dict[str, Any], playbook: Playbook) -> tuple[int, int]:
    position = next(one for one in playbook.positions if one.number == row["number"])
    text = row["playbook"][0]["text"]
    statement = next(one for one in position.statements if one.text == text)
    return statement.start, statement.end
