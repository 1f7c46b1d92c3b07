"""Which letters belong to which scripts."""

from __future__ import annotations

# Letters up to this one are Latin.
LAST_LATIN = "\u024f"
# Thai to Burmese, Khmer, kana, Han and Hangul: no spaces, or particles that cling to the word.
SPACELESS_SCRIPTS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)


def is_latin(text: str) -> bool:
    """Whether all letters of the text are Latin."""
    return text.isascii() or max(text) <= LAST_LATIN
