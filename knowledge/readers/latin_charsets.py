"""Which of the national character sets of Latin letters a text is written in.

Windows-1252 is what Western Europe writes. The sets of other countries have other letters in the same places, so that
Polish, Czech or Turkish comes out as no language at all. A set is right where the language that the text then is in
has the letters that the text then has. A few words are of Western Europe until they cannot be: “25 m³” is no “25 mł”.
"""

from __future__ import annotations

import io
import re
from functools import cache
from typing import Any

WESTERN = "cp1252"
# By character set, the letters beyond ASCII of each of its languages.
_WESTERN_LETTERS = {
    "af": "áäéèêëíîïóôöúûüý",
    "ca": "àçéèíïóòúü·",
    "da": "åæøáéóü",
    "de": "äöüß",
    "es": "áéíñóúüªº",
    "et": "äöõüšž",
    "eu": "çñü",
    "fi": "åäöšž",
    "fr": "àâæçéèêëîïôœùûüÿ",
    "ga": "áéíóú",
    "gl": "áéíñóúüïªº",
    "is": "áéíóúýðþæö",
    "it": "àèéìíîòóùú",
    "nb": "åæøéèêóòôü",
    "nl": "áéëèêïíóöúü",
    "nn": "åæøéèêóòôü",
    "no": "åæøéèêóòôü",
    "pt": "áâãàçéêíóôõúüªº",
    "sv": "åäöéàü",
}
_CENTRAL_LETTERS = {
    "bs": "čćđšž",
    "cs": "áčďéěíňóřšťúůýž",
    "hr": "čćđšž",
    "hu": "áéíóöőúüű",
    "pl": "ąćęłńóśźż",
    "ro": "ăâîşţ",
    "sk": "áäčďéíĺľňóôŕšťúýž",
    "sl": "čšž",
    "sr": "čćđšž",
}
_NATIONAL_LETTERS = {
    "cp1250": _CENTRAL_LETTERS,
    "iso8859_2": _CENTRAL_LETTERS,
    "cp1254": {"tr": "çğıiöşüâîû"},
    "cp1257": {"et": "äöõüšž", "lt": "ąčęėįšųūž", "lv": "āčēģīķļņšūž"},
}
_ENGLISH = "en"
# A name from elsewhere may have a letter that the language lacks.
_MIN_FITTING = 0.95
_MAX_JUDGED, _BYTES_AROUND = 4_000, 100
# So many letters that the sets read differently, and so many different ones, prove a set. Of Turkish, few differ.
_MIN_DIFFERING, _MIN_KINDS = 5, {"cp1250": 3, "iso8859_2": 3, "cp1254": 2, "cp1257": 3}
# So many words say by themselves in which language they are.
_MIN_WORDS = 8
# How likely the language is, with its own letters and with those of Western Europe, where a few words suffice.
_MIN_SURE, _MIN_SURE_WESTERN = 0.95, 0.75
# So many signs inside words, of at least so many letters, are none of a text of Western Europe: “m³K” is.
_MIN_SIGNS, _MIN_WORD_LENGTH = 2, 4
# These also begin a word where they stand for letters; “¹See” and “¿Qué” begin with a sign.
_SIGNS_AT_START = "£¥¯"
# Icelandic has other letters beside those that may be Turkish.
_ICELANDIC_OR_TURKISH = frozenset("ðýþö")
_HIGH_BYTE = re.compile(rb"[\x80-\xff]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
# A sign between two letters belongs to no word, except these.
_WITHIN_WORDS = "’‘\xad–-"
_ORDINALS = "ªº"
_UNDEFINED = "\ufffd"
_STRAY_SIGN = re.compile(r"[^\W\d_][¡-©¬-¶¸¹¼-¿]|[¡-©¬-¶¸¹¼-¿][^\W\d_]")
_WORD = re.compile(r"[^\W\d_]{2,}")


def latin_charset(sample: bytes) -> str:
    """The character set of Latin text; that of Western Europe where nothing speaks for another one."""
    judged = _judged_bytes(sample)
    if not _differs(judged):
        return WESTERN
    western = judged.decode(WESTERN, errors="replace")
    language, _ = _language(western)
    if language == _ENGLISH or (language in _WESTERN_LETTERS and _fits(western, _WESTERN_LETTERS[language])):
        return WESTERN
    texts = {charset: judged.decode(charset, errors="replace") for charset in _NATIONAL_LETTERS}
    national = [charset for charset, text in texts.items() if _is_national(charset, western, text)]
    # Those of Central Europe share most letters.
    return min(national, key=lambda charset: len(_STRAY_SIGN.findall(texts[charset])), default=WESTERN)


def _is_national(charset: str, western: str, text: str) -> bool:
    """Whether this reading of the text is the right one, and not that of Western Europe."""
    letters = _NATIONAL_LETTERS[charset]
    language, share = _language(text)
    if language not in letters or not any(_fits(text, one) for one in letters.values()):
        return False
    if share >= _MIN_SURE and _is_sure_either_way(western, text, language, letters[language]):
        return True
    signs = _signs_in_words(western, text)
    if signs >= _MIN_SIGNS:
        return True
    if not signs and _may_be_western(western):
        return False
    by_words = _language(western)[0] in letters and _is_told_by_words(western, text)
    return by_words or _has_many_letters(western, text, kinds=_MIN_KINDS[charset])


def _is_sure_either_way(western: str, text: str, language: str, letters: str) -> bool:
    """Whether a few words are of this language beyond doubt, even where they are read with wrong letters."""
    other, share = _language(western)
    is_changed = any(sign != text[at] and not _is_lost(sign, text, at) for at, sign in enumerate(western))
    return other == language and share >= _MIN_SURE_WESTERN and is_changed and _fits(text, letters)


def _judged_bytes(sample: bytes) -> bytes:
    """What stands around the first letters beyond ASCII."""
    pieces, end, length = [], 0, 0
    for found in _HIGH_BYTE.finditer(sample):
        if length >= _MAX_JUDGED:
            break
        if found.start() >= end:
            start, end = max(end, found.start() - _BYTES_AROUND), found.end() + _BYTES_AROUND
            pieces.append(sample[start:end])
            length += end - start
    return b"".join(pieces)


def _differs(judged: bytes) -> bool:
    """Whether it matters which of the sets it is. Quotation marks and dashes have the same places in most of them."""
    beyond = bytes(sorted(byte for byte in set(judged) if byte >= 0x80))
    texts = {beyond.decode(one, errors="replace") for one in (WESTERN, "cp1250", "cp1254", "cp1257")}
    return len(texts) > 1


def _signs_in_words(western: str, text: str) -> int:
    """How many signs stand inside words, where the other reading has letters. One that Windows-1252 does not have is
    proof enough."""
    signs = 0
    for found in _WORD.finditer(text):
        start, end = found.span()
        word = western[start:end]
        if _UNDEFINED in word:
            return _MIN_SIGNS
        if len(word) >= _MIN_WORD_LENGTH:
            inside = word if word[0] in _SIGNS_AT_START else word[1:]
            signs += sum(not one.isalpha() for one in inside[:-1])
    return signs


def _may_be_western(western: str) -> bool:
    """Whether one language of Western Europe has all these letters."""
    found = {one.lower()[0] for one in _NOT_ASCII.findall(western) if one.isalpha()}
    names = [name for name in _WESTERN_LETTERS if name != "is" or not found <= _ICELANDIC_OR_TURKISH]
    return any(found <= set(_WESTERN_LETTERS[name]) for name in names)


def _has_many_letters(western: str, text: str, *, kinds: int) -> bool:
    differing = [
        text[at].lower() for at, sign in enumerate(western) if sign != text[at] and not _is_lost(sign, text, at)
    ]
    return len(differing) >= _MIN_DIFFERING and len(set(differing)) >= kinds


def _is_told_by_words(western: str, text: str) -> bool:
    """Whether there are so many words that their language is known, and no sign that would be lost."""
    is_long = len(_WORD.findall(western)) >= _MIN_WORDS
    return is_long and not any(_is_lost(sign, text, at) for at, sign in enumerate(western))


def _is_lost(sign: str, text: str, at: int) -> bool:
    """Whether a sign that stands as the texts of Western Europe have it, m³, £20 or 1º, would become a letter."""
    is_ordinal = sign in _ORDINALS
    if sign == text[at] or sign == _UNDEFINED or not text[at].isalpha() or (sign.isalpha() and not is_ordinal):
        return False
    before, after = text[max(0, at - 1) : at], text[at + 1 : at + 2]
    begins_word = is_ordinal and not before.isalnum() and after.islower()
    return not begins_word and not (before.isalpha() and after.isalpha())


def _fits(text: str, letters: str) -> bool:
    found = list(_NOT_ASCII.finditer(text))
    fitting = sum(_is_fitting(text, one.start(), letters) for one in found)
    return fitting >= _MIN_FITTING * len(found)


def _is_fitting(text: str, at: int, letters: str) -> bool:
    character = text[at]
    if character.isalpha():
        return character.lower()[0] in letters
    if not character.isprintable() and character not in "\xa0\xad":
        return False
    is_within = text[at - 1 : at].isalpha() and text[at + 1 : at + 2].isalpha()
    return not is_within or character in _WITHIN_WORDS


def _language(text: str) -> tuple[str, float]:
    """The language, and how likely it is that one."""
    language, share = _identifier().classify(text)
    return str(language), float(share)


class _FilesInMemory:
    @staticmethod
    def TemporaryFile(suffix: str = "") -> io.BytesIO:  # as `tempfile` calls it
        return io.BytesIO()


@cache
def _identifier() -> Any:
    # Imported late: nearly all text is UTF-8, and the model takes half a second and 80 MB.
    from py3langid import modelio
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    # The library unpacks its model into a file, and a confined process can write none.
    modelio.tempfile = _FilesInMemory
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
