"""Finds the words that questions are put with and that the passages which answer them do not repeat: "done", "much".

    python -m training.question_words PAIRS/pairs.jsonl.gz     writes language/question_words.txt

A line of the file is a question (`q`), a text with its `title`, the spans of the answer (`gold`; none: the text does
not answer) and the group of questions it belongs to (`g`).
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from language.terms import terms

WORDS = Path(__file__).parents[1] / "language" / "question_words.txt"
# A word has to be asked so often, in so many groups, and be missing from this share of the texts that answer.
_MIN_QUESTIONS, _MIN_GROUPS, _MIN_MISSING = 10, 10, 0.7


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--without", default="cuad", help="the kind that is one template with other names in it")
    given = parser.parse_args()
    WORDS.write_text("\n".join(sorted(_unrepeated_words(given.pairs, without=given.without))) + "\n", encoding="utf-8")


def _unrepeated_words(pairs: Path, *, without: str) -> Iterator[str]:
    asked, missing = Counter[str](), Counter[str]()
    groups = defaultdict[str, set[str]](set)
    with gzip.open(pairs, "rt", encoding="utf-8") as lines:
        for pair in map(json.loads, lines):
            if not pair["gold"] or pair["kind"].startswith(without):
                continue
            said = set(terms(f"{pair['title']} {pair['text']}"))
            for word in set(terms(pair["q"])):
                asked[word] += 1
                missing[word] += word not in said
                groups[word].add(pair["g"])
    for word, number in asked.items():
        is_known = number >= _MIN_QUESTIONS and len(groups[word]) >= max(_MIN_GROUPS, number / 8)
        if is_known and missing[word] >= _MIN_MISSING * number and word.isalpha():
            yield word


if __name__ == "__main__":
    main()
