"""Numbered clauses that a question names: "clause 4.2.1", "§ 4.2", "Art. 5". A chunk belongs to
a clause when its headings or its lines name the clause."""

from __future__ import annotations

import re

_REFERENCE_WORDS = (
    r"clauses?|cl\.|sections?|sec\.|§{1,2}|articles?|art\.|paragraphs?|para\.?|chapters?|annex|appendix|schedule"
    r"|rules?|regulations?|items?|part"
)
_CLAUSE_NUMBER = r"\d{1,4}(?:\.\d{1,4}){0,6}"
_CLAUSE_REFERENCE = re.compile(
    rf"(?:(?<!\w)(?:{_REFERENCE_WORDS})\s{{0,3}}({_CLAUSE_NUMBER})|(?<![\w.])(\d{{1,4}}(?:\.\d{{1,4}}){{2,6}}))(?![\w%])",
    re.I,
)
_MAX_CLAUSES = 4


def referenced_clauses(text: str) -> tuple[str, ...]:
    """The numbers of the clauses that a text names, in order. Without a word before it a number needs two dots."""
    found = dict.fromkeys(named or bare for named, bare in _CLAUSE_REFERENCE.findall(text))
    return tuple(found)[:_MAX_CLAUSES]


def clause_heading_pattern(clauses: tuple[str, ...]) -> str:
    """A regular expression, for PostgreSQL and Python alike, that finds the heading of one of the clauses in a line.

    At the beginning of a heading, so the whole of a step of a section path or a line of a text; a number without a dot
    only behind its word, because lists are numbered as well.
    """
    dotted = "|".join(re.escape(one) for one in clauses if "." in one)
    named = "|".join(map(re.escape, clauses))
    word = rf"(?:{_REFERENCE_WORDS})\s{{0,3}}(?:{named})"
    number = rf"|(?:{dotted})" if dotted else ""
    return rf"^[\s#*]{{0,8}}(?:{word}{number})(?![\w.]*\d)"
