"""How fast the local embedder is here: `python -m benchmarks.embedding` (about twenty seconds).

Prints chunks a second (1,500 characters each, in all their windows), windows a second, milliseconds a question,
and questions a second from eight threads; medians of interleaved rounds. `--json` prints them for programs.
"""

from __future__ import annotations

import os
import random
import statistics
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

from benchmarks._harness import run_benchmark, time_call

if TYPE_CHECKING:
    from knowledge.embedders import LocalEmbedder

ROUNDS = 3
CHUNKS = 32
QUESTIONS = 60
SAMPLE_TEXT = """The operator must close the inlet valve before pressure exceeds limits written in section four, because
any residue left inside a chamber may react with water and release heat. Records show that wounds older than six
hours carry more risk unless antibiotic treatment begins early. When a supplier fails to deliver within thirty
days, buyers may cancel their order without penalty."""


def main() -> None:
    run_benchmark(__doc__, measure_embedding)


def measure_embedding() -> dict[str, float | str]:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lexic.settings")
    from knowledge.embedders import LocalEmbedder

    embedder = LocalEmbedder()
    cold = time_call(lambda: embedder.embed(["Is it ready?"]))
    choose = random.Random(1)
    title = "Operating manual > Valves > Safety"
    chunks = [random_text(choose, characters=1500) for _ in range(CHUNKS)]
    windows = [window for chunk in chunks for window in embedder.windows(title_path=title, text=chunk)]
    questions = [random_text(choose, characters=choose.randint(30, 90)) for _ in range(QUESTIONS)]
    rounds = [time_one_round(embedder, windows, questions) for _ in range(ROUNDS)]
    bulk, single, threaded = (statistics.median(figures) for figures in zip(*rounds, strict=True))
    return {
        "precision": embedder._model().precision,
        "first vector, s": cold,
        "chunks/s": CHUNKS / bulk,
        "windows/s": len(windows) / bulk,
        "one question, ms": single * 1000,
        "questions/s of 8 threads": QUESTIONS / threaded,
    }


def time_one_round(embedder: LocalEmbedder, windows: list[str], questions: list[str]) -> tuple[float, float, float]:
    """Seconds for all windows at once, for the median question, and for all questions from eight threads."""
    bulk = time_call(lambda: embedder.embed(windows))
    single = statistics.median(time_call(partial(embedder.embed, [question])) for question in questions)
    with ThreadPoolExecutor(8) as threads:
        threaded = time_call(lambda: list(threads.map(lambda question: embedder.embed([question]), questions)))
    return bulk, single, threaded


def random_text(choose: random.Random, *, characters: int) -> str:
    words, text = SAMPLE_TEXT.split(), ""
    while len(text) < characters:
        text += " ".join(choose.choices(words, k=choose.randint(6, 20))).capitalize() + ". "
    return text[:characters]


if __name__ == "__main__":
    main()
