"""Suggests corrections for search words that occur in no listing: the most similar words that do."""

from __future__ import annotations

import re
from typing import Any

from django.db import connection

from lexic.sql_files import read_sql
from marketplace.catalogue.listing_query import parse_words

# The share of letters by three that a word and what was meant by it have in common, as pg_trgm counts them. Two letters
# changed places in a word of eight: 0.38.
MIN_SIMILARITY = 0.35
_MIN_LETTERS, _MAX_LENGTH_DIFFERENCE = 4, 3
_MAX_KNOWN_WORDS = 50_000
_NON_LETTER = re.compile(r"[\W\d_]")


def update_known_words() -> None:
    """Know the words of what is published now. One statement."""
    with connection.cursor() as cursor:
        cursor.execute(read_sql("marketplace", "replace_words"), {"most": _MAX_KNOWN_WORDS})


def correct_spelling(words: str) -> str:
    """The search with its misspelt words put right, and without those that nothing is like; empty where that changes
    nothing. One statement, none where no word is asked for."""
    asked = parse_words(words)
    if not asked.plain:
        return ""
    letters = [_NON_LETTER.sub("", word).lower() for word in asked.plain]
    values: dict[str, Any] = {
        "said": list(asked.plain),
        "words": letters,
        "shortest": _MIN_LETTERS,
        "longer_by": _MAX_LENGTH_DIFFERENCE,
        "alike": MIN_SIMILARITY,
    }
    with connection.cursor() as cursor:
        cursor.execute(read_sql("marketplace", "near_words"), values)
        found = cursor.fetchall()
    if not any(near for _, near in found):
        return ""
    pairs = zip(asked.plain, found, strict=True)
    plain = [near or word for word, (is_known, near) in pairs if is_known or near]
    return " ".join([*plain, *(f'"{phrase}"' for phrase in asked.phrases), *(f'-"{one}"' for one in asked.excluded)])
