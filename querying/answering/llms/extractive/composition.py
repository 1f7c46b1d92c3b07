"""An answer put together from sentences of the passages, each with its source."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from language.terms import terms
from querying.answering.llms.extractive import context_sentences, table_headers
from querying.answering.llms.extractive.neighbours import Neighbours
from querying.answering.llms.extractive.quotation_text import Quotation, cited_pieces
from querying.answering.llms.extractive.sentence_selection import asks_for_several, select_sentences
from querying.answering.llms.extractive.statements import MIN_STATEMENT_CHARACTERS, leads_in
from querying.types import REFUSAL, Evidence, Prompt, Sentence

# With the sentences that must be said together with those that answer.
MAX_QUOTATIONS = 5
_QUANTITY = re.compile(r"\d+(?:\.\d+)?")


def compose(prompt: Prompt) -> list[str]:
    """The answer in pieces: the tree's recommendation where a source bears it out, then the sentences that answer."""
    supporting = _supporting_sentence(prompt)
    chosen = select_sentences(prompt.question, prompt.evidence, first=supporting)
    if not chosen:
        return [REFUSAL]
    quotations = _build_quotations(chosen, prompt)
    pieces = [piece for quotation in quotations for piece in cited_pieces(quotation, prompt.evidence)]
    if supporting:
        lead = f"{prompt.recommendation.rstrip(' .')} [Source {supporting.source + 1}]."
        pieces.insert(0, lead)
    return pieces


def _build_quotations(chosen: Sequence[Sentence], prompt: Prompt) -> list[Quotation]:
    """Each sentence with what belongs to it, nothing twice, in reading order."""
    neighbours = Neighbours(prompt.evidence)
    quotations: list[Quotation] = []
    quoted: set[tuple[int, int]] = set()
    for sentence in chosen:
        new = [
            quotation
            for quotation in _with_companions(sentence, neighbours, question=prompt.question)
            if not quoted & quotation.places
        ]
        if quotations and len(quotations) + len(new) > MAX_QUOTATIONS:
            continue
        quotations += new
        quoted |= {place for quotation in new for place in quotation.places}
    return _in_reading_order(quotations, prompt.evidence)


def _with_companions(sentence: Sentence, neighbours: Neighbours, *, question: str) -> Iterator[Quotation]:
    if header := table_headers.find_header(sentence, neighbours):
        yield Quotation(sentence, header=header)
        return
    if leads_in(sentence.text):
        yield _announced_list(sentence, neighbours)
        return
    if heading := context_sentences.list_lead_in(sentence, neighbours):
        entries = context_sentences.list_items(heading, neighbours) if asks_for_several(question) else [sentence]
        yield Quotation(heading, *entries)
        return
    if before := context_sentences.antecedent(sentence, neighbours, question=question):
        yield Quotation(before)
    yield Quotation(sentence)
    if after := context_sentences.following_sentence(sentence, neighbours):
        yield Quotation(after)


def _announced_list(heading: Sentence, neighbours: Neighbours) -> Quotation:
    entries = context_sentences.list_items(heading, neighbours)
    if not entries and (after := neighbours.after(heading)):
        entries = [after]
    return Quotation(heading, *entries)


def _supporting_sentence(prompt: Prompt) -> Sentence | None:
    """The sentence that bears the recommendation out: it holds every figure of it, and most of the facts."""
    figures, facts = set(_QUANTITY.findall(prompt.recommendation)), set(terms(prompt.decided))
    if not prompt.recommendation:
        return None
    holding = [
        sentence
        for sentence in prompt.evidence.sentences
        if len(sentence.text) >= MIN_STATEMENT_CHARACTERS and figures <= set(_QUANTITY.findall(sentence.text))
    ]
    return max(holding, key=lambda sentence: _support_rank(sentence, figures, facts), default=None)


def _support_rank(sentence: Sentence, figures: set[str], facts: set[str]) -> tuple[int, float]:
    """Facts that the sentence speaks of, less the other figures it brings in; then how well it answers."""
    strays = set(_QUANTITY.findall(sentence.text)) - figures
    return (len(facts & set(terms(sentence.text))) - len(strays), sentence.score)


def _in_reading_order(quotations: Sequence[Quotation], evidence: Evidence) -> list[Quotation]:
    """By document (the best one first), then down its pages."""
    documents = [evidence.passages[quotation.source].document_id for quotation in quotations]

    def place(quotation: Quotation) -> tuple[int, int, int]:
        passage = evidence.passages[quotation.source]
        page = passage.page_number or 0
        return (documents.index(passage.document_id), page, passage.start + quotation.start)

    return sorted(quotations, key=place)
