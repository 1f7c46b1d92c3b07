"""Learns what is a person's name in a question, and writes the weights of querying/redaction/person_names.py.

    python -m training.person_names --save       learns from made-up names, and saves
    python -m training.person_names FILE…        how many names of these lists the saved weights find

Names come from Faker (training/requirements.lock), as some fifty countries write them in Latin letters. They are put
into the sentences of training/person_names.txt, and into the question lists of benchmarks/ in place of “I”, “my” and
“the employee”; the same lists without a name show what is none, and so do words in any order. A list to measure on has
objects with `text` and `names`. The same seed gives the same weights on one machine; sums of several threads differ in
their last digits.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import unicodedata
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

SEED, ROUNDS, HIDDEN, EPOCHS, BATCH, RATE, DECAY = 7, 3, 32, 14, 512, 2e-3, 2e-4
SENTENCES = Path("training/person_names.txt")
QUESTIONS = ("benchmarks/tree_questions/*.json", "benchmarks/code_questions*.json")
COMMON_LOCALES = ("en_US", "en_GB", "en_IN", "de_DE", "fr_FR", "es_ES", "pt_BR", "it_IT")
PLACE_LOCALES = ("de_DE", "fr_FR", "es_ES", "pt_BR", "it_IT", "hr_HR", "pl_PL", "fi_FI", "tr_TR", "cs_CZ", "pt_PT")
ROMANISED = ("ja_JP", "zh_CN")
BUSINESSES = ("Insurance", "Ltd", "GmbH", "Clinic", "Engineering", "University", "Bank", "& Sons", "S.A.", "Hospital")
# Whose sentences of random words are made, with and without a name in them: what is none in these languages.
WORD_LOCALES = ("en_US", "de_DE", "fr_FR", "es_ES", "it_IT", "nl_NL", "da_DK")
RANDOM_SENTENCES = 6000
SLOT = re.compile(r"\{(\w+)\}")
# In a question, whom a name can stand for; the verb's form does not matter here.
REPLACED = re.compile(r"\b(?:(?:an?|the|our|my) (?:employee|tenant|patient|customer|client|colleague|landlord)|I|we)\b")
REPLACED_POSSESSIVE = re.compile(r"\b(?:my|our)\b")

Labelled = tuple[str, list[tuple[int, int]]]


class NameSource:
    """Names, places and other words to put into sentences, from one seed."""

    def __init__(self, chance: random.Random) -> None:
        from faker import Faker

        warnings.simplefilter("ignore")
        self.chance = chance
        self.lists = read_lists()
        self._fakers = {
            locale: Faker(locale) for locale in (*COMMON_LOCALES, *self.lists["locales"], *ROMANISED, *WORD_LOCALES)
        }
        for number, faker in enumerate(self._fakers.values()):
            faker.seed_instance(SEED + number)

    def fill(self, slot: str) -> str:
        return str(getattr(self, f"_{slot}")())

    def random_words(self, number: int) -> list[str]:
        """Of one language; now and then one of them is the words of a job."""
        faker = self._fakers[self.chance.choice(WORD_LOCALES)]
        words = [str(word) for word in faker.words(number)]
        if self.chance.random() < 0.3:
            words[self.chance.randrange(number)] = str(faker.job()).replace("{", "(")
        return words

    def _faker(self) -> Any:
        return self._fakers[self.chance.choice(COMMON_LOCALES if self.chance.random() < 0.4 else self.lists["locales"])]

    def _name(self) -> str:
        if self.chance.random() < 0.08:
            return str(self._fakers[self.chance.choice(ROMANISED)].romanized_name())
        faker, form = self._faker(), self.chance.random()
        first, last = faker.first_name(), faker.last_name()
        if form < 0.6:
            return f"{first} {last}"
        if form < 0.7:
            return f"{first[0]}. {last}" if form < 0.66 else f"{first[0]}. {last[0]}. {faker.last_name()}"
        if form < 0.77:
            return f"{first} {faker.first_name()[0]}. {last}"
        if form < 0.84:
            return f"{first} {last}-{faker.last_name()}"
        return str(first if form < 0.94 else last)

    def _first(self) -> str:
        return str(self._faker().first_name())

    def _last(self) -> str:
        return str(self._faker().last_name())

    def _place(self) -> str:
        faker = self._fakers[self.chance.choice(PLACE_LOCALES)]
        return str(faker.country() if self.chance.random() < 0.35 else faker.city())

    def _street(self) -> str:
        return str(self._fakers[self.chance.choice(COMMON_LOCALES)].street_address()).replace("\n", " ")

    def _company(self) -> str:
        if self.chance.random() < 0.5:
            return self.chance.choice(self.lists["brands"])
        return f"{self._place()} {self.chance.choice(BUSINESSES)}"

    def _month(self) -> str:
        return self.chance.choice(self.lists["months"])

    def _word(self) -> str:
        return self.chance.choice(self.lists["words"])


def read_lists() -> dict[str, list[str]]:
    """The lines of the file that begin with “=”, by their first word."""
    lines = [line[1:].split() for line in SENTENCES.read_text().splitlines() if line.startswith("=")]
    return {name: words for name, *words in lines}


def make_examples(seed: int = SEED, rounds: int = ROUNDS) -> list[Labelled]:
    """Sentences, each with the spans of its names."""
    chance = random.Random(seed)
    names = NameSource(chance)
    sentences = [line for line in SENTENCES.read_text().splitlines() if line and line[0] not in "#="]
    questions = sorted(set(_questions()))
    made = [_vary(_fill(line, names), chance) for _ in range(rounds * 4) for line in sentences]
    for _ in range(rounds):
        made += [_vary(_fill(_with_slot(question, chance), names), chance) for question in questions]
    made += [_vary((_capitalise_some(question, chance), []), chance) for question in questions for _ in range(2)]
    made += [_vary(_fill(_random_sentence(names), names), chance) for _ in range(RANDOM_SENTENCES)]
    return made


def _capitalise_some(text: str, chance: random.Random) -> str:
    """With capitals that mean nothing, so that a capital alone makes no name."""
    words = text.split(" ")
    share = chance.choice((0.0, 0.2))
    return " ".join(word[:1].upper() + word[1:] if chance.random() < share else word for word in words)


def _random_sentence(names: NameSource) -> str:
    """Words of one language in any order, some of them a job, and in half of the sentences a slot for a name."""
    chance = names.chance
    words = names.random_words(chance.randint(4, 10))
    if chance.random() < 0.5:
        words[chance.randrange(len(words))] = chance.choice(("{name}", "{name}", "{first}", "{last}"))
    return _capitalise_some(" ".join(words), chance) + chance.choice(".?!")


def _questions() -> Iterator[str]:
    for pattern in QUESTIONS:
        for path in sorted(Path().glob(pattern)):
            yield from _texts(json.loads(path.read_text()))


def _texts(value: Any) -> Iterator[str]:
    """The questions of a list, whatever its form: texts of at least four words."""
    if isinstance(value, str) and 4 <= len(value.split()) <= 40:
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)


def _with_slot(question: str, chance: random.Random) -> str:
    """The question about somebody: a name in place of “I” or “my”, or before or after the question."""
    question = question.replace("{", "(").replace("}", ")")
    slot = "{name}" if chance.random() < 0.6 else "{first}"
    for pattern, text in ((REPLACED, slot), (REPLACED_POSSESSIVE, slot + "'s")):
        if pattern.search(question):
            return pattern.sub(text, question, count=1)
    form = chance.choice(("{} asks: {}", "{}: {}", "Hi {}, {}", "{1} ({0})", "{1} Thanks, {0}", "{1}"))
    return form.format(slot, question)


def _fill(sentence: str, names: NameSource) -> Labelled:
    parts: list[str] = []
    spans, end = [], 0
    for found in SLOT.finditer(sentence):
        parts.append(sentence[end : found.start()])
        filled, start = names.fill(found[1]), sum(map(len, parts))
        if found[1] in ("name", "first", "last"):
            spans.append((start, start + len(filled)))
        parts.append(filled)
        end = found.end()
    return "".join([*parts, sentence[end:]]), spans


def _vary(example: Labelled, chance: random.Random) -> Labelled:
    """As people type: some all small, some all capitals, some without accents. Lengths stay."""
    text, spans = example
    form = chance.random()
    if form < 0.12:
        plain = "".join(unicodedata.normalize("NFD", sign)[0] for sign in text)
        text = plain if len(plain) == len(text) else text
    changed = text.lower() if 0.08 < form < 0.33 else text.upper() if form > 0.96 else text
    return (changed if len(changed) == len(text) else text), spans


def rows_of(examples: Sequence[Labelled]) -> tuple[Any, Any]:
    """Features [words, columns] and whether each word is a part of a name."""
    from querying.redaction.person_names import find_words, word_features

    rows, labels = [], []
    for text, spans in examples:
        words = find_words(text)
        if words:
            rows.append(word_features(text, words).astype(np.float16))
            labels += [any(first <= start and end <= last for first, last in spans) for start, end in words]
    return np.concatenate(rows), np.array(labels, np.float32)


def learn(rows: Any, labels: Any) -> dict[str, Any]:
    """A layer of `HIDDEN` units and a score, by Adam on the logistic loss."""
    chance = np.random.default_rng(SEED)
    weights = {
        "inner": chance.normal(0, rows.shape[1] ** -0.5, (rows.shape[1], HIDDEN)),
        "inner_bias": np.zeros(HIDDEN),
        "outer": chance.normal(0, HIDDEN**-0.5, HIDDEN),
        "outer_bias": np.zeros(()),
    }
    weights = {name: value.astype(np.float32) for name, value in weights.items()}
    first, second = ({name: np.zeros_like(value) for name, value in weights.items()} for _ in range(2))
    steps = EPOCHS * (len(rows) // BATCH)
    for step in range(1, steps + 1):
        chosen = chance.integers(0, len(rows), BATCH)
        slopes = _slopes(weights, rows[chosen].astype(np.float32), labels[chosen])
        rate = RATE * (1 - step / (steps + 1))
        for name, slope in slopes.items():
            first[name] = 0.9 * first[name] + 0.1 * slope
            second[name] = 0.999 * second[name] + 0.001 * slope**2
            moved = first[name] / (1 - 0.9**step) / (np.sqrt(second[name] / (1 - 0.999**step)) + 1e-8)
            weights[name] = (weights[name] - rate * (moved + DECAY * weights[name])).astype(np.float32)
    return weights


def _slopes(weights: dict[str, Any], rows: Any, labels: Any) -> dict[str, Any]:
    hidden = np.maximum(rows @ weights["inner"] + weights["inner_bias"], 0)
    error = (1 / (1 + np.exp(-(hidden @ weights["outer"] + weights["outer_bias"]))) - labels) / len(rows)
    back = np.outer(error, weights["outer"]) * (hidden > 0)
    return {
        "inner": rows.T @ back,
        "inner_bias": back.sum(axis=0),
        "outer": hidden.T @ error,
        "outer_bias": error.sum(),
    }


@dataclass(frozen=True, kw_only=True)
class Figures:
    """Of a list: how many of its names are wholly found, and in how many texts without one nothing is taken for one."""

    names: int
    names_found: int
    texts_without: int
    texts_left_alone: int


def measure(path: Path, *, shows_errors: bool) -> Figures:
    from querying.redaction.person_names import find_person_names

    found = named = untouched = plain = 0
    for one in json.loads(path.read_text()):
        spans = find_person_names(one["text"])
        covered = _words_within(one["text"], spans)
        missed = [name for name in one["names"] if not set(re.findall(r"[^\W\d_]+", name)) <= covered]
        named, found = named + len(one["names"]), found + len(one["names"]) - len(missed)
        if not one["names"]:
            plain, untouched = plain + 1, untouched + (not spans)
        if shows_errors and (missed or (spans and not one["names"])):
            print(f"  {one['text']}  missed {missed}  taken {[one['text'][start:end] for start, end in spans]}")
    return Figures(names=named, names_found=found, texts_without=plain, texts_left_alone=untouched)


def _words_within(text: str, spans: Sequence[tuple[int, int]]) -> set[str]:
    return {word for start, end in spans for word in re.findall(r"[^\W\d_]+", text[start:end])}


def main() -> None:
    import django

    django.setup()
    from querying.redaction.person_names import WEIGHTS

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lists", nargs="*", type=Path)
    parser.add_argument("--save", action="store_true")
    parser.add_argument("--errors", action="store_true", help="print each text that came out wrong")
    given = parser.parse_args()
    if given.save:
        rows, labels = rows_of(make_examples())
        print(f"{len(labels)} words, {labels.mean():.3f} of them of names")
        np.savez_compressed(WEIGHTS, **{name: value.astype(np.float16) for name, value in learn(rows, labels).items()})
    for path in given.lists:
        print(path, measure(path, shows_errors=given.errors))


if __name__ == "__main__":
    main()
