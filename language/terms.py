"""The words of a text as lexical search counts them: one function for the index and for the question.

- Text is NFKC-normalised and lower-cased; soft hyphens and zero-width characters vanish.
- Letters and digits never share a term, so "45mm" and "45 mm" are the same two terms.
- A number keeps its inner dots ("26.4.2" is one term) and loses commas that group thousands ("1,000" is
  "1000").
- A compound of letters gives its parts and the parts joined: "e-mail" is "e", "mail" and "email", so that
  every spelling of it meets the others.
- So does an identifier: "refreshToken", "RefreshToken" and "refresh_token" are "refresh", "token" and "refreshtoken".
- Possessives and contractions lose their ending, English stop words are dropped, words in Latin letters have English
  stems. Words in Arabic, Armenian, Cyrillic, Devanagari, Greek and Tamil have the stems of the language that is mostly
  written so; other alphabets stay as they are. Scripts written without spaces give overlapping pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import chain

from language.cache_sizes import CACHED_SENTENCES
from language.lazy_pattern import lazy_pattern
from language.scripts import SPACELESS_SCRIPTS, combining_marks, is_latin
from language.stemming import latin_stem, stem
from language.stop_words import STOP_WORDS

# A longer word is cut, in the index as in the question, so that it is still found.
MAX_TERM_LENGTH = 64

_CHARACTER_MAP = str.maketrans("\u2019\u2018\u02bc\u2010\u2011", "'''--", "\u00ad\u200b\u200c\u200d\u2060\ufeff")
# Of most patterns there are two: Latin text has no marks and no scripts without spaces, and the patterns that know
# these take long to compile.
_LATIN_COMPOUND = re.compile(r"\w+(?:(?:[-']|(?<=\d)[.,](?=\d))\w+)*")
_COMPOUND = lazy_pattern(lambda: rf"[\w{combining_marks()}]+(?:(?:[-']|(?<=\d)[.,](?=\d))[\w{combining_marks()}]+)*")
_CONTRACTION_ENDING = re.compile(r"'(?:s|ll|re|ve|d|m)(?![^-])")
_COMPOUND_JOINT = re.compile(r"[-'_]+")
# "refreshToken" and "HTTPServer" have a joint, "PDFs" and "kN" have none.
# Capitals are few, so the search begins with one.
_CAMEL_JOINT = re.compile(r"[A-Z](?<=[A-Za-z][A-Z])(?=[a-z]{2})")
_GROUPED_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_LATIN_TERM_PIECE = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+")
_TERM_PIECE = lazy_pattern(
    lambda: (
        rf"\d+(?:[.,]\d+)*|[{SPACELESS_SCRIPTS}]+"
        rf"|[^\W\d_{SPACELESS_SCRIPTS}](?:[^\W\d_{SPACELESS_SCRIPTS}]|[{combining_marks()}])*"
    )
)
_SPACELESS_START = lazy_pattern(f"[{SPACELESS_SCRIPTS}]")
# A word as it stands in a text, what is joined to it included; of scripts without spaces a run of characters.
_LATIN_WORD = re.compile(r"\w+(?:[.\-'’]\w+)*")
_WORD_OR_RUN = lazy_pattern(
    lambda: (
        rf"(?P<run>[{SPACELESS_SCRIPTS}]+)"
        rf"|(?:(?![{SPACELESS_SCRIPTS}])\w)(?:(?![{SPACELESS_SCRIPTS}])[\w{combining_marks()}])*"
        rf"(?:[.\-'’](?:(?![{SPACELESS_SCRIPTS}])[\w{combining_marks()}])+)*"
    )
)

# A compound above this length is a hash or hostile: it is taken apart without a place in the cache.
_MAX_CACHED_LENGTH = 96
# A longer text is not read twice in one answer, and would take room in the cache.
_MAX_CACHED_SENTENCE = 400
_MAX_JOINED_PARTS = 4


def terms(text: str) -> list[str]:
    """The content words of a text in order, stemmed, repeated as often as they occur, each 1 to 64 long."""
    return list(_sentence_terms(text) if len(text) <= _MAX_CACHED_SENTENCE else _text_terms(text))


# The sentences of an answer's passages are read for several purposes.
@lru_cache(maxsize=CACHED_SENTENCES)
def _sentence_terms(text: str) -> tuple[str, ...]:
    return tuple(_text_terms(text))


def _text_terms(text: str) -> Iterable[str]:
    compounds = _compounds(text)
    if max(map(len, compounds), default=0) <= _MAX_CACHED_LENGTH:
        return chain.from_iterable(map(_compound_terms, compounds))
    return (
        term
        for compound in compounds
        for term in (_compound_terms(compound) if len(compound) <= _MAX_CACHED_LENGTH else _split_compound(compound))
    )


def terms_of_old_index(text: str) -> list[str]:
    """The same words as the index counted them when only Latin letters were stemmed."""
    if is_latin(text):
        return terms(text)
    return [term for compound in _compounds(text) for term in _split_compound(compound, stemmed=latin_stem)]


def word_spans(text: str) -> Iterator[tuple[int, int]]:
    """`(start, end)` of each word as it stands in the text; of scripts without spaces, of each pair of characters."""
    if is_latin(text):
        yield from (match.span() for match in _LATIN_WORD.finditer(text))
        return
    for match in _WORD_OR_RUN.finditer(text):
        start, end = match.span()
        if match["run"] and end - start > 2:
            yield from ((at, at + 2) for at in range(start, end - 1))
        else:
            yield start, end


def _compounds(text: str) -> list[str]:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_CHARACTER_MAP))
    text = _CAMEL_JOINT.sub(r"_\g<0>", text).lower()
    return (_LATIN_COMPOUND if is_latin(text) else _COMPOUND).findall(text)


@lru_cache(maxsize=65_536)
def _compound_terms(compound: str) -> tuple[str, ...]:
    return tuple(_split_compound(compound))


def _split_compound(compound: str, *, stemmed: Callable[[str], str] = stem) -> Iterator[str]:
    if "'" in compound:
        if compound.endswith("n't"):  # "isn't", "won't": stop words, all of them
            return
        compound = _CONTRACTION_ENDING.sub("", compound)
    parts = [part for part in _COMPOUND_JOINT.split(compound) if part]
    for part in parts:
        yield from _part_terms(part, stemmed)
    if 1 < len(parts) <= _MAX_JOINED_PARTS and all(map(str.isalpha, parts)):
        yield stemmed("".join(parts)[:MAX_TERM_LENGTH])


def _part_terms(part: str, stemmed: Callable[[str], str]) -> Iterator[str]:
    latin = is_latin(part)
    for piece in (_LATIN_TERM_PIECE if latin else _TERM_PIECE).findall(part):
        if piece[0].isdecimal():
            yield from _number_terms(piece)
        elif not latin and _SPACELESS_START.match(piece):
            yield from (piece[at : at + 2] for at in range(max(1, len(piece) - 1)))
        elif piece not in STOP_WORDS:
            yield stemmed(piece[:MAX_TERM_LENGTH])


def _number_terms(number: str) -> Iterator[str]:
    grouped = number.replace(",", "") if _GROUPED_NUMBER.fullmatch(number) else number
    yield from (value[:MAX_TERM_LENGTH] for value in grouped.split(","))
