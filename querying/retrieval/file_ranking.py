"""Which files of a library fit a question best: by their nearest passages, the design file's and the source's together.

One passage says little about a file, because code repeats itself; a file of which several passages are near is what
the question is about. Measured on questions about Lexic's own code (docs/evaluation.md).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from knowledge.search.passages import Passage
from knowledge.sync.library_layout import source_of_path

# How many passages are ranked: about as many as the two searches propose.
MAX_RANKED_PASSAGES = 100
# Questions seldom say the words of the code, so that the meaning counts for more than in prose.
_MEANING_SHARE = 0.7
# What the second and the third passage of a file add, as shares of their own fit.
_FURTHER_SHARES = (0.3, 0.09)


def rank_by_file(passages: Iterable[Passage]) -> list[Passage]:
    """The passages with how well they fit as their score, best first: of each file the best one, which stands for all
    of the file, and then the others. A passage without a path is a file of its own."""
    files: dict[object, list[Passage]] = defaultdict(list)
    for passage in passages:
        files[source_of_path(passage.path) or passage.chunk_id].append(replace(passage, score=_fit(passage)))
    best: list[Passage] = []
    others: list[Passage] = []
    for of_file in files.values():
        first, *further = sorted(of_file, key=_by_score)
        best.append(replace(first, score=_fit_of_file([first, *further])))
        others += further
    return [*sorted(best, key=_by_score), *sorted(others, key=_by_score)]


def _fit(passage: Passage) -> float:
    return _MEANING_SHARE * (passage.cosine or 0.0) + (1 - _MEANING_SHARE) * passage.lexical


def _fit_of_file(best_first: Sequence[Passage]) -> float:
    added = sum(share * passage.score for share, passage in zip(_FURTHER_SHARES, best_first[1:], strict=False))
    return min(1.0, best_first[0].score + added)


def _by_score(passage: Passage) -> tuple[float, int]:
    return (-passage.score, passage.chunk_id)
