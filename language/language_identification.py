"""Identifies the language of a text with py3langid's model, among the languages that Lexic supports."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from language.lazy_pattern import lazy_pattern
from language.scripts import SPACELESS_SCRIPTS, is_latin

# By ISO 639-1, as py3langid names them. Norwegian is one language here.
LANGUAGE_NAMES = {
    "ar": "Arabic",
    "bg": "Bulgarian",
    "ca": "Catalan",
    "cs": "Czech",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "et": "Estonian",
    "eu": "Basque",
    "fa": "Persian",
    "fi": "Finnish",
    "fr": "French",
    "ga": "Irish",
    "he": "Hebrew",
    "hi": "Hindi",
    "hu": "Hungarian",
    "hy": "Armenian",
    "id": "Indonesian",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "lt": "Lithuanian",
    "ne": "Nepali",
    "nl": "Dutch",
    "no": "Norwegian",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sr": "Serbian",
    "sv": "Swedish",
    "ta": "Tamil",
    "th": "Thai",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "vi": "Vietnamese",
    "zh": "Chinese",
}
ENGLISH = "en"
# Of the text's beginning; more tells no more.
_MAX_CHARACTERS = 600
_MIN_LETTERS = 8
# Below this probability the language is not told. At .8 none of 10,400 English questions of eight public sets is taken
# for another language; of 58 short questions in 15 others 56 are told right and two are not told.
_MIN_PROBABILITY = 0.8
# Languages that share a script, such as Russian and Bulgarian, share the probability; none of them is English.
_MIN_PROBABILITY_OF_OTHER_SCRIPTS = 0.6
_LETTERS = re.compile(r"[^\W\d_]+")
# Scripts without letters of an alphabet say more with each sign.
_DENSE = lazy_pattern(f"[{SPACELESS_SCRIPTS}]")


def language_of(text: str) -> str:
    """The code of the language that the text is in ("en", "de"); "" where that cannot be told.

    Only its first 600 characters are read. The model is loaded with the first call (0.6 s, 80 MB).
    """
    begin = text[:_MAX_CHARACTERS]
    letters = sum(map(len, _LETTERS.findall(begin))) + 3 * len(_DENSE.findall(begin))
    if letters < _MIN_LETTERS:
        return ""
    language, probability = _identifier().classify(begin)
    least = _MIN_PROBABILITY if is_latin(begin) else _MIN_PROBABILITY_OF_OTHER_SCRIPTS
    return str(language) if probability >= least else ""


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(list(LANGUAGE_NAMES))
    return identifier
