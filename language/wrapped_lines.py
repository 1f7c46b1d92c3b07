"""Line breaks inside of a figure and what bounds it: a page breaks its lines at "30 days / or more", "at / least"."""

from __future__ import annotations

import re

from language.bound_words import BOUND_WORDS
from language.lazy_pattern import lazy_pattern
from language.number_words import NUMBER_WORD_PATTERN, SCALES
from language.stop_words import STOP_WORDS
from language.units import parse_unit

# No line ends with these, or begins with those, unless it goes on. A "no" may end one: "Lift: no".
_NO_LAST_WORD = sorted(word for word in (STOP_WORDS | BOUND_WORDS) - {"no", "minimum", "maximum"} if len(word) > 1)
# A line that begins with a label or a number of a list, and a row of a table, go on with nothing.
_BREAK = r" ?\n ?(?![^\W\d]\w{0,30} ?:|\d{1,2}[.)] |[^\n|]{0,200}\|)"
_GOES_ON = lazy_pattern(rf"\b(?P<word>{'|'.join(_NO_LAST_WORD)}){_BREAK}(?=[a-z\d$€£₹])")
_FOLLOWS = lazy_pattern(rf"(?<=[^\s.:;!?|]){_BREAK}(?=(?:or|and|nor|to|than)\b)")
# "30 / days", but not the label of another line: "30 / hours: 5".
_UNIT_FOLLOWS = lazy_pattern(rf"(?P<number>\d|\b(?i:{NUMBER_WORD_PATTERN})) ?\n ?(?P<unit>[a-z]{{3,20}})\b(?! ?[:|\d])")


def join_wrapped_figures(text: str) -> str:
    """The text with a space for each line break that parts a figure from its unit or its bound."""
    if "\n" not in text:
        return text
    text = _FOLLOWS.sub(" ", _GOES_ON.sub(r"\g<word> ", text))
    return _UNIT_FOLLOWS.sub(_joined_unit, text)


def _joined_unit(match: re.Match[str]) -> str:
    is_unit = match["unit"] in SCALES or bool(parse_unit(match["unit"]))
    return f"{match['number']} {match['unit']}" if is_unit else match.group()
