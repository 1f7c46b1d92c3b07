"""Learns to tell courtesies ("Thanks, that was all") from questions, and says how well it does on others.

python -m benchmarks.courtesies            learns from half of the questions, and tries the other half
python -m benchmarks.courtesies --save     learns from all, into querying/question/courtesies.npz
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lexic.settings")

ROOT = Path(__file__).parent.parent
PHRASES = ROOT / "language/courtesies.json"
HELD_OUT = Path(__file__).with_suffix(".txt")
_QUESTION = re.compile(r'"(?:question|query|text|asked|reply)":\s*"((?:[^"\\]|\\.){2,160})"')
_RIDGE, _MADE_UP, _MAX_QUESTIONS, _MAX_WORDS = 1.0, 250, 6000, 10
_MAX_SCRAPS, _MAX_SCRAP_WORDS = 2000, 4


def questions() -> list[str]:
    """Short questions and replies of the benchmarks, without courtesies, in a fixed order."""
    from language.courtesies import find_courtesy

    files = sorted(ROOT.glob("benchmarks/**/*.json"))
    texts = {text for file in files for text in _QUESTION.findall(file.read_text(encoding="utf-8"))}
    short = sorted(text for text in texts if len(text.split()) <= _MAX_WORDS and not find_courtesy(text))
    # Those without a question mark are what the classifier is asked about.
    short.sort(key=lambda text: text.rstrip().endswith("?"))
    kept = short[:_MAX_QUESTIONS]
    random.Random(1).shuffle(kept)
    return kept


def courtesies() -> Iterator[tuple[str, str]]:
    """English phrases with their kinds, alone and put together."""
    from querying.question.courtesies import KINDS

    listed = json.loads(PHRASES.read_text(encoding="utf-8"))["en"]
    phrases = [(kind, phrase) for kind in KINDS for phrase in listed[kind]]
    yield from phrases
    chance = random.Random(3)
    for _ in range(_MADE_UP):
        said = chance.sample(phrases, chance.choice([1, 1, 2]))
        text = ", ".join(phrase for _, phrase in said)
        added = f" {chance.choice(listed['filler'])}" if chance.random() < 0.6 else ""
        yield said[-1][0], f"{text[0].upper()}{text[1:]}{added}{chance.choice(['', '!', '.', '!'])}"


def scraps(asked: Sequence[str]) -> list[str]:
    """What people type into a search box: a few words of a question in a row, and phrases of courtesy beside one of
    its words ("good morning yoga")."""
    from language.courtesies import find_courtesy
    from language.topic_words import topic_words
    from querying.question.courtesies import KINDS

    listed = json.loads(PHRASES.read_text(encoding="utf-8"))["en"]
    phrases = [phrase for kind in KINDS for phrase in listed[kind]]
    chance = random.Random(5)
    found = []
    for text in chance.sample(list(asked), min(_MAX_SCRAPS, len(asked))):
        words = text.rstrip("?.!").split()
        length = min(len(words), chance.randint(1, _MAX_SCRAP_WORDS))
        start = chance.randint(0, len(words) - length)
        found.append(" ".join(words[start : start + length]))
        if topics := topic_words(text):
            pair = [chance.choice(phrases), chance.choice(topics).lower()]
            found.append(" ".join(pair if chance.random() < 0.6 else pair[::-1]))
    return [text for text in found if topic_words(text) and not find_courtesy(text)]


def learn(asked: Sequence[str]) -> np.ndarray:
    """Ridge regression: a column for courtesies against questions, and one for each of their kinds against the
    others."""
    from querying.question.courtesies import KINDS

    asked = [*asked, *scraps(asked)]
    kinds, said = zip(*courtesies(), strict=True)
    seen = embed([*said, *asked])
    is_said = np.arange(len(seen)) < len(said)
    share = np.where(is_said, 1 / len(said), 1 / max(1, len(asked)))
    is_kind = np.array([[one == kind for kind in KINDS] for one in kinds])
    columns = (
        solve(seen, is_said[:, None], share=share / share.mean()),
        solve(seen[is_said], is_kind, share=np.ones(len(said))),
    )
    return np.concatenate(columns, axis=1)


def solve(seen: np.ndarray, targets: np.ndarray, *, share: np.ndarray) -> np.ndarray:
    inner = seen.T @ (share[:, None] * seen) + _RIDGE * np.eye(seen.shape[1])
    return np.linalg.solve(inner, seen.T @ (share[:, None] * np.where(targets, 1.0, -1.0)))


def embed(texts: Sequence[str]) -> np.ndarray:
    from knowledge.embedders import local_embedder
    from querying.question.courtesies import features

    return features(np.asarray(local_embedder().embed(list(texts)))).astype(np.float64)


def main() -> None:
    import django

    django.setup()
    from querying.question.courtesies import may_be_courtesy

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--save", action="store_true")
    asked = questions()
    if parser.parse_args().save:
        weights = learn(asked).astype(np.float16)
        np.savez_compressed(ROOT / "querying/question/courtesies.npz", weights=weights)
        return
    half = len(asked) // 2
    weights = learn(asked[:half])
    held_out = HELD_OUT.read_text(encoding="utf-8").splitlines()
    tried = {"questions": asked[half:], "scraps": scraps(asked[half:]), "courtesies": held_out}
    for name, texts in ((name, list(filter(may_be_courtesy, texts))) for name, texts in tried.items()):
        scores = (embed(texts) @ weights)[:, 0]
        for least in (0.0, 0.4, 0.5):
            print(f"{name:10} {len(texts):5} above {least:4.2f}: {(scores >= least).sum():4}")
        extreme = np.argsort(scores if name == "courtesies" else -scores)[:5]
        print("  ", [(texts[at], round(float(scores[at]), 2)) for at in extreme])


if __name__ == "__main__":
    main()
