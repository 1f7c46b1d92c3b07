"""An answer put together from sentences of the passages, each with its source."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from language.sentences import leads_into_list
from language.terms import terms
from querying.answering.llms.extractive import context_sentences, table_headers
from querying.answering.llms.extractive.neighbours import Neighbours
from querying.answering.llms.extractive.quotation_text import Quotation, cited_pieces
from querying.answering.llms.extractive.sentence_selection import asks_for_whole_list, select_sentences
from querying.answering.llms.extractive.statements import MIN_STATEMENT_CHARACTERS
from querying.types import REFUSAL, Evidence, Prompt, Sentence

# With the sentences that must be said together with those that answer. A list or a table's row counts as one.
MAX_QUOTATIONS = 3
RECOMMENDATION_LEAD = "The expert recommends:"
_QUANTITY = re.compile(r"\d+(?:\.\d+)?")


def compose(prompt: Prompt) -> list[str]:
    """The answer in pieces: the tree's recommendation where a source bears it out, then the sentences that answer."""
    supporting = _supporting_sentence(prompt)
    chosen = select_sentences(prompt.question, prompt.evidence, first=supporting)
    if not chosen:
        return [REFUSAL]
    quotations = _build_quotations(chosen, prompt)
    evidence, question = prompt.evidence, prompt.question
    pieces = [piece for each in quotations for piece in cited_pieces(each, evidence, question=question)]
    if supporting:
        lead = f"{prompt.recommendation.rstrip(' .')} [Source {supporting.source + 1}]."
        pieces[:0] = [RECOMMENDATION_LEAD, lead]
    return pieces


def _build_quotations(chosen: Sequence[Sentence], prompt: Prompt) -> list[Quotation]:
    """Each sentence with what belongs to it, nothing twice: what answers best first, the rest in reading order."""
    neighbours = Neighbours(prompt.evidence)
    quotations: list[Quotation] = []
    quoted: set[tuple[int, int]] = set()  # by page and place there, for passages overlap
    for sentence in chosen:
        belonging = _with_companions(sentence, neighbours, question=prompt.question)
        new = [quotation for quotation in belonging if not quoted & _page_places(quotation, prompt.evidence)]
        if quotations and len(quotations) + len(new) > MAX_QUOTATIONS:
            continue
        quotations += new
        quoted |= {place for quotation in new for place in _page_places(quotation, prompt.evidence)}
    place = (chosen[0].source, chosen[0].start)
    best = next((quotation for quotation in quotations if place in quotation.places), quotations[0])
    return _best_run_first(_in_reading_order(quotations, prompt.evidence), best, neighbours)


def _page_places(quotation: Quotation, evidence: Evidence) -> set[tuple[int, int]]:
    passage = evidence.passages[quotation.source]
    return {(passage.page_id, passage.start + start) for _, start in quotation.places}


def _with_companions(sentence: Sentence, neighbours: Neighbours, *, question: str) -> Iterator[Quotation]:
    if header := table_headers.find_header(sentence, neighbours):
        yield Quotation(sentence, header=header)
        return
    if leads_into_list(sentence.text):
        after = neighbours.after(sentence)
        yield Quotation(sentence, *(context_sentences.list_items(sentence, neighbours) or filter(None, [after])))
        return
    if heading := context_sentences.list_lead_in(sentence, neighbours):
        items = context_sentences.list_items(heading, neighbours)
        yield Quotation(heading, *(items if sentence in items and asks_for_whole_list(items) else [sentence]))
        return
    if before := context_sentences.antecedent(sentence, neighbours, question=question):
        yield Quotation(before)
    yield Quotation(sentence)
    if after := context_sentences.following_sentence(sentence, neighbours):
        yield Quotation(after)


def _supporting_sentence(prompt: Prompt) -> Sentence | None:
    """The sentence that supports the recommendation: it has every figure of it, and most of the facts."""
    if not prompt.recommendation:
        return None
    figures, facts = set(_QUANTITY.findall(prompt.recommendation)), set(terms(prompt.decision_text))
    quantities = [(one, set(_QUANTITY.findall(one.text))) for one in prompt.evidence.sentences]
    # Facts that a sentence mentions, less the other figures it brings in; then how well it answers.
    ranked = [
        (len(facts & set(terms(one.text))) - len(found - figures), one.score, one)
        for one, found in quantities
        if len(one.text) >= MIN_STATEMENT_CHARACTERS and figures <= found
    ]
    return max(ranked, key=lambda each: each[:2])[2] if ranked else None


def _in_reading_order(quotations: Sequence[Quotation], evidence: Evidence) -> list[Quotation]:
    """By document (the best one first), then down its pages."""
    documents = [evidence.passages[quotation.source].document_id for quotation in quotations]

    def place(quotation: Quotation) -> tuple[int, int, int]:
        passage = evidence.passages[quotation.source]
        page = passage.page_number or 0
        return (documents.index(passage.document_id), page, passage.start + quotation.start)

    return sorted(quotations, key=place)


def _best_run_first(quotations: Sequence[Quotation], best: Quotation, neighbours: Neighbours) -> list[Quotation]:
    """The sentences that stand on the page together with the best one, then the others."""
    first = last = quotations.index(best)
    while first and _follows(quotations[first - 1], quotations[first], neighbours):
        first -= 1
    while last + 1 < len(quotations) and _follows(quotations[last], quotations[last + 1], neighbours):
        last += 1
    return [*quotations[first : last + 1], *quotations[:first], *quotations[last + 1 :]]


def _follows(one: Quotation, other: Quotation, neighbours: Neighbours) -> bool:
    return neighbours.after(one.sentences[-1]) == other.first
