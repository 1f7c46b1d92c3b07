"""Questions that a sentence answers, made of its own words."""

from __future__ import annotations

import re

from language.units import are_units_comparable, parse_unit

_AUXILIARIES = "is|are|was|were|must|may|can|should|shall|will"
# What a sentence is about: a few words before its first auxiliary, without commas.
_STATEMENT = re.compile(rf"([A-Z][^,;:()]{{1,70}}?) ({_AUXILIARIES}) ([^;:()]+?)[.]?", re.DOTALL)
_FIGURE = re.compile(r"(?<![\w.,-])(\d[\d,]*(?:\.\d+)?)[ \u00a0]?(%|°[CF]|[A-Za-zµ²³/]+)?(?!\w| per | a )")
_PREPOSITION = re.compile(
    r"(?:^|\s)(at|to|for|by|within|after|every|below|above|until|before)?\s*"
    r"(?:(?:at least|at most|about|around|up to|(?:no|not) more than|no less than|a (?:maximum|minimum) of)\s*)?$"
)
# A subject of these says nothing without the sentences before.
_UNCLEAR = frozenset(
    [
        "there",
        "it",
        "this",
        "that",
        "these",
        "those",
        "he",
        "she",
        "they",
        "you",
        "we",
        "one",
        "if",
        "when",
        "where",
        "which",
        "what",
        "who",
        "such",
    ]
)
_DETERMINERS = frozenset(
    ["a", "an", "the", "each", "every", "all", "any", "no", "some", "both", "most", "its", "their", "your", "our"]
)
# Before the auxiliary of a clause inside of the subject: “Damage that is found late”.
_RELATIVE_PRONOUNS = frozenset(["that", "which", "who", "whose", "whom"])
# Before the auxiliary of a clause behind the subject's own verb: “A booking lapses if the machine is …”.
_CONJUNCTIONS = frozenset(
    ["although", "because", "if", "once", "though", "unless", "when", "whenever", "whether", "while"]
)
# Before the auxiliary of a second verb: “Extinguishers hang on each landing and are inspected …”.
_COORDINATORS = frozenset(["and", "but", "or", "then"])
_MAX_WORDS = 9


def question_about(sentence: str, *, text: str = "") -> tuple[str, str] | None:
    """A question that asks for the first figure of a sentence, and that figure as it is written: `The lid is closed at
    600 °C.` gives `At what temperature is the lid closed?` and `600 °C`. None where no plain question comes out.
    `text` shows which words are names: those with a capital inside of a sentence.
    """
    sentence = " ".join(sentence.split())
    figure = next((found for found in _FIGURE.finditer(sentence) if _kind(found[2] or "") or found[2] is None), None)
    stated = _STATEMENT.fullmatch(sentence)
    if figure is None or stated is None or figure.start() < stated.start(3):
        return None
    subject, auxiliary, _ = stated.groups()
    before = sentence[stated.start(3) : figure.start()]
    preposition = _PREPOSITION.search(before)
    asked = _question_word((preposition and preposition[1]) or "", _kind(figure[2] or ""))
    rest = before[: preposition.start()].strip() if preposition else before.strip()
    if not asked or _is_unclear(subject) or "," in rest or len(rest.split()) > _MAX_WORDS:
        return None
    if asked == "What" and rest:  # only what something is, not what is done to it
        return None
    words = [asked, auxiliary, _in_the_middle(subject, text), *rest.split()]
    return f"{' '.join(words)}?", figure[0].strip()


def _kind(unit: str) -> str:
    """What a unit measures, as far as a question word depends on it; "" where it is no unit."""
    symbol = parse_unit(unit) if unit else ""
    if not symbol:
        return ""
    for kind, example in (("time", "s"), ("temperature", "degC"), ("length", "m"), ("mass", "kg")):
        if are_units_comparable(symbol, parse_unit(example) or example):
            return kind
    return "amount"


def _question_word(preposition: str, kind: str) -> str:
    if kind == "time":
        often = {"every": "How often", "within": "Within what time", "after": "After how long", "for": "For how long"}
        return often.get(preposition, "" if preposition else "What")
    if kind == "temperature":
        return f"{preposition.capitalize()} what temperature" if preposition else "What"
    return "" if preposition or not kind else "What"


def _is_unclear(subject: str) -> bool:
    words = subject.lower().split()
    is_cut = words[0] in _UNCLEAR or words[-1] in _RELATIVE_PRONOUNS | _COORDINATORS
    is_cut = is_cut or not _CONJUNCTIONS.isdisjoint(words)
    return is_cut or len(words) > _MAX_WORDS or any(character.isdigit() for character in subject)


def _in_the_middle(subject: str, text: str) -> str:
    """As it is written inside of a sentence: a first word that is no name begins small."""
    first = re.split(r"\W", subject, maxsplit=1)[0]
    is_name = not first[1:].islower() and len(first) > 1
    is_name = is_name or re.search(rf"[a-z,] {re.escape(first)}\b", text) is not None
    return subject if is_name and first.lower() not in _DETERMINERS else subject[0].lower() + subject[1:]
