"""Finds the words that questions are put with and that the passages which answer them do not repeat: "done", "much".

    python -m training.question_words PAIRS/pairs.jsonl.gz

It writes language/question_words.txt, and language/seldom_repeated_words.txt with those that most of these passages do
not repeat ("bring", "find"): a refusal does not name them as what is missing.

A line of the file is a question (`q`), a text with its `title`, the spans of the answer (`gold`; none: the text does
not answer) and the group of questions it belongs to (`g`).
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from language.terms import terms

LANGUAGE = Path(__file__).parents[1] / "language"
# A word has to be asked so often, in so many groups, and be missing from this share of the texts that answer.
_MIN_QUESTIONS, _MIN_GROUPS = 10, 10
_UNREPEATED, _SELDOM_REPEATED = 0.7, 0.6
# "Which instrument" asks for a kind of thing, and its answer names one.
_ASKED_KIND = re.compile(r"\b(what|which)\s+[\w'-]+", re.IGNORECASE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--without", default="cuad", help="the kind that is one template with other names in it")
    given = parser.parse_args()
    pairs = list(_answered_questions(given.pairs, without=given.without))
    _write("question_words.txt", missing_words(pairs, share=_UNREPEATED))
    others = [(_ASKED_KIND.sub(r"\1", question), text, group) for question, text, group in pairs]
    _write("seldom_repeated_words.txt", missing_words(others, share=_SELDOM_REPEATED))


def missing_words(pairs: Iterable[tuple[str, str, str]], *, share: float) -> Iterator[str]:
    """The stems that this share of the texts or more lacks. `pairs` are questions, answering texts and groups."""
    asked, missing = Counter[str](), Counter[str]()
    groups = defaultdict[str, set[str]](set)
    for question, text, group in pairs:
        said = set(terms(text))
        for word in set(terms(question)):
            asked[word] += 1
            missing[word] += word not in said
            groups[word].add(group)
    for word, number in asked.items():
        is_known = number >= _MIN_QUESTIONS and len(groups[word]) >= max(_MIN_GROUPS, number / 8)
        if is_known and missing[word] >= share * number and word.isalpha():
            yield word


def _answered_questions(pairs: Path, *, without: str) -> Iterator[tuple[str, str, str]]:
    with gzip.open(pairs, "rt", encoding="utf-8") as lines:
        for pair in map(json.loads, lines):
            if pair["gold"] and not pair["kind"].startswith(without):
                yield pair["q"], f"{pair['title']} {pair['text']}", pair["g"]


def _write(name: str, words: Iterable[str]) -> None:
    (LANGUAGE / name).write_text("\n".join(sorted(words)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
