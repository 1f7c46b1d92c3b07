"""Where a text has a run of words: Knuth, Morris and Pratt's search, linear however often words are repeated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def run_starts(wanted: Sequence[str], words: Sequence[str]) -> Iterator[int]:
    """Each place from which `words` go on as `wanted`, also where these overlap; every place for an empty run."""
    if not wanted:
        yield from range(len(words) + 1)
        return
    shorter = _shorter_matches(wanted)
    matched = 0
    for at, word in enumerate(words):
        while matched and word != wanted[matched]:
            matched = shorter[matched - 1]
        matched += word == wanted[matched]
        if matched == len(wanted):
            yield at + 1 - matched
            matched = shorter[matched - 1]


def _shorter_matches(wanted: Sequence[str]) -> list[int]:
    """For each beginning of the run, how many words of its end are a beginning of the run too."""
    shorter = [0]
    matched = 0
    for word in wanted[1:]:
        while matched and word != wanted[matched]:
            matched = shorter[matched - 1]
        matched += word == wanted[matched]
        shorter.append(matched)
    return shorter
