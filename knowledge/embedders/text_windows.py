"""Cuts a long text into windows that fit a model: evenly, at sentence ends where there are some."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

SENTENCE_ENDS = tuple(".!?…。！？")
RANK_INSIDE_WORD, RANK_BETWEEN_WORDS, RANK_BETWEEN_SENTENCES = range(3)


@dataclass(frozen=True, kw_only=True)
class CutPoints:
    """The places where a text may be cut, in order; the first is its beginning and the last its end.

    For each: its offset in characters, the number of tokens before it, and how good a place it is.
    """

    offsets: Sequence[int]
    tokens: Sequence[int]
    ranks: Sequence[int]

    @classmethod
    def of(cls, text: str, *, starts: Sequence[int], tokens: Sequence[int], token_total: int) -> CutPoints:
        """From the beginnings of all words but the first, and the number of tokens before each of them."""
        offsets = [0, *starts, len(text)]
        ranks = [_cut_rank(text[before:at]) for before, at in zip(offsets, starts, strict=False)]
        return cls(
            offsets=offsets,
            tokens=[0, *tokens, token_total],
            ranks=[RANK_BETWEEN_SENTENCES, *ranks, RANK_BETWEEN_SENTENCES],
        )


def split_windows(cuts: CutPoints, *, budget: int, overlap: int) -> list[tuple[int, int]]:
    """The (start, end) of windows of at most `budget` tokens that together cover the text, in order.

    Neighbours share up to `overlap` tokens. A single word over the budget gets a window of its own.
    """
    found = []
    start, last = 0, len(cuts.offsets) - 1
    while True:
        end = _window_end(cuts, start=start, budget=budget, overlap=overlap)
        found.append((cuts.offsets[start], cuts.offsets[end]))
        if end == last:
            return found
        earliest = bisect_left(cuts.tokens, cuts.tokens[end] - overlap)
        best = max(range(earliest, end), key=lambda cut: (cuts.ranks[cut], -cut), default=end)
        start = max(start + 1, best)


def _window_end(cuts: CutPoints, *, start: int, budget: int, overlap: int) -> int:
    done = cuts.tokens[start]
    left = cuts.tokens[-1] - done
    if left <= budget:
        return len(cuts.offsets) - 1
    # As even as possible: a last window of a few words would stand for little but its title.
    parts = -(-(left - overlap) // (budget - overlap))
    share = min(budget, -(-(left + (parts - 1) * overlap) // parts))
    latest = max(start + 1, bisect_right(cuts.tokens, done + budget) - 1)
    earliest = min(latest, max(start + 1, bisect_left(cuts.tokens, done + share * 3 // 4)))
    return max(
        range(earliest, latest + 1),
        key=lambda cut: (cuts.ranks[cut], -abs(cuts.tokens[cut] - done - share)),
    )


def _cut_rank(before: str) -> int:
    """How good a place to cut is after this text: one word, and what follows up to the next."""
    stripped = before.rstrip()
    if len(stripped) == len(before):
        return RANK_BETWEEN_SENTENCES if before.endswith("。") else RANK_INSIDE_WORD
    if "\n" in before[len(stripped) :] or stripped.endswith(SENTENCE_ENDS):
        return RANK_BETWEEN_SENTENCES
    return RANK_BETWEEN_WORDS
