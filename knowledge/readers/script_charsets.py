"""Which character set a text that is not UTF-8 is written in, by how likely its characters are in each of them.

A few words are enough: read in a wrong set, they are rare characters, capitals within words, or none at all. Which of
the sets of Latin letters it is, `latin_charsets` finds out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

LATIN = "latin"
_MAX_JUDGED = 2_000
_HIGH_BYTE = re.compile(rb"[\x80-\xff]")
_LATIN_WORD = re.compile(rb"[A-Za-z\x80-\xff]*[\x80-\xff][A-Za-z\x80-\xff]*")
# The marks and dashes of Windows-1252 around a word belong to none.
_LATIN_MARKS = bytes([0x80, *range(0x82, 0x88), 0x8B, *range(0x91, 0x98), 0x9B, *range(0xA0, 0xAA), *range(0xAB, 0xC0)])
# Words of Latin letters have at most this share of letters beyond ASCII.
_MAX_LATIN_SHARE = 0.6
# At least so many of the characters beyond ASCII are ones that the language uses.
_MIN_KNOWN = 0.85

# By language, its letters from the most common one.
_ALPHABETS = {
    "russian": "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё",
    "ukrainian": "оаниівтерслкумдпязьбгйчхцїюжщєшфґ",
    "serbian": "аоиенрсјтувкдмпљзглбчцњшжћхђфџ",
    "greek": "αοιετσνηυρπκμλωςδγχίόάέήύθώφβξζψϊϋΐΰ",
    "hebrew": "יוהלאמתרבשנעםדחקפכגטסזצןךףץ",
    "arabic": "اليمنوترةبعدسفهكقحجشطصخىذأثضزغظءئإؤآ",
    "thai": "านรอกเ่งมยล้วดทสีตัะปบิคหแจพชขใไโุ์ูถึผธื็ศณษซฝฟภญฉฮฆฌฎฏฐฑฒฤฬฯๆ",
}
_CYRILLIC = ("russian", "ukrainian", "serbian")
_LANGUAGES = {
    "cp1251": _CYRILLIC,
    "koi8_u": _CYRILLIC,
    "cp866": _CYRILLIC,
    "iso8859_5": _CYRILLIC,
    "mac_cyrillic": _CYRILLIC,
    "cp1253": ("greek",),
    "iso8859_7": ("greek",),
    "cp1255": ("hebrew",),
    "cp1256": ("arabic",),
    "cp874": ("thai",),
}
# Every so many letters in its order, one is a third as common.
_RANKS_TO_A_THIRD = 10
_PUNCTUATION = "“”«»„–—’‘…№§°\xa0،؛؟·"

# The most common characters, and the share of a text that they make up.
_MOST_COMMON = {
    "gb18030": ("的一是不了在人有我他这中大来上个国说们为子和你地出道也时年得就那要下以生会自着去之过家学对可", 0.35),
    "big5": ("的一是不了在人有我他這中大來上個國說們為子和你地出道也時年得就那要下以生會自著去之過家學對可", 0.35),
    "cp949": (
        "이다는에의을가고하지은를로도서한사시자인기리대어있수정나해아그부제라전일들보장과스주상으화조관원성비구여중면안"
        "동공게경국개유생우신만습니세계음까내것소선무방용위물치간발산연년회실",
        0.8,
    ),
    "cp932": ("ﾞﾝｲｳｼｶｸｷﾄﾀﾂｺﾏﾗﾘﾙｽﾖﾕｮｭﾟｰｻ", 0.28),
}

_Range = tuple[range, range | None]
_WHOLE_ROW = range(0xA1, 0xFF)
# By character set, the first and second bytes of groups of characters, and the share of a text that each makes up: of
# the characters that are in daily use, of the others, and of its marks. Without second bytes each is a character.
_GROUPS: Mapping[str, Sequence[tuple[_Range, float]]] = {
    "gb18030": (
        ((range(0xB0, 0xD8), _WHOLE_ROW), 0.9),
        ((range(0xD8, 0xF8), _WHOLE_ROW), 0.02),
        ((range(0xA1, 0xA4, 2), _WHOLE_ROW), 0.07),
    ),
    "big5": (
        ((range(0xA4, 0xC7), range(0x40, 0xFF)), 0.91),
        ((range(0xC9, 0xFA), range(0x40, 0xFF)), 0.01),
        ((range(0xA1, 0xA4), range(0x40, 0xFF)), 0.07),
    ),
    "cp949": (
        ((range(0xB0, 0xC9), _WHOLE_ROW), 0.93),
        ((range(0xCA, 0xFE), _WHOLE_ROW), 0.002),
        ((range(0xA1, 0xA4, 2), _WHOLE_ROW), 0.05),
    ),
    "euc_jp": (
        ((range(0xA4, 0xA5), _WHOLE_ROW), 0.45),
        ((range(0xA5, 0xA6), _WHOLE_ROW), 0.12),
        ((range(0xB0, 0xD0), _WHOLE_ROW), 0.33),
        ((range(0xD0, 0xF5), _WHOLE_ROW), 0.01),
        ((range(0xA1, 0xA4, 2), _WHOLE_ROW), 0.07),
    ),
    "cp932": (
        ((range(0x82, 0x83), range(0x9F, 0xF2)), 0.41),
        ((range(0x83, 0x84), range(0x40, 0x97)), 0.11),
        ((range(0x88, 0x99), range(0x40, 0xFD)), 0.30),
        ((range(0x99, 0xEB), range(0x40, 0xFD)), 0.01),
        ((range(0x81, 0x83), range(0x40, 0x9F)), 0.06),
        ((range(0xA1, 0xE0), None), 0.1),  # katakana of half width, in which banks write names
    ),
}
# Logarithms: of a character that the language does not use, of one of ASCII, of a Latin letter beyond it.
_UNKNOWN, _ASCII, _LATIN_LETTER = math.log(1e-8), math.log(1 / 30), math.log(1 / 500)
_CAPITAL, _CAPITAL_WITHIN, _SMALL_AFTER_CAPITALS = math.log(0.2), math.log(0.001), math.log(0.05)
_CAPITAL_AFTER_ANOTHER = math.log(0.9)
# What stands beside a letter of ASCII: a word has letters of one script, while Chinese and Japanese have no spaces.
_BESIDE_ASCII = re.compile(r"[A-Za-z](?=[^\x00-\x7f])|[^\x00-\x7f](?=[A-Za-z])")
_MIXED_WORD, _MIXED_LINE = math.log(0.001), math.log(0.01)
# Other scripts have bytes beyond ASCII side by side.
_QUOTES_AND_ASCII = bytes([*range(0x80), 0x80, 0x82, 0x84, 0x85, *range(0x91, 0x98), 0xA0, 0xAB, 0xBB])
_PAIR = re.compile(rb"[\x80-\xff]{2}")


def likely_charset(sample: bytes) -> str | None:
    """`LATIN`, or the character set of another script; None where it is in none of those that are known here."""
    judged = _judged_bytes(sample)
    if not _PAIR.search(judged) or not judged.translate(None, _QUOTES_AND_ASCII):
        return LATIN
    scores = {LATIN: _latin_score(judged)}
    for charset in _GROUPS:
        text = judged.decode(charset, errors="replace")
        scores[charset] = _score(text, _common_characters(charset)) + _MIXED_LINE * len(_BESIDE_ASCII.findall(text))
    for charset, languages in _LANGUAGES.items():
        text = judged.decode(charset, errors="replace")
        by_letters = max(_score(text.lower(), _alphabet(name)) for name in languages)
        mixed = _MIXED_WORD * len(_BESIDE_ASCII.findall(text))
        scores[charset] = by_letters + mixed + _score_of_capitals(text)
    likely = max(scores, key=scores.__getitem__)
    return likely if _is_believed(judged, likely) else None


def _judged_bytes(sample: bytes) -> bytes:
    """The first lines with bytes beyond ASCII: no line ends within a character. One without ends begins with one."""
    lines: list[bytes] = []
    length = 0
    for line in sample.splitlines():
        if length >= _MAX_JUDGED:
            break
        if found := _HIGH_BYTE.search(line):
            begin = found.start() if len(line) > _MAX_JUDGED else 0
            lines.append(line[begin : begin + _MAX_JUDGED])
            length += len(lines[-1])
    return b"\n".join(lines)


def _is_believed(judged: bytes, charset: str) -> bool:
    if charset == LATIN:
        return _latin_share(judged) <= _MAX_LATIN_SHARE
    beyond = [one for one in judged.decode(charset, errors="replace").lower() if not one.isascii()]
    languages = [_common_characters(charset)] if charset in _GROUPS else [_alphabet(n) for n in _LANGUAGES[charset]]
    return any(sum(one in known for one in beyond) >= _MIN_KNOWN * len(beyond) for known in languages)


def _latin_share(judged: bytes) -> float:
    """Of the letters of words that have letters beyond ASCII, how many are these."""
    words = [found[0].strip(_LATIN_MARKS) for found in _LATIN_WORD.finditer(judged)]
    marked = [word for word in words if _HIGH_BYTE.search(word)]
    return sum(len(_HIGH_BYTE.findall(word)) for word in marked) / max(1, sum(map(len, marked)))


def _latin_score(judged: bytes) -> float:
    beyond = len(_HIGH_BYTE.findall(judged))
    return beyond * _LATIN_LETTER + (len(judged) - beyond) * _ASCII


def _score(text: str, known: Mapping[str, float]) -> float:
    return sum(_ASCII if one.isascii() else known.get(one, _UNKNOWN) for one in text)


def _score_of_capitals(text: str) -> float:
    """A capital begins a word, or stands among others. Where words in capitals begin, more of them follow."""
    score, before, is_in_capitals = 0.0, "  ", False
    for one in text:
        if not one.isascii():
            if one.isupper() and not is_in_capitals:
                score += _CAPITAL_AFTER_ANOTHER if before[1].isupper() else _CAPITAL
                score += _CAPITAL_WITHIN if before[1].islower() else 0
            elif one.islower() and all(map(str.isupper, before)):
                score += _SMALL_AFTER_CAPITALS
        if one.isalpha():
            is_in_capitals = one.isupper() and (is_in_capitals or before[1].isupper())
        before = before[1] + one
    return score


@cache
def _alphabet(language: str) -> dict[str, float]:
    weights = [math.exp(-rank * math.log(3) / _RANKS_TO_A_THIRD) for rank in range(len(_ALPHABETS[language]))]
    total = sum(weights)
    letters = {
        letter: math.log(0.95 * weight / total) for letter, weight in zip(_ALPHABETS[language], weights, strict=True)
    }
    return letters | _equal_shares(_PUNCTUATION, 0.03)


@cache
def _common_characters(charset: str) -> dict[str, float]:
    known: dict[str, float] = {}
    for (firsts, seconds), share in _GROUPS[charset]:
        codes = ((first, *second) for first in firsts for second in (zip(seconds) if seconds else [()]))
        found = (bytes(code).decode(charset, errors="ignore") for code in codes)
        known |= _equal_shares([one for one in found if len(one) == 1 and not one.isascii()], share)
    if charset in _MOST_COMMON:
        characters, share = _MOST_COMMON[charset]
        known = {one: weight + math.log(1 - share) for one, weight in known.items()}
        known |= _equal_shares(characters, share)
    return known


def _equal_shares(characters: Iterable[str], share: float) -> dict[str, float]:
    characters = list(characters)
    return dict.fromkeys(characters, math.log(share / len(characters)))
