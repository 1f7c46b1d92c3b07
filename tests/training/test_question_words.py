from __future__ import annotations

from training.question_words import missing_words


def test_words_that_most_answers_lack_are_found_where_many_groups_ask_them():
    pairs = [(f"May I bring a dog to house {number}?", "Dogs are welcome here.", f"{number}") for number in range(12)]
    assert set(missing_words(pairs, share=0.6)) >= {"bring", "hous"}
    assert "dog" not in set(missing_words(pairs, share=0.6))
    assert not set(missing_words(pairs[:9], share=0.6))
