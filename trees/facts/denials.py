"""Words that deny what stands beside them, in the languages that Lexic speaks."""

from __future__ import annotations

from trees.words import WordToken, word_set

# How many words may stand between a denial and what it denies.
DENIAL_WINDOW = 4
_DENIALS = word_set(
    "not no non never without neither nor none cannot except excluding unlike instead than "
    "isnt arent wasnt werent dont doesnt didnt cant wont "
    "nicht nie niemals ohne weder kein keine keinen keinem keiner keines "
    "nunca jamás sin ni tampoco ne pas jamais sans aucun aucune não nem sem "
    "नहीं न ना मत बिना ليس ليست لا لم لن غير بدون"
)
# In these languages it also stands behind: “verzinkt ist es nicht”, “गीला नहीं है”.
_DENIALS_BEHIND = word_set("nicht nie niemals नहीं न ना मत बिना")
# What follows these is no longer denied: “not only wet”, “not mild but severe”.
_CONTRASTS = word_set("but only however although sondern aber nur mais seulement sino pero sólo solo mas só लेकिन لكن")


def is_denial(word: str) -> bool:
    return word in _DENIALS or word.endswith("n't") or word.startswith("n'")


def is_denial_behind(word: str) -> bool:
    return word in _DENIALS_BEHIND


def is_contrast(word: str) -> bool:
    return word in _CONTRASTS


def words_of_clause_behind(said: list[WordToken], last: int) -> list[str]:
    """The next few words after this one that belong to its clause."""
    found: list[str] = []
    for word in said[last + 1 : last + 1 + DENIAL_WINDOW]:
        if word.starts_clause:
            break
        found.append(word.text)
    return found
