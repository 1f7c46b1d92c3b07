"""Which of the national character sets of Latin letters a text is written in.

Windows-1252 is what Western Europe writes. The sets of other countries have other letters in the same places, so that
Polish, Czech or Turkish comes out as no language at all. A set is right where the language that the text then is in
has the letters that the text then has.
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
_HIGH_BYTE = re.compile(rb"[\x80-\xff]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
# A sign between two letters belongs to no word, except these.
_WITHIN_WORDS = "’‘\xad–-"


def latin_charset(sample: bytes) -> str:
    """The character set of Latin text; that of Western Europe where nothing speaks for another one."""
    judged = _judged_bytes(sample)
    if not _differs(judged):
        return WESTERN
    western = judged.decode(WESTERN, errors="replace")
    language = _language(western)
    if language == _ENGLISH or (language in _WESTERN_LETTERS and _fits(western, _WESTERN_LETTERS[language])):
        return WESTERN
    for charset, letters in _NATIONAL_LETTERS.items():
        text = judged.decode(charset, errors="replace")
        if _language(text) in letters and any(_fits(text, one) for one in letters.values()):
            return charset
    return WESTERN


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


def _language(text: str) -> str:
    language, _ = _identifier().classify(text)
    return str(language)


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
    return LanguageIdentifier.from_model_file(MODEL_FILE)
