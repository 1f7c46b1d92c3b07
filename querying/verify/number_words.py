"""Numbers written as words, as far as they are safe to read: "one" alone is mostly no number, "second" no figure."""

from __future__ import annotations

from fractions import Fraction

_SMALL_WORDS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen
"""
_SMALL = _SMALL_WORDS.split()
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_VALUES = {word: value for value, word in enumerate(_SMALL)} | {word: 10 * n for n, word in enumerate(_TENS, 2)}
_VALUES["dozen"] = 12
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_PARTS = {"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarters": 4, "fifths": 5, "tenths": 10, "tenth": 10}
_ONE = frozenset({"a", "one"})

NUMBER_WORDS = rf"(?:{'|'.join([*_VALUES, *_SCALES])})"
# "A third party" is no third.
_ABOVE, _BELOW = "one|two|three|four|nine", "thirds?|quarters|fifths|tenths?"
FRACTION_WORDS = rf"(?:(?:{_ABOVE})-(?:halves|half|{_BELOW})|(?:{_ABOVE}|a) (?:{_BELOW})(?= of\b)|half)"


def value_of(words: str) -> Fraction | None:
    """ "forty-five", "two hundred and ten", "two-thirds", "half". None when the words make no number."""
    parts = [word for word in words.lower().replace("-", " ").split() if word != "and"]
    if parts and parts[-1] in _PARTS:
        above = 1 if len(parts) == 1 or parts[0] in _ONE else _VALUES[parts[0]]
        return Fraction(above, _PARTS[parts[-1]])
    return _whole(parts)


def _whole(parts: list[str]) -> Fraction | None:
    total = group = 0
    before = ""
    for word in parts:
        if word in _SCALES:
            scale = _SCALES[word]
            group = max(group, 1) * scale
            if scale > 100:
                total, group = total + group, 0
        elif before in _VALUES and not (before in _TENS and 0 < _VALUES[word] < 10):
            return None  # "one two": two numbers, or a telephone's
        else:
            group += _VALUES[word]
        before = word
    return Fraction(total + group)
