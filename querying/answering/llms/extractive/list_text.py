"""A list as it reads in an answer: what stands right above it, then each item in a line of its own, with its number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from knowledge.search.passages import Passage
from language.lists import find_lists, item_lines, without_bullet
from language.procedure_questions import AskedFor, what_is_asked_for
from lexic.phrases import counted_phrase
from querying.answering.citations import without_marks
from querying.answering.grounding.supporting_spans import best_span
from querying.answering.llms.extractive.quotation_text import with_source_mark
from querying.sanitize import sanitize
from querying.types.answer import Citation
from querying.types.evidence import Evidence, ListPart, SectionList


def list_pieces(evidence: Evidence) -> list[str]:
    """The list that is asked for, each page's part with its source; nothing where it would not stand verification."""
    listed = evidence.section_list
    if listed is None:
        return []
    texts = [(part.source, _part_text(part, evidence.passages[part.source])) for part in listed.parts]
    claims = [(source, sanitize(without_marks(text))) for source, text in texts]
    if not all(best_span(claim, evidence.passages[source], least=1.0) for source, claim in claims):
        return []
    first, *others = [with_source_mark(text, source) for source, text in texts]
    return [first, *(f"\n{text}" for text in others)]


def _part_text(part: ListPart, passage: Passage) -> str:
    above = " ".join(" ".join(passage.content[start:end].split()) for start, end in part.before)
    return "\n".join(filter(None, [above, *_shown_items(part, passage)]))


def _shown_items(part: ListPart, passage: Passage) -> Iterator[str]:
    for start, end in part.items:
        for line in item_lines(passage.content[start:end]):
            bare = without_bullet(line)
            yield line if bare == line else f"- {bare}"


def quoted_list(evidence: Evidence) -> SectionList | None:
    """The list that the answer quotes; None where it quotes none."""
    return evidence.section_list if list_pieces(evidence) else None


def describe_left_out(listed: SectionList | None) -> str:
    """Where the list goes on that is quoted in part, as a phrase, for the language of the question; else empty."""
    if listed is None or listed.rest is None:
        return ""
    place = listed.rest.page_name or (listed.rest.section_path or ("",))[-1]
    where = ", ".join(dict.fromkeys(filter(None, (listed.rest.document_title, place))))
    return counted_phrase(
        "The list continues with %(count)s more item: %(where)s.",
        "The list continues with %(count)s more items: %(where)s.",
        count=listed.left_out,
        where=where,
    )


def least_cited_items(question: str, evidence: Evidence, listed: SectionList | None) -> int:
    """How many cited items of a list make an answer less sure that leaves others out. In another language than English
    one does where nobody knows what was asked for, and none where steps were and no list is quoted."""
    language = evidence.wording.language
    if listed or not language:
        return 2
    return {AskedFor.FACT: 2, AskedFor.UNKNOWN: 1}.get(what_is_asked_for(question, language), 0)


def leaves_out_items(citations: Sequence[Citation], *, least: int = 2) -> bool:
    """Whether `least` items of a list or more are cited, and others not: one alone may be the fact that was asked
    for."""
    passages = {(one.passage.page_id, one.passage.start): one.passage for one in citations}
    for passage in passages.values():
        cited = [
            (one.start - passage.start, one.end - passage.start)
            for one in citations
            if one.passage.page_id == passage.page_id
        ]
        for found in find_lists(passage.content):
            hit = sum(any(start < item.end and item.start < end for start, end in cited) for item in found.items)
            if len(found.items) > 1 and least <= hit < len(found.items):
                return True
    return False
