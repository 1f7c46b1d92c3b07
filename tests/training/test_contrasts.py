from __future__ import annotations

import random

import pytest

from training import contrasts, pairs

GROUPS = contrasts.read_contrasts() + contrasts.read_contrasts(contrasts.HELD_OUT)


def test_each_group_has_two_texts_and_questions_on_both() -> None:
    for group in GROUPS:
        assert set(group.texts) == {"A", "B"}
        assert all(len(asked) == 2 for asked in group.questions.values())
        assert group.title
        assert group.unanswered


def test_what_answers_stands_in_its_text() -> None:
    made = list(contrasts.contrast_pairs(GROUPS, random.Random(1)))
    answers = [answer for group in GROUPS for asked in group.questions.values() for _, answer in asked]
    found = [pair["text"][start:end] for pair in made for start, end in pair["gold"]]
    assert sorted(found) == sorted(answers)


def test_how_many_words_a_question_shares_with_a_text_does_not_tell_whether_it_is_answered() -> None:
    """Each question that a text answers is also asked of one of the same matter that does not."""
    made = list(contrasts.contrast_pairs(GROUPS[:50], random.Random(1)))
    answered = {pair["q"] for pair in made if pair["gold"]}
    denied = {pair["q"] for pair in made if not pair["gold"]}
    assert answered <= denied


def test_no_group_that_is_held_out_is_learnt() -> None:
    learnt = {group.texts["A"] for group in contrasts.read_contrasts()}
    assert learnt.isdisjoint(group.texts["A"] for group in contrasts.read_contrasts(contrasts.HELD_OUT))


@pytest.mark.parametrize("line", ["C: a text", "QA: a question without its answer", "a text"])
def test_a_line_that_makes_no_sense_is_refused(line: str) -> None:
    label, _, value = line.partition(": ")
    with pytest.raises(ValueError, match=r"label|unpack"):
        contrasts.Contrast().add(label, value)


def test_the_same_inputs_give_the_same_contrasting_pairs() -> None:
    excerpts = pairs.read_excerpts()[:10]
    assert pairs.contrast_pairs([], excerpts) == pairs.contrast_pairs([], excerpts)
