"""The words that bound a number: "at least", "up to", "older than"."""

from __future__ import annotations

AT_LEAST, MORE_THAN, AT_MOST, LESS_THAN = ">=", ">", "<=", "<"

# Each with "than" before a number, and with "or" behind it.
GREATER = frozenset(
    [
        "more",
        "greater",
        "larger",
        "higher",
        "longer",
        "thicker",
        "later",
        "wider",
        "heavier",
        "older",
        "faster",
        "deeper",
        "taller",
        "farther",
        "bigger",
        "better",
    ]
)
SMALLER = frozenset(
    [
        "less",
        "fewer",
        "smaller",
        "lower",
        "shorter",
        "thinner",
        "earlier",
        "narrower",
        "lighter",
        "younger",
        "slower",
        "cheaper",
        "sooner",
        "worse",
    ]
)
COMPARATIVES = GREATER | SMALLER
# What bounds a number that stands behind it.
BOUND_PHRASES = {
    **dict.fromkeys(["at least", "at the least", "starting at", "starting from"], AT_LEAST),
    **dict.fromkeys(["at most", "at the most", "up to", "limited to", "capped at", "no later than"], AT_MOST),
    **dict.fromkeys(["over", "above", "beyond", "in excess of"], MORE_THAN),
    **dict.fromkeys(["exceed", "exceeds", "exceeded", "exceeding"], MORE_THAN),
    **dict.fromkeys(["under", "below", "beneath"], LESS_THAN),
    **dict.fromkeys([f"{verb} short of" for verb in ("fall", "falls", "drop", "drops")], LESS_THAN),
    **dict.fromkeys([f"{word} than" for word in sorted(GREATER)], MORE_THAN),
    **dict.fromkeys([f"{word} than" for word in sorted(SMALLER)], LESS_THAN),
}
# These bound a number in a rule. What somebody says of a case with them may be the rule that he asks about.
LIMIT_PHRASES = {
    **dict.fromkeys(["at minimum", "at a minimum", "at the minimum", "a minimum", "minimum"], AT_LEAST),
    **dict.fromkeys(["at maximum", "at a maximum", "at the maximum", "maximum", "within", "not to exceed"], AT_MOST),
}
# What bounds a number that stands before it, behind "or" or "and".
UPWARD = GREATER | {"above", "over", "up", "upward", "upwards"}
DOWNWARD = SMALLER | {"below", "under"}
# Words of which one at least is part of every bound.
BOUND_WORDS = frozenset(
    [
        "than",
        "least",
        "most",
        "over",
        "under",
        "above",
        "below",
        "exceed",
        "exceeding",
        "exceeds",
        "exceeded",
        "within",
        "between",
        "beyond",
        "up",
        "min",
        "max",
        "minimum",
        "maximum",
    ]
)
