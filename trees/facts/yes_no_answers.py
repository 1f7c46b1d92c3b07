"""Where “yes” and “no” answer a field's question: “no coffee” answers nothing."""

from __future__ import annotations

from itertools import takewhile

from trees.definition.fields import NO, YES, FactField
from trees.facts.negation import is_negation
from trees.words import WordToken, are_same_words, is_content_word, word_set

# “Yes it does”, “no there is none”.
_ECHOES = word_set(
    "it they he she i we you there that this is are am was were do does did has have had can could will would not none"
)
_DOUBTS = word_set(
    "know knows sure certain unsure unclear idea clue tell maybe perhaps possibly probably guess think wait"
)
# What may stand between a field's name and its answer.
_ANSWER_SIGNS = frozenset({":", "=", "-", "–", "—"})


def is_yes_or_no_word(words: tuple[str, ...]) -> bool:
    return len(words) == 1 and words[0] in YES | NO


def answers_text(text: str, said: list[WordToken], at: int) -> bool:
    """Whether this yes or no answers a question that the whole text is a reply to: it opens the text (“no”, “No, it
    hums”, “yes it does”), or is a clause of its own."""
    if any(word.text in _DOUBTS for word in said) or _is_asked(text, said[at]):
        return False
    clause = _rest_of_clause(said, at)
    if not clause:
        return at == 0 or said[at].starts_clause
    is_echo = all(word.text in _ECHOES or is_negation(word.text) for word in clause)
    return at == 0 and is_echo and any(is_negation(word.text) for word in clause) == (said[at].text in NO)


def start_of_named_answer(field: FactField, text: str, said: list[WordToken], at: int) -> int | None:
    """The first word of the field's name where this yes or no stands behind it, at the end of a clause: “receipt: no”.
    None where it does not."""
    first = at - len(field.words)
    if first < 0 or _rest_of_clause(said, at) or _is_asked(text, said[at]):
        return None
    name = said[first:at]
    if not are_same_words([word.text for word in name], field.words) or any(word.starts_clause for word in name[1:]):
        return None
    sign = text[name[-1].end : said[at].start].strip()
    return first if sign in _ANSWER_SIGNS or (not sign and not _is_abbreviation(text, said[at])) else None


def denies_name(field: FactField, said: list[WordToken], at: int) -> bool:
    """Whether this “no” denies the thing that the field is named after: “I have no receipt”, but no “receipt book”."""
    behind = at + 1 + len(field.words)
    name = said[at + 1 : behind]
    if said[at].text not in NO or not are_same_words([word.text for word in name], field.words):
        return False
    ends = behind == len(said) or said[behind].starts_clause or not is_content_word(said[behind].text)
    return ends and not any(word.starts_clause for word in name)


def _rest_of_clause(said: list[WordToken], at: int) -> list[WordToken]:
    return list(takewhile(lambda word: not word.starts_clause, said[at + 1 :]))


def _is_asked(text: str, word: WordToken) -> bool:
    """“A receipt, no?” asks for it."""
    return text[word.end :].lstrip()[:1] == "?"


def _is_abbreviation(text: str, word: WordToken) -> bool:
    """“Receipt no. 12” gives a number."""
    behind = text[word.end :].strip()
    return behind.startswith(".") and behind != "."
