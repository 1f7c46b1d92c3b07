"""Words that deny what stands beside them, in the languages that Lexic speaks."""

from __future__ import annotations

from trees.words import WordToken, word_set

# How many words may stand between a negation and what it denies.
NEGATION_WINDOW = 4
_NEGATIONS = word_set(
    "not no non never without neither nor none cannot except excluding unlike instead than "
    "isnt arent wasnt werent dont doesnt didnt cant wont"
)
# Of other languages. Their word order is not known here: what they stand beside is left open, and never its opposite.
_FOREIGN_NEGATIONS = word_set(
    "nicht nie niemals ohne weder kein keine keinen keinem keiner keines "
    "nunca jamás sin tampoco ne pas jamais sans aucun aucune não nem sem "
    "नहीं न ना मत बिना ليس ليست لا لم لن غير بدون"
)
# In these languages it also stands behind: “verzinkt ist es nicht”, “गीला नहीं है”.
_NEGATIONS_BEHIND = word_set("nicht nie niemals नहीं न ना मत बिना")
# What follows these is no longer denied: “not only wet”, “not mild but severe”.
_CONTRASTS = word_set("but only however although sondern aber nur mais seulement sino pero sólo solo mas só लेकिन لكن")
_CONJUNCTIONS = word_set(
    "and or if when und oder wenn falls et ou si quand y e o cuando und och और या अगर यदि و أو إذا إن"
)


def is_negation(word: str) -> bool:
    return word in _NEGATIONS or word.endswith("n't")


def is_foreign_negation(word: str) -> bool:
    return word in _FOREIGN_NEGATIONS or word.startswith("n'")


def is_contrast(word: str) -> bool:
    return word in _CONTRASTS


def is_conjunction(word: str) -> bool:
    return word in _CONJUNCTIONS


def is_negated_behind(said: list[WordToken], last: int) -> bool:
    """Whether a negation stands in the few words behind this one, before the thought ends."""
    for word in said[last + 1 : last + 1 + NEGATION_WINDOW]:
        if word.starts_clause or is_contrast(word.text) or is_conjunction(word.text):
            return False
        if word.text in _NEGATIONS_BEHIND:
            return True
    return False
