from __future__ import annotations

from language.word_runs import run_starts


class CountedWord(str):
    comparisons = 0
    __hash__ = str.__hash__

    def __ne__(self, other: object) -> bool:
        CountedWord.comparisons += 1
        return str.__ne__(self, other)

    def __eq__(self, other: object) -> bool:
        CountedWord.comparisons += 1
        return str.__eq__(self, other)


def starts(wanted: str, words: str) -> list[int]:
    return list(run_starts(wanted.split(), words.split()))


def test_every_place_of_a_run_is_found_also_where_runs_overlap():
    assert starts("a b a", "a b a b a c a b a") == [0, 2, 6]
    assert starts("b", "a b b") == [1, 2]


def test_a_run_that_is_nowhere_has_no_place():
    assert starts("a c", "a b c") == []
    assert starts("a b c d", "a b c") == []


def test_where_nothing_is_wanted_it_is_everywhere():
    assert starts("", "a b") == [0, 1, 2]


def test_repeated_words_are_compared_a_few_times_each():
    wanted = [CountedWord("key")] * 500 + [CountedWord("no")]
    words = [CountedWord("key")] * 2000
    CountedWord.comparisons = 0
    assert list(run_starts(wanted, words)) == []
    assert CountedWord.comparisons <= 5 * (len(wanted) + len(words))
