"""The scripts that the OCR models can read, and the languages that are written in them."""

from __future__ import annotations

import unicodedata

# Prefixes of Unicode character names. Greek letters count as signs of formulas in every language.
_SCRIPT_NAMES = {
    "latin": ("LATIN", "GREEK", "MICRO", "OHM", "FEMININE", "MASCULINE"),
    "greek": ("GREEK",),
    "chinese": ("CJK",),
    "japanese": ("CJK", "HIRAGANA", "KATAKANA", "HALFWIDTH"),
}
_LATIN_LANGUAGES = (
    "af az bs ca cs cy da de en es et eu fi fr ga gl hr hu id is it la lb lt lv mi ms mt nb nl nn no pl pt ro sk sl sq "
    "sv sw tl tr uz zu"
)
# By language code (ISO 639-1).
SCRIPT_OF_LANGUAGE = {
    **dict.fromkeys(_LATIN_LANGUAGES.split(), "latin"),
    "el": "greek",
    "zh": "chinese",
    "ja": "japanese",
}
READ_SCRIPTS = "Latin, Greek, Chinese and Japanese"


def scripts_of(languages: list[str]) -> frozenset[str]:
    """The scripts of these languages, and the Latin one, which occurs in texts of all languages. An empty set if there
    are no languages. Raises `KeyError` for a language that cannot be read."""
    return frozenset({"latin", *(SCRIPT_OF_LANGUAGE[one] for one in languages)}) if languages else frozenset()


def is_of_scripts(text: str, scripts: frozenset[str]) -> bool:
    """Whether all letters of the text are in these scripts. Signs and digits always are. With no scripts, every text
    is."""
    if not scripts:
        return True
    names = tuple(name for script in scripts for name in _SCRIPT_NAMES[script])
    return all(unicodedata.name(one, "").startswith(names) for one in text if one.isalpha() and not one.isascii())
