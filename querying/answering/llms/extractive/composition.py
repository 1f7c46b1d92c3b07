"""An answer put together from sentences of the passages, each with its source."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from language.sentences import leads_into_list
from querying.answering.llms.extractive import context_sentences, table_headers
from querying.answering.llms.extractive.code_places import code_places, is_from_library
from querying.answering.llms.extractive.list_text import list_pieces
from querying.answering.llms.extractive.neighbours import Neighbours
from querying.answering.llms.extractive.quotation_text import Quotation, cited_pieces, with_source_mark
from querying.answering.llms.extractive.sentence_selection import (
    SAME_SCORE_RATIO,
    Candidate,
    asks_for_whole_list,
    select_sentences,
)
from querying.types.evidence import Evidence, Sentence
from querying.types.prompt import Prompt
from querying.types.refusals import RECOMMENDATION_LEAD, REFUSAL

# With the sentences that must be said together with those that answer. A list or a table's row counts as one.
MAX_QUOTATIONS = 3
_WORD = re.compile(r"\w+")


def compose(prompt: Prompt) -> list[str]:
    """The answer in pieces: the tree's recommendation where a source supports it, then the sentences that answer."""
    supporting = prompt.support
    if not supporting and (listed := list_pieces(prompt.evidence)):
        return listed
    chosen = select_sentences(prompt.question, prompt.evidence, first=supporting)
    if not chosen:
        return [REFUSAL]
    evidence, question = prompt.evidence, prompt.question
    if is_from_library(evidence):
        quotations = _build_quotations(chosen[:1], prompt)
        places = code_places(evidence, quoted=[each.first for each in quotations])
    else:
        quotations, places = _build_quotations(chosen, prompt), []
    if supporting:
        quotations = [one for one in quotations if not _is_the_same(one, prompt.recommendation)]
    pieces = _cited_pieces(quotations, evidence, question=question)
    pieces += [with_source_mark(" ".join(one.text.split()).rstrip(" :{"), one.source) for one in places]
    if supporting:
        lead = f"{prompt.recommendation.rstrip(' .')} [Source {supporting.source + 1}]."
        pieces[:0] = [RECOMMENDATION_LEAD, lead]
    return pieces


def _is_the_same(quotation: Quotation, recommendation: str) -> bool:
    """Whether the recommendation, which stands before it, says it word for word, or its only list item."""
    if quotation.header is not None:
        return False
    texts = [" ".join(one.text for one in said) for said in (quotation.sentences, quotation.items)]
    return _WORD.findall(recommendation.lower()) in [_WORD.findall(text.lower()) for text in texts]


def _cited_pieces(quotations: Sequence[Quotation], evidence: Evidence, *, question: str) -> list[str]:
    neighbours, before = Neighbours(evidence), None
    pieces: list[str] = []
    for quotation in quotations:
        goes_on = before is not None and neighbours.before(quotation.first) == before
        new = cited_pieces(quotation, evidence, question=question, goes_on=goes_on)
        if pieces and "\n" in pieces[-1]:  # what stands below a list is no part of its last item
            new[0] = f"\n{new[0]}"
        pieces += new
        before = quotation.sentences[-1]
    return pieces


def _build_quotations(chosen: Sequence[Candidate], prompt: Prompt) -> list[Quotation]:
    """Each sentence with what belongs to it, nothing twice: what answers best is first, the rest in reading order.
    Where one that stands above the best on its page is as good, they all stand as the page has them; what bears out a
    recommendation stays right behind it."""
    neighbours = Neighbours(prompt.evidence)
    groups = [list(_with_companions(one.sentence, neighbours, question=prompt.question)) for one in chosen]
    quotations, quoted = groups[0], _page_places(groups[0], prompt.evidence)
    for belonging in groups[1:]:
        quotations = [_with_items_of(one, belonging) for one in quotations]
        quoted |= _page_places(quotations, prompt.evidence)
        new = [quotation for quotation in belonging if not quoted & _page_places([quotation], prompt.evidence)]
        if len(quotations) + len(new) <= max(MAX_QUOTATIONS, len(chosen)):
            quotations = [*quotations, *new]
            quoted |= _page_places(new, prompt.evidence)
    if prompt.evidence.sub_questions:
        return quotations  # in the order of the questions
    if not prompt.support and _is_as_good_above(chosen, quotations, prompt.evidence):
        return _in_reading_order(quotations, prompt.evidence, first=groups[0][0])
    return [*groups[0], *_in_reading_order(quotations[len(groups[0]) :], prompt.evidence)]


def _with_items_of(quotation: Quotation, others: Sequence[Quotation]) -> Quotation:
    """The quotation with the items that others have of the same list."""
    same = [one for one in others if one.items and quotation.items and one.first == quotation.first]
    items = {item.start: item for one in (quotation, *same) for item in one.items}
    return Quotation(quotation.first, *(items[at] for at in sorted(items))) if same else quotation


def _is_as_good_above(chosen: Sequence[Candidate], quotations: Sequence[Quotation], evidence: Evidence) -> bool:
    """Whether a quoted sentence is as good as the best and stands above it on its page."""
    quoted = {place for quotation in quotations for place in quotation.places}
    best, *others = ((one.score, one.sentence, evidence.passages[one.sentence.source]) for one in chosen)
    return any(
        (sentence.source, sentence.start) in quoted
        and score >= SAME_SCORE_RATIO * best[0]
        and passage.page_id == best[2].page_id
        and passage.start + sentence.start < best[2].start + best[1].start
        for score, sentence, passage in others
    )


def _page_places(quotations: Sequence[Quotation], evidence: Evidence) -> set[tuple[int, int]]:
    """Page and place there of every sentence, for passages overlap."""
    return {evidence.page_place(source, start) for quotation in quotations for source, start in quotation.places}


def _with_companions(sentence: Sentence, neighbours: Neighbours, *, question: str) -> Iterator[Quotation]:
    if header := table_headers.find_header(sentence, neighbours):
        yield Quotation(sentence, header=header)
        return
    if lead_in := context_sentences.list_referred_to(sentence, neighbours, question=question):
        yield Quotation(lead_in, *context_sentences.list_items(lead_in, neighbours))
        yield Quotation(sentence)
        return
    if leads_into_list(sentence.text):
        after = neighbours.after(sentence)
        yield Quotation(sentence, *(context_sentences.list_items(sentence, neighbours) or filter(None, [after])))
        return
    if heading := context_sentences.list_lead_in(sentence, neighbours):
        items = context_sentences.list_items(heading, neighbours)
        yield Quotation(heading, *(items if sentence in items and asks_for_whole_list(items) else [sentence]))
        return
    before = context_sentences.antecedent(sentence, neighbours, question=question)
    if before := before or context_sentences.reply_above(sentence, neighbours, question=question):
        yield Quotation(before)
    yield Quotation(sentence)
    if after := context_sentences.following_sentence(sentence, neighbours):
        yield Quotation(after)


def _in_reading_order(
    quotations: Sequence[Quotation], evidence: Evidence, *, first: Quotation | None = None
) -> list[Quotation]:
    """The quotations by document, the best one first, and then down its pages; the page of `first` comes before."""
    documents = [evidence.passages[quotation.source].document_id for quotation in quotations]
    first_page = evidence.passages[first.source].page_id if first else None

    def place(quotation: Quotation) -> tuple[bool, int, int, int]:
        passage = evidence.passages[quotation.source]
        page = passage.page_number or 0
        is_elsewhere = passage.page_id != first_page
        return (is_elsewhere, documents.index(passage.document_id), page, passage.start + quotation.start)

    return sorted(quotations, key=place)
