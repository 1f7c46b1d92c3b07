"""Pairs about members of a class, written by program: a passage gives values of some members, and the question asks
for one that it gives (with the row or sentence as gold) or for another member or attribute."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Pair = dict[str, Any]
Place = tuple[str, str]  # member, attribute

_QUESTIONS = (
    "What is the {a} for {m}?",
    "What is the {a} of {m}?",
    "what {a} applies to {m}",
    "{a} {m}",
    "For {m}, what is the {a}?",
    "Which {a} do {m} have?",
    "I need the {a} for {m}",
    "Tell me the {a} of {m}.",
    "What's the {a} when it comes to {m}?",
    "{m}: {a}?",
    "how much is the {a} for {m}",
    "Is there a {a} for {m}?",
    "what is {a} for {m} please",
    "In the case of {m}, which {a} is required?",
    "Could you tell me what the {a} is for {m}?",
)
_SENTENCES = (
    "The {a} for {m} is {v}.",
    "For {m}, the {a} is {v}.",
    "{M} have a {a} of {v}.",
    "{M} need a {a} of at least {v}.",
    "In the case of {m} the {a} must be {v}.",
    "The {a} of {m} shall not be less than {v}.",
    "A {a} of {v} applies to {m}.",
    "{M}: {a} {v}.",
    "{M} get {v} as {a}.",
)
_OTHER_SENTENCES = (
    "The values were reviewed last year.",
    "Exceptions need written approval.",
    "Questions go to the office.",
    "This section replaces the earlier version.",
    "See the annex for the method.",
    "Records are kept for audit.",
    "The table does not apply to temporary works.",
    "Changes are announced a month ahead.",
)
_NUMBERS: dict[str, tuple[Sequence[float], str]] = {
    "millimetres": ((10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 75, 80, 90, 100, 120, 150), "{} mm"),
    "days": ((3, 5, 7, 10, 14, 15, 20, 21, 28, 30, 45, 60, 90), "{} days"),
    "money": ((5, 10, 15, 25, 40, 50, 75, 100, 120, 250, 500, 750, 1000, 1500, 2500), "${}"),
    "percent": ((2, 3, 5, 7.5, 10, 12, 15, 20, 25, 30, 40, 50, 60, 75, 80, 90), "{} %"),
    "milligrams": ((2.5, 5, 10, 20, 25, 50, 75, 100, 125, 200, 250, 400, 500), "{} mg"),
    "hours": ((1, 2, 4, 6, 8, 12, 24, 36, 48, 72), "{} hours"),
    "kilograms": ((5, 10, 15, 20, 25, 32, 40, 50, 75, 120, 200), "{} kg"),
    "newton_metres": ((9, 22, 35, 47, 70, 80, 120, 180, 210), "{} Nm"),
    "degrees": ((4, 8, 18, 20, 22, 37, 60, 65, 75, 80, 120, 160, 180), "{} °C"),
    "years": ((1, 2, 3, 5, 6, 7, 10, 12, 15, 25, 30), "{} years"),
    "count": ((1, 2, 3, 4, 6, 8, 10, 12, 20, 30), "{}"),
}
_PEOPLE = (
    "Maria Lopez",
    "the site manager",
    "Dr Ahmed",
    "the finance team",
    "J. Okafor",
    "the head of school",
    "Anna Weber",
    "the duty nurse",
    "the committee",
    "L. Chen",
    "the registrar",
    "Tom Baker",
)


@dataclass
class _Text:
    """A text that grows, and the spans of what was asked for by place."""

    text: str = ""
    spans: dict[Place, list[int]] = field(default_factory=dict)

    def add(self, part: str, *places: Place) -> None:
        span = [len(self.text), len(self.text) + len(part.rstrip())]
        self.spans.update(dict.fromkeys(places, span))
        self.text += part


@dataclass(frozen=True, kw_only=True)
class _Content:
    """What a passage gives: values of these attributes for these members of the class."""

    name: str
    members: list[str]
    attributes: dict[str, str]
    rng: random.Random

    def value(self, attribute: str) -> str:
        kind = self.attributes[attribute]
        if kind == "person":
            return self.rng.choice(_PEOPLE)
        numbers, form = _NUMBERS[kind]
        return form.format(self.rng.choice(numbers))

    def row(self, separator: str) -> str:
        return separator.join(self.value(attribute) for attribute in self.attributes)

    def places(self, member: str) -> list[Place]:
        return [(member, attribute) for attribute in self.attributes]


def write_pairs(classes: Sequence[Mapping[str, Any]], *, count: int, rng: random.Random) -> list[Pair]:
    """At least `count` pairs; `classes` as in classes.yaml."""
    pairs: list[Pair] = []
    while len(pairs) < count:
        pairs += _pairs_of_passage(rng.choice(classes), rng)
    return pairs


def _pairs_of_passage(described: Mapping[str, Any], rng: random.Random) -> Iterator[Pair]:
    members, attributes = list(described["members"]), list(described["attributes"])
    rng.shuffle(members)
    rng.shuffle(attributes)
    given_members = members[: rng.randint(1, min(6, len(members) - 1))]
    given = {each: described["attributes"][each] for each in attributes[: rng.randint(1, min(3, len(attributes) - 1))]}
    content = _Content(name=described["class"], members=given_members, attributes=given, rng=rng)
    written = rng.choice(_STYLES)(content)
    heading = rng.choice([content.name.capitalize(), "General", "Rules", "Values", described["title"]])
    member, attribute = rng.choice(sorted(written.spans))

    def pair(kind: str, about: Place, gold: list[list[int]]) -> Pair:
        question = rng.choice(_QUESTIONS).format(m=about[0], a=about[1])
        question = question if rng.random() < 0.5 else question[:1].upper() + question[1:]
        title, group = f"{described['title']} > {heading}", f"written-{content.name}"
        return {"kind": kind, "q": question, "title": title, "text": written.text.rstrip(), "gold": gold, "g": group}

    yield pair("made", (member, attribute), [written.spans[member, attribute]])
    if rng.random() < 0.8:
        yield pair("made~", (rng.choice([each for each in members if each not in given_members]), attribute), [])
    others = [each for each in attributes if each not in given]
    if others and rng.random() < 0.35:
        yield pair("made~", (member, rng.choice(others)), [])


def _write_ruled_table(content: _Content) -> _Text:
    written = _Text()
    heads = [content.name, *content.attributes]
    written.add(f"| {' | '.join(head.capitalize() for head in heads)} |\n|{' --- |' * len(heads)}\n")
    for member in content.members:
        written.add(f"| {member.capitalize()} | {content.row(' | ')} |\n", *content.places(member))
    return written


def _write_plain_table(content: _Content) -> _Text:
    written = _Text()
    written.add(f"{content.name.capitalize()} {' '.join(each.capitalize() for each in content.attributes)}\n")
    for member in content.members:
        written.add(f"{member.capitalize()} {content.row(' ')}\n", *content.places(member))
    return written


def _write_list(content: _Content) -> _Text:
    written, attribute = _Text(), next(iter(content.attributes))
    written.add(f"{attribute.capitalize()} by {content.name}:\n")
    for member in content.members:
        written.add(f"- {member.capitalize()}: {content.value(attribute)}\n", (member, attribute))
    return written


def _write_sections(content: _Content) -> _Text:
    written = _Text()
    for member in content.members[:3]:
        written.add(f"{member.capitalize()}\n")
        for attribute in content.attributes:
            written.add(f"The {attribute} is {content.value(attribute)}. ", (member, attribute))
        written.add(f"{content.rng.choice(_OTHER_SENTENCES)}\n")
    return written


def _write_prose(content: _Content) -> _Text:
    written = _Text()
    for member in content.members[:4]:
        for attribute in list(content.attributes)[:2]:
            form = content.rng.choice(_SENTENCES)
            values = {"a": attribute, "m": member, "M": member[:1].upper() + member[1:], "v": content.value(attribute)}
            written.add(f"{form.format(**values)} ", (member, attribute))
        if content.rng.random() < 0.4:
            written.add(f"{content.rng.choice(_OTHER_SENTENCES)} ")
    return written


_STYLES: tuple[Callable[[_Content], _Text], ...] = (
    _write_ruled_table,
    _write_ruled_table,
    _write_plain_table,
    _write_list,
    _write_sections,
    _write_prose,
    _write_prose,
)
