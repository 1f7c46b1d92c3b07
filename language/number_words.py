"""Numbers written as words, as far as they are safe to read: "one" alone is mostly no number, "second" no figure."""

from __future__ import annotations

from fractions import Fraction

# In order, from zero.
SMALL_NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
# In order, from first.
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
VALUE_BY_WORD = {word: value for value, word in enumerate(SMALL_NUMBERS)} | {
    word: 10 * n for n, word in enumerate(_TENS, 2)
}
VALUE_BY_WORD["dozen"] = 12
SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_DENOMINATOR_BY_WORD = {"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarters": 4, "fifths": 5}
_DENOMINATOR_BY_WORD |= {"tenth": 10, "tenths": 10}
# How often something happens.
TIMES_BY_WORD = {"once": 1, "twice": 2, "thrice": 3}
_ONE_WORDS = frozenset({"a", "one"})

# ASCII alone ("a"): a pattern that ignores case would read the dotless "ı" of "fıve" as an "i", which no key has.
NUMBER_WORD_PATTERN = rf"(?a:{'|'.join([*VALUE_BY_WORD, *SCALES])})"
AND_A_HALF = " and a half"
# "A third party" is no third.
_NUMERATOR_PATTERN, _DENOMINATOR_PATTERN = "one|two|three|four|nine", "thirds?|quarters|fifths|tenths?"
FRACTION_WORD_PATTERN = (
    rf"(?a:(?:{_NUMERATOR_PATTERN})-(?:halves|half|{_DENOMINATOR_PATTERN})"
    rf"|(?:{_NUMERATOR_PATTERN}|a) (?:{_DENOMINATOR_PATTERN})(?= of\b)|half)"
)


def parse_number_words(words: str) -> Fraction | None:
    """ "forty-five", "two hundred and ten", "two-thirds", "half", "two and a half". None when the words make no
    number."""
    if words.lower().endswith(AND_A_HALF):
        whole = parse_number_words(words[: -len(AND_A_HALF)])
        return None if whole is None else whole + Fraction(1, 2)
    parts = [word for word in words.lower().replace("-", " ").split() if word != "and"]
    if parts and parts[-1] in _DENOMINATOR_BY_WORD:
        above = 1 if len(parts) == 1 or parts[0] in _ONE_WORDS else VALUE_BY_WORD[parts[0]]
        return Fraction(above, _DENOMINATOR_BY_WORD[parts[-1]])
    return _parse_whole_number(parts)


def _parse_whole_number(parts: list[str]) -> Fraction | None:
    total = group = 0
    before = ""
    for word in parts:
        if word in SCALES:
            scale = SCALES[word]
            group = max(group, 1) * scale
            if scale > 100:
                total, group = total + group, 0
        elif before in VALUE_BY_WORD and not (before in _TENS and 0 < VALUE_BY_WORD[word] < 10):
            return None  # "one two": two numbers, or a telephone's
        else:
            group += VALUE_BY_WORD[word]
        before = word
    return Fraction(total + group)
