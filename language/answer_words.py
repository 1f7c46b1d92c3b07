"""The “yes” before a sentence: it answers the question, and no page says it."""

from __future__ import annotations

from language.lazy_pattern import lazy_pattern
from language.negation import has_negation
from language.scripts import word_or_character

# Each with the words that deny in its languages; of English, `language.negation` knows them.
_DENIALS = {
    "yes": "",
    "ja": "nicht nichts kein keine keinen keinem keiner keines nie niemals niemand ohne niet geen inte ikke ingen",
    "oui": "ne n pas non aucun aucune jamais sans rien",
    "sí": "no nunca nadie nada sin ningún ninguna ninguno",
    "sì": "non mai nessun nessuna nessuno senza",
    "sim": "não nunca ninguém nada sem nenhum nenhuma",
    "हाँ": "नहीं न ना मत बिना",
    "हां": "नहीं न ना मत बिना",
    "是的": "不 没 沒 无 無 未 非 勿",
    "是": "不 没 沒 无 無 未 非 勿",
    "نعم": "لا ليس ليست لم لن غير بدون",
}
_MARKS = ",:;.!–—，：；。！،؛"
_WORD = lazy_pattern(word_or_character)


def without_leading_yes(text: str) -> str:
    """“Yes: a keelboat carries five.” is “a keelboat carries five.” Where nothing follows, or no mark stands between,
    the text stays as it is; also where the rest denies something, for whether a yes to that is right ("Yes, no refund
    is possible") depends on what was asked."""
    bare = text.lstrip()
    for word, denials in _DENIALS.items():
        if bare[: len(word)].casefold() == word:
            mark, rest = bare[len(word) :].lstrip()[:1], bare[len(word) :].lstrip()[1:].lstrip()
            return rest if mark and mark in _MARKS and rest and not _denies(rest, denials.split()) else text
    return text


def _denies(text: str, denials: list[str]) -> bool:
    if not denials:
        return has_negation(text)
    words = set(_WORD.findall(text.casefold()))
    return not words.isdisjoint(denials)
