"""Training pairs for the cross-encoder: published ones, the same with a word of the question swapped, pairs about
members of a class that are made by program, and the questions of excerpts.jsonl.

    python -m training.pairs DATA/reader-train/pairs.jsonl.gz OUT

OUT gets `pairs.jsonl.gz`, to begin with, `last.jsonl.gz`, to go on with: the questions of excerpts.jsonl and half as
many of the others, and `contrasts.jsonl.gz`, the last: the pairs of contrasts.txt with a part of the others. Each line
of these files and of the published one is an object: `kind`, `q` (question), `title`, `text` (a window of at most 800
characters), `gold` (spans [start, end] of `text` that answer; none: not answerable from it), `g` (group: stays on one
side of a split). A kind that ends with `=` or `~` was made wrong by program; one with `-` is a passage that does not
answer. The same inputs give the same files.

A line of excerpts.jsonl is a text with its title and headings, and questions on it: `a` is what answers, null where the
text only comes near. They were written for this purpose, with a language model that was shown no set that measures.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from knowledge.chunking.title_path import title_path
from language.terms import terms
from training import contrasts
from training.members import Pair, write_pairs
from training.minilm import vocabulary, word_vectors

SEED = 7
CLASSES = Path(__file__).with_name("classes.yaml")
EXCERPTS = Path(__file__).with_name("excerpts.jsonl")
# Of these kinds only a share is kept: they are many, and of one sort.
KEPT_SHARE = {"cuad": 0.4, "cuad-": 0.4, "qamr": 0.5, "qamr~": 0.5}
# How many questions of each kind get a word swapped, and how many pairs are written by program.
SWAPPED = {"squad": 3500, "nqg": 6500, "qed": 1300, "selqa": 2200, "qamr": 500}
WRITTEN = 9000
MAX_PAIRS = 46_000

_WORD = re.compile(r"[A-Za-z][A-Za-z'-]+|\d[\d,.]*\d|\d")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+")
_INFLECTION = re.compile(r"(?:ing|ed|ies|es|s|ly)$")
_ENDINGS = ("ing", "ed", "ly", "ies", "es", "s", "er", "ist", "ity", "tion", "al")


class QuestionSwapper:
    """Makes a question that its text answers one that it does not: a number, a name, or a word of like meaning and
    form, which the text lacks, stands in place of one that it has."""

    def __init__(self, pairs: Iterable[Pair], rng: random.Random) -> None:
        self._rng = rng
        names, words = defaultdict[str, Counter[str]](Counter), Counter[str]()
        for pair in pairs:
            words.update(sorted({word.lower() for word in _WORD.findall(pair["text"])}))
            names[pair["g"]].update(_NAME.findall(pair["text"]))
        self._names = {group: [name for name, _ in found.most_common(60)] for group, found in names.items()}
        known = vocabulary()
        usual = [word for word, _ in words.most_common(14_000) if word.isalpha() and len(word) > 3 and word in known]
        self._words = [word for word in usual if terms(word)]
        self._vectors = word_vectors(self._words)
        self._known_neighbours: dict[str, list[str]] = {}
        self._at = {word: at for at, word in enumerate(self._words)}

    def swap(self, pair: Pair) -> str | None:
        """The question with one word swapped, or None where no word fits."""
        text = pair["text"].lower()
        found = [match for match in _WORD.finditer(pair["q"]) if self._may_go(match.group().lower(), text)]
        self._rng.shuffle(found)
        for match in found:
            new = self._substitute(match, pair)
            if new and new.lower() not in text and new.lower() not in pair["q"].lower():
                return f"{pair['q'][: match.start()]}{new}{pair['q'][match.end() :]}"
        return None

    @staticmethod
    def _may_go(word: str, text: str) -> bool:
        return bool(terms(word)) and (len(word) > 2 or word[0].isdigit()) and _stem(word) in text

    def _substitute(self, match: re.Match[str], pair: Pair) -> str | None:
        word = match.group()
        if word[0].isdigit():
            return self._other_number(word)
        if word[0].isupper() and match.start():
            return self._choose(self._names.get(pair["g"], []))
        return self._choose(self._neighbours(word.lower()))

    def _other_number(self, word: str) -> str | None:
        digits = re.sub(r"\D", "", word)
        if len(digits) == 4 and digits[:2] in ("17", "18", "19", "20"):
            return str(int(digits) + self._rng.choice([-12, -7, -4, -3, -2, -1, 1, 2, 3, 5, 8, 10]))
        if len(digits) > 8:
            return None
        return str(max(1, int(int(digits) * self._rng.choice([0.5, 2, 3, 1.5])) + self._rng.randint(1, 3)))

    def _neighbours(self, word: str) -> list[str]:
        """Up to eight of the words of like meaning that end alike and are not of the same stem."""
        if word not in self._at:
            return []
        if word not in self._known_neighbours:
            near = self._vectors @ self._vectors[self._at[word]]
            nearest = [self._words[at] for at in np.argsort(-near, kind="stable")[:60]]
            alike = [each for each in nearest if _ending(each) == _ending(word) and _stem(each) != _stem(word)]
            self._known_neighbours[word] = alike[:8]
        return self._known_neighbours[word]

    def _choose(self, words: list[str]) -> str | None:
        return self._rng.choice(words) if words else None


def _ending(word: str) -> str:
    return next((ending for ending in _ENDINGS if word.endswith(ending)), "")


def _stem(word: str) -> str:
    return _INFLECTION.sub("", word.lower())[:6]


def build_pairs(published: list[Pair]) -> list[Pair]:
    """Published, swapped and written pairs, in random order, at most MAX_PAIRS."""
    rng = random.Random(SEED)
    swapped = list(_swap_questions(published, rng))
    kept = [pair for pair in published if rng.random() <= KEPT_SHARE.get(pair["kind"], 1)]
    written = write_pairs(yaml.safe_load(CLASSES.read_text()), count=WRITTEN, rng=rng)
    pairs = [*kept, *swapped, *written]
    rng.shuffle(pairs)
    return pairs[:MAX_PAIRS]


def last_pairs(pairs: list[Pair], excerpts: Iterable[dict[str, Any]]) -> list[Pair]:
    """The questions on the excerpts, and half as many of the other pairs, in random order."""
    rng = random.Random(SEED)
    asked = _questions_on_all(excerpts)
    mixed = asked + rng.sample(pairs, min(len(asked) // 2, len(pairs)))
    rng.shuffle(mixed)
    return mixed


def contrast_pairs(pairs: list[Pair], excerpts: Iterable[dict[str, Any]]) -> list[Pair]:
    """The pairs of contrasts.txt with a part of the older ones, so that these are not forgotten, in random order."""
    rng = random.Random(SEED)
    contrasting = list(contrasts.contrast_pairs(contrasts.read_contrasts(), rng))
    asked = _questions_on_all(excerpts)
    older = rng.sample(pairs, min(len(contrasting) // 5, len(pairs)))
    mixed = contrasting + older + rng.sample(asked, len(asked) // 5)
    rng.shuffle(mixed)
    return mixed


def read_excerpts() -> list[dict[str, Any]]:
    """The lines of excerpts.jsonl."""
    return [json.loads(line) for line in EXCERPTS.read_text(encoding="utf-8").splitlines()]


def titled_text(excerpt: dict[str, Any]) -> str:
    """The text of a line of excerpts.jsonl behind its title and headings."""
    return ": ".join([excerpt["title"], *excerpt["section"], excerpt["text"]])


def _questions_on_all(excerpts: Iterable[dict[str, Any]]) -> list[Pair]:
    return [pair for number, excerpt in enumerate(excerpts) for pair in questions_on(excerpt, group=f"{number}")]


def questions_on(excerpt: dict[str, Any], *, group: str) -> Iterator[Pair]:
    """The questions of a line of excerpts.jsonl."""
    title, text = title_path(excerpt["title"], excerpt["section"]), excerpt["text"]
    for asked in excerpt["questions"]:
        begin = text.index(asked["a"]) if asked["a"] else 0
        gold = [[begin, begin + len(asked["a"])]] if asked["a"] else []
        kind = "excerpt" if gold else "excerpt-"
        yield {"kind": kind, "q": asked["q"], "title": title, "text": text, "gold": gold, "g": group}


def _swap_questions(published: list[Pair], rng: random.Random) -> Iterator[Pair]:
    swapper, left = QuestionSwapper(published, rng), dict(SWAPPED)
    answered = [pair for pair in published if pair["gold"] and pair["kind"] in left]
    rng.shuffle(answered)
    for pair in answered:
        if left[pair["kind"]] and (question := swapper.swap(pair)):
            left[pair["kind"]] -= 1
            yield {**pair, "kind": f"{pair['kind']}=", "q": question, "gold": []}


def read_pairs(path: Path) -> list[Pair]:
    with gzip.open(path, "rt") as lines:
        return [json.loads(line) for line in lines]


def as_lines(pairs: Iterable[Pair]) -> bytes:
    """One JSON object a line."""
    return "".join(f"{json.dumps(pair)}\n" for pair in pairs).encode()


def sha256_of_lines(pairs: Iterable[Pair]) -> str:
    """Tells the pairs of one training from those of another."""
    return hashlib.sha256(as_lines(pairs)).hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("published", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    pairs = build_pairs(read_pairs(given.published))
    excerpts = read_excerpts()
    parts = {"pairs": pairs, "last": last_pairs(pairs, excerpts), "contrasts": contrast_pairs(pairs, excerpts)}
    for name, part in parts.items():
        (given.out / f"{name}.jsonl.gz").write_bytes(gzip.compress(as_lines(part), mtime=0))
        print(name, len(part), "pairs, sha256 of their lines", sha256_of_lines(part))
        print(dict(sorted(Counter(pair["kind"] for pair in part).items())))


if __name__ == "__main__":
    main()
