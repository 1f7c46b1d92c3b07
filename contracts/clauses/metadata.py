"""Reads the metadata of a contract: parties, date, term, governing law. Each value is a quotation, or is missing.

Only the places where contracts state these things are read: the first page for the parties and the date, and the
sentences whose words name the law or the duration.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from contracts.clauses.parsed_contract import ContractMetadata, ContractPage, TextSpan
from language.figures.figure_extraction import extract_figures
from language.sentences import sentence_spans
from language.terms import terms

_PREAMBLE_CHARACTERS = 4000
_MAX_PARTIES = 12
_PARTY_LIST = re.compile(r"\b(?:by and between|by and among|between|among)\b[:\s]{1,4}", re.IGNORECASE)
_PARTY_JOINT = re.compile(r"\s(?:and|&)\s|;\s", re.IGNORECASE)
# "Acme Ltd, a company registered in …": the name ends where its description begins.
_NAME_END = re.compile(
    r",\s(?=(?:an?|the|having|with|whose|of|located|organized|incorporated)\b)|\s?[(\[]|\s[–—]\s|[,.]$"
)
_LAW_PLACE = re.compile(
    r"\blaws?\s(?:and\sregulations\s)?of\s(?:the\s)?(?P<place>[A-Z][^.,;()\n]{1,80})"
    r"|\bby\s(?P<adjective>[A-Z][a-z]{2,20})\slaws?\b"
)
_LAW_STEMS = frozenset(terms("governed law"))
_CONSTRUED_STEMS = frozenset(terms("construed laws"))
_TERM_STEMS = frozenset(terms("term remain expire continue survive period"))
_OBLIGATION_STEMS = frozenset(terms("obligations confidentiality"))
_TERM_UNITS = frozenset({"year", "month", "decade"})
# What is longer is a sentence about something else that mentions a term.
_MAX_TERM_SENTENCE, _MAX_TITLE_LENGTH = 450, 150

Found = Iterator[TextSpan]


def read_metadata(pages: Sequence[ContractPage], *, is_nda: bool = False) -> ContractMetadata:
    """Everything that is quoted. Of an NDA also how long its obligations last (`obligationTerm`) and the sentence that
    says what is confidential (`definition`)."""
    first = next((page for page in pages if page.text.strip()), None)
    if first is None:
        return ContractMetadata()
    sentences = [TextSpan.on_page(page, start, end) for page in pages for start, end in sentence_spans(page.text)]
    found: dict[str, tuple[TextSpan, ...]] = {
        "title": tuple(_contract_title(first))[:1],
        "parties": tuple(_parties(first)),
        "date": tuple(_date(first))[:1],
        "term": tuple(_first_matching(sentences, _states_term))[:1],
        "governingLaw": tuple(_governing_law(sentences))[:1],
    }
    if is_nda:
        found["obligationTerm"] = tuple(_first_matching(sentences, _states_obligation_term))[:1]
        found["definition"] = tuple(_first_matching(sentences, _defines_confidential_information))[:1]
    return ContractMetadata(quoted={name: spans for name, spans in found.items() if spans})


def _contract_title(page: ContractPage) -> Found:
    """A line that calls itself an agreement or a contract, and is no sentence."""
    for start, end in sentence_spans(page.text[:_PREAMBLE_CHARACTERS]):
        line = page.text[start:end]
        says_so = "agreement" in line.lower() or "contract" in line.lower()
        if says_so and len(line) <= _MAX_TITLE_LENGTH and not line.endswith((".", ";", ":", ",")):
            yield TextSpan.on_page(page, start, end)


def _parties(page: ContractPage) -> Found:
    """The names behind "between", up to the end of their sentence."""
    head = page.text[:_PREAMBLE_CHARACTERS]
    opened = _PARTY_LIST.search(head)
    if opened is None:
        return
    end = next((stop for start, stop in sentence_spans(head) if start <= opened.start() < stop), len(head))
    at, found = opened.end(), 0
    for joint in [*_PARTY_JOINT.finditer(head, opened.end(), end), None]:
        stop = joint.start() if joint else end
        if (name := _party_name(page, at, stop)) is not None and found < _MAX_PARTIES:
            found += 1
            yield name
        at = joint.end() if joint else end


def _party_name(page: ContractPage, start: int, end: int) -> TextSpan | None:
    """The name that this part of the list opens with; None where it opens with no name."""
    while start < end and page.text[start] in " \n\t*_":
        start += 1
    closing = _NAME_END.search(page.text, start, end)
    end = closing.start() if closing else end
    name = page.text[start:end].rstrip(" \n\t*_,")
    if not 2 < len(name) <= 120 or not name[0].isupper() or "\n\n" in name:
        return None
    return TextSpan.on_page(page, start, start + len(name))


def _date(page: ContractPage) -> Found:
    head = page.text[:_PREAMBLE_CHARACTERS]
    for start, end in sentence_spans(head):
        for date in extract_figures(head[start:end]).dates:
            at = head.find(date.written, start, end)
            if date.year and at >= 0:
                yield TextSpan.on_page(page, at, at + len(date.written))


def _governing_law(sentences: Sequence[TextSpan]) -> Found:
    """The place whose law governs, or the sentence where it names none that can be read."""
    for sentence in sentences:
        said = frozenset(terms(sentence.text))
        if not (said >= _LAW_STEMS or said >= _CONSTRUED_STEMS):
            continue
        place = _LAW_PLACE.search(sentence.text)
        if place is None:
            continue
        name = "place" if place["place"] else "adjective"
        yield _part(sentence, *place.span(name))


def _part(sentence: TextSpan, start: int, end: int) -> TextSpan:
    text = sentence.text[start:end].rstrip()
    begin = sentence.start + start
    return TextSpan(
        page_id=sentence.page_id, page_number=sentence.page_number, start=begin, end=begin + len(text), text=text
    )


def _first_matching(sentences: Sequence[TextSpan], matches: Callable[[str], bool]) -> Found:
    return (sentence for sentence in sentences if matches(sentence.text))


def _states_duration(text: str) -> bool:
    is_short = len(text) <= _MAX_TERM_SENTENCE
    return is_short and any(not _TERM_UNITS.isdisjoint(one.units) for one in extract_figures(text).quantities)


def _states_term(text: str) -> bool:
    said = frozenset(terms(text))
    return "agreement" in text.lower() and bool(_TERM_STEMS & said) and _states_duration(text)


def _states_obligation_term(text: str) -> bool:
    said = frozenset(terms(text))
    return bool(_OBLIGATION_STEMS & said) and bool(_TERM_STEMS & said) and _states_duration(text)


def _defines_confidential_information(text: str) -> bool:
    lowered = text.lower()
    return "confidential information" in lowered and ("means" in lowered or "shall mean" in lowered)
