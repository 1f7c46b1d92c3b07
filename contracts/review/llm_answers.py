"""Reads a language model's answer about a position. Quotations that are not verbatim are dropped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from contracts.clauses.parsed_contract import ContractPage, TextSpan
from contracts.models import Verdict
from contracts.playbook.playbook_types import PlaybookStatement, Position
from contracts.review.llm_opinion import ModelVerdict
from language.whole_words import cuts_number
from querying.answering.grounding.quotations import is_verbatim
from querying.answering.llms.json_replies import find_json_object

_VERDICTS = (
    Verdict.PREFERRED,
    Verdict.ACCEPTABLE,
    Verdict.WALK_AWAY,
    Verdict.LIMIT_BROKEN,
    Verdict.DENIED,
    Verdict.UNCLEAR,
    Verdict.MISSING,
)
# Verdicts that only a statement of one kind can support.
_KINDS = {Verdict.PREFERRED: "preferred", Verdict.ACCEPTABLE: "acceptable", Verdict.WALK_AWAY: "walk_away"}
_NEEDS_NO_QUOTATION = (Verdict.MISSING, Verdict.UNCLEAR)
_MAX_QUOTATIONS = 3
_MIN_CHARACTERS, _MAX_CHARACTERS = 8, 2000
# Marks that models write in place of those of the text; each is one character, so that places stay.
_SAME_MARKS = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "‑": "-"})


class InvalidModelAnswer(ValueError):
    """The model's answer does not count; the message says why."""


def read_verdict(answer: str, *, position: Position, pages: Sequence[ContractPage]) -> ModelVerdict:
    """The verdict with its quotations. Raises `InvalidModelAnswer` where it is none, or where one of them does not
    stand in the contract or in the playbook."""
    found = find_json_object(answer)
    verdict = found.get("verdict") if found else None
    if found is None or verdict not in _VERDICTS:
        raise InvalidModelAnswer("Its answer could not be read.")
    verdict = Verdict(verdict)
    quotations = found.get("contract") or []
    is_list = isinstance(quotations, list) and all(isinstance(one, str) for one in quotations)
    if not is_list or len(quotations) > _MAX_QUOTATIONS:
        raise InvalidModelAnswer("Its answer could not be read.")
    if not quotations and verdict not in _NEEDS_NO_QUOTATION:
        raise InvalidModelAnswer("It quotes nothing of the contract.")
    spans = [find_quotation(quotation, pages) for quotation in quotations]
    if None in spans:
        raise InvalidModelAnswer("It quotes what does not stand in the contract.")
    statement = _quoted_statement(found.get("playbook"), position=position, verdict=verdict)
    return ModelVerdict(verdict=verdict, statement=statement, spans=tuple(span for span in spans if span))


def read_confirmation(answer: str) -> bool:
    """Whether the model said that the passage says it; False where its answer cannot be read."""
    found = find_json_object(answer)
    return found is not None and found.get("says") is True


def find_quotation(quotation: str, pages: Sequence[ContractPage]) -> TextSpan | None:
    """Where these words stand on a page, whatever the white space between them and the kind of quotation mark; None
    where they do not, or are too short or too long to show anything."""
    words = quotation.translate(_SAME_MARKS).split()
    if not _MIN_CHARACTERS <= len("".join(words)) <= _MAX_CHARACTERS:
        return None
    wanted = re.compile(r"\s+".join(map(re.escape, words)))
    for page in pages:
        text = page.text.translate(_SAME_MARKS)
        for match in wanted.finditer(text):
            if not (_is_cut(text, match.start()) or _is_cut(text, match.end())):
                return TextSpan.on_page(page, match.start(), match.end())
    return None


def _is_cut(text: str, at: int) -> bool:
    """Whether a word or a figure goes on here. Alphabets without spaces have no words to cut."""
    around = text[max(0, at - 1) : at + 1]
    return 0 < at < len(text) and ((around.isascii() and around.isalnum()) or cuts_number(text, at))


def _quoted_statement(quotation: Any, *, position: Position, verdict: Verdict) -> PlaybookStatement:
    """The statement that the model quotes. What it finds missing or unclear needs none."""
    kind = _KINDS.get(verdict)
    about = [one for one in position.statements if one.kind == kind or (kind is None and one.kind != "suggestion")]
    if isinstance(quotation, str) and quotation.strip():
        for statement in about:
            if is_verbatim(quotation, statement.plain):
                return statement
    elif verdict in _NEEDS_NO_QUOTATION:
        return position.wanted[0]
    if verdict == Verdict.LIMIT_BROKEN and position.limits:
        return position.wanted[0]
    raise InvalidModelAnswer("It quotes what does not stand in the playbook.")
