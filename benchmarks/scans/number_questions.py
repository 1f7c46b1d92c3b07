"""Questions for numbers, made of the sentences of pages: is a number that was read wrongly ever answered as if sure?

A question is a sentence of the text layer without its number, asked of scans of these pages. So it is answered from
that sentence more often, and with higher confidence, than a person's question would be.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.scans.made_scans import TruePage, chosen_pages, write_scan
from benchmarks.scans.questions import Answers, add_answers
from evaluation import eval_corpus
from evaluation.eval_types import EvalDataset, EvalQuestion
from language.sentences import sentence_spans

_NUMBER = re.compile(r"[$€£]?\d[\d.,]*\d%?|\d+%?")
_MIN_WORDS, _MAX_WORDS = 7, 40


def ask_for_numbers(paths: Sequence[Path], work: Path, *, dpi: int, pages: int, questions: int, seed: int) -> Answers:
    """So many questions over so many pages, drawn by lot, put to a plugin that has the scans alone. In a database."""
    drawn = chosen_pages(paths, count=pages, seed=seed)
    truth: dict[str, list[TruePage]] = {}
    for page in drawn:
        truth.setdefault(f"{page.path.stem}.pdf", []).append(page)
    (work / "scan").mkdir(parents=True)
    files = tuple(write_scan(of_one, work / "scan" / name, dpi=dpi) for name, of_one in sorted(truth.items()))
    found = [text for page in drawn for text in number_questions(page)]
    chosen = random.Random(seed).sample(found, min(questions, len(found)))
    asked = tuple(EvalQuestion(id=str(at), text=text, answerable=True) for at, text in enumerate(chosen))
    data = EvalDataset(name="numbers on scans", files=files, questions=asked)
    library = eval_corpus.build_corpus(data, on_progress=lambda _done, _total: None)
    figures = Answers(asked=len(asked), pages=len(drawn))
    add_answers(figures, data, library, truth)
    return figures


def number_questions(page: TruePage) -> Iterator[str]:
    """What is asked of a page: its sentences with a number in the middle, without it."""
    text = " ".join(word.text for line in page.lines for word in line)
    for start, end in sentence_spans(text):
        sentence = text[start:end]
        number = _NUMBER.search(sentence)
        if number and _MIN_WORDS <= len(sentence.split()) <= _MAX_WORDS:
            rest = f"{sentence[: number.start()]} {sentence[number.end() :]}"
            yield f"What number: {' '.join(rest.split()).rstrip('.')}?"
