"""The letters of each script."""

from __future__ import annotations

import unicodedata

# Letters up to this one are Latin.
LAST_LATIN = "\u024f"
# Thai to Burmese, Khmer, kana, Han and Hangul: no spaces, or particles that cling to the word.
SPACELESS_SCRIPTS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)


# Combining marks of the Basic Multilingual Plane. Python's `\w` leaves them out, and without them the words
# of Hindi or of vocalised Arabic would fall apart.
COMBINING_MARKS = "".join(chr(code) for code in range(0x300, 0xFFFF) if unicodedata.category(chr(code))[0] == "M")


def is_latin(text: str) -> bool:
    """Whether all characters of the text are of the Latin blocks."""
    return text.isascii() or max(text) <= LAST_LATIN


def is_mostly_latin(text: str) -> bool:
    """Whether at least half of the letters are Latin; true where there are none."""
    if text.isascii():
        return True
    letters = [character for character in text if character.isalpha()]
    return 2 * sum(letter <= LAST_LATIN for letter in letters) >= len(letters)
