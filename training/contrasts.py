"""Pairs of contrasts.txt: two texts of one matter and style, and questions that one of them answers and the other not.

Each question stands beside both texts, so that how many words it shares with a text tells nothing (contrast sets,
Gardner et al. 2020). They were written for this purpose, with a language model that was shown no set that measures. A
group is a block of lines; an empty line ends it:

    T: title > heading
    A: a text
    B: another
    QA: a question that A answers and B does not | the words of A that answer
    QB: a question that B answers and A does not | the words of B that answer
    N: a question that neither answers
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from training.members import Pair

CONTRASTS = Path(__file__).with_name("contrasts.txt")
# Never learnt: they tell how well the network generalises.
HELD_OUT = Path(__file__).with_name("contrasts_held_out.txt")
# Of the texts this share stands among sentences of others, as those of a document do.
_AMONG_OTHERS = 0.5
_BEFORE_OR_AFTER = 0.6
# So many of the questions are asked of the text of another group as well.
_ASKED_ELSEWHERE = 0.3
_SENTENCE_END = re.compile(r"(?<=[.!?]) ")


@dataclass(kw_only=True)
class Contrast:
    """A group. `texts` and `questions`, each with the words that answer, are by letter, A and B."""

    title: str = ""
    texts: dict[str, str] = field(default_factory=dict)
    questions: dict[str, list[tuple[str, str]]] = field(default_factory=lambda: {"A": [], "B": []})
    unanswered: list[str] = field(default_factory=list)

    def add(self, label: str, value: str) -> None:
        """A line of the file. Raises ValueError for an unknown label and for a question without its answer."""
        match label:
            case "T":
                self.title = value
            case "A" | "B":
                self.texts[label] = value
            case "QA" | "QB":
                question, answer = value.split(" | ")
                self.questions[label[1]].append((question, answer))
            case "N":
                self.unanswered.append(value)
            case _:
                raise ValueError(f"unknown label: {label}")


def read_contrasts(path: Path = CONTRASTS) -> list[Contrast]:
    return [_read_block(block) for block in path.read_text(encoding="utf-8").strip().split("\n\n")]


def _read_block(block: str) -> Contrast:
    contrast = Contrast()
    for line in block.splitlines():
        label, _, value = line.partition(": ")
        contrast.add(label, value.strip())
    return contrast


def contrast_pairs(contrasts: Sequence[Contrast], rng: random.Random) -> Iterator[Pair]:
    """Each question beside both texts of its group, and some beside a text of another."""
    for number, contrast in enumerate(contrasts):
        for pair in _pairs_of_group(contrast, contrasts, rng):
            yield {**pair, "g": f"{number}"}


def _pairs_of_group(contrast: Contrast, contrasts: Sequence[Contrast], rng: random.Random) -> Iterator[Pair]:
    for letter, other in ("AB", "BA"):
        for question, answer in contrast.questions[letter]:
            yield _pair(question, contrast, letter, _surroundings(contrasts, rng), answer=answer)
            yield _pair(question, contrast, other, _surroundings(contrasts, rng))
            if rng.random() < _ASKED_ELSEWHERE and (elsewhere := rng.choice(contrasts)) is not contrast:
                yield _pair(question, elsewhere, rng.choice("AB"), _surroundings(contrasts, rng))
    for question in contrast.unanswered:
        for letter in "AB":
            yield _pair(question, contrast, letter, _surroundings(contrasts, rng))


def _pair(question: str, contrast: Contrast, letter: str, around: tuple[str, str], *, answer: str = "") -> Pair:
    """`answer` is what answers of the text, empty where nothing does."""
    before, after = around
    begin = len(before) + contrast.texts[letter].index(answer)
    return {
        "kind": "contrast" if answer else "contrast-",
        "q": question,
        "title": contrast.title,
        "text": f"{before}{contrast.texts[letter]}{after}",
        "gold": [[begin, begin + len(answer)]] if answer else [],
    }


def _surroundings(contrasts: Sequence[Contrast], rng: random.Random) -> tuple[str, str]:
    """What stands before and after a text: nothing, or a sentence of another group."""
    if rng.random() >= _AMONG_OTHERS:
        return "", ""
    before, after = (_sentence(contrasts, rng) if rng.random() < _BEFORE_OR_AFTER else "" for _ in range(2))
    return (f"{before} " if before else ""), (f" {after}" if after else "")


def _sentence(contrasts: Sequence[Contrast], rng: random.Random) -> str:
    return rng.choice(_SENTENCE_END.split(rng.choice(contrasts).texts[rng.choice("AB")]))
