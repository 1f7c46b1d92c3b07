"""The letters of each script."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import cache
from itertools import chain

# Letters up to this one are Latin.
LAST_LATIN = "\u024f"
# Thai to Burmese, Khmer, kana, Han and Hangul: no spaces, or particles that cling to the word.
SPACELESS_SCRIPTS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)


# Where there are marks: not among Han, Hangul and what is private.
_WITH_MARKS = (range(0x300, 0x3400), range(0xA000, 0xAC00), range(0xFB00, 0xFFFF))


def _as_ranges(codes: Iterable[int]) -> str:
    """As a character class has them. It is compiled in half the time of one that names each character."""
    runs: list[list[int]] = []
    for code in codes:
        if runs and code == runs[-1][1] + 1:
            runs[-1][1] = code
        else:
            runs.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in runs)


@cache
def combining_marks() -> str:
    """Combining marks of the Basic Multilingual Plane, for character classes. Python's `\\w` leaves them out,
    and without them the words of Hindi or of vocalised Arabic would fall apart. No Latin text has any."""
    return _as_ranges(code for code in chain(*_WITH_MARKS) if unicodedata.category(chr(code))[0] == "M")


def word_or_character() -> str:
    """A pattern of one word; of scripts without spaces, each character is one."""
    return rf"[{SPACELESS_SCRIPTS}]|(?:(?![{SPACELESS_SCRIPTS}])[\w{combining_marks()}])+"


def is_latin(text: str) -> bool:
    """Whether all characters of the text are of the Latin blocks."""
    return text.isascii() or max(text) <= LAST_LATIN


def is_mostly_latin(text: str) -> bool:
    """Whether at least half of the letters are Latin; true where there are none."""
    if text.isascii():
        return True
    letters = [character for character in text if character.isalpha()]
    return 2 * sum(letter <= LAST_LATIN for letter in letters) >= len(letters)
