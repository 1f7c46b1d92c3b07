from __future__ import annotations

import json
import random
from collections.abc import Iterable

import pytest
import yaml

from training import members, pairs

PUBLISHED = [
    {
        "kind": "squad",
        "q": f"How many beams did the mason place in {year}?",
        "title": "Bridge",
        "text": f"In {year} the mason placed twelve beams and four columns near the river.",
        "gold": [[0, 20]],
        "g": f"bridge {year}",
    }
    for year in range(1900, 1960)
]


def test_the_same_inputs_give_the_same_pairs() -> None:
    assert pairs.build_pairs(PUBLISHED) == pairs.build_pairs(PUBLISHED)


def test_a_swapped_question_asks_for_what_its_text_does_not_say() -> None:
    swapped = [pair for pair in pairs.build_pairs(PUBLISHED) if pair["kind"] == "squad="]
    assert len(swapped) > 20
    originals = {pair["text"]: pair["q"] for pair in PUBLISHED}
    for pair in swapped:
        (new,) = set(pair["q"].rstrip("?").split()) - set(originals[pair["text"]].rstrip("?").split())
        assert new.lower() not in pair["text"].lower()
        assert pair["gold"] == []


def test_what_answers_a_question_on_an_excerpt_stands_in_it() -> None:
    excerpts = [json.loads(line) for line in pairs.EXCERPTS.read_text(encoding="utf-8").splitlines()]
    last = pairs.last_pairs(pairs.build_pairs(PUBLISHED), excerpts)
    assert last == pairs.last_pairs(pairs.build_pairs(PUBLISHED), excerpts)
    asked = {(pair["text"], pair["q"]): pair for pair in last if pair["kind"].startswith("excerpt")}
    for excerpt in excerpts:
        for question in excerpt["questions"]:
            pair = asked[excerpt["text"], question["q"]]
            assert [pair["text"][start:end] for start, end in pair["gold"]] == [question["a"]] * bool(question["a"])
            assert excerpt["title"] in pair["title"]


CLASSES = {each["title"]: each for each in yaml.safe_load(pairs.CLASSES.read_text())}


@pytest.fixture(scope="module")
def written() -> list[members.Pair]:
    return members.write_pairs(list(CLASSES.values()), count=600, rng=random.Random(3))


def described(pair: members.Pair) -> dict:
    return CLASSES[pair["title"].partition(" > ")[0]]


def named(names: Iterable[str], text: str) -> set[str]:
    """The names that the text has, without those inside a longer one: "retaining walls" is not "walls"."""
    found, left = set(), text.lower()
    for name in sorted(names, key=len, reverse=True):
        if name.lower() in left:
            found.add(name)
            left = left.replace(name.lower(), "")
    return found


def test_the_gold_of_a_written_pair_follows_the_member_that_is_asked_for(written: list[members.Pair]) -> None:
    answered = [pair for pair in written if pair["gold"]]
    assert len(answered) > 200
    for pair in answered:
        ((start, end),) = pair["gold"]
        asked = named(described(pair)["members"], pair["q"])
        assert asked & named(described(pair)["members"], pair["text"][:end])
        assert 0 <= start < end <= len(pair["text"])


def test_what_a_written_pair_does_not_answer_is_not_in_its_text(written: list[members.Pair]) -> None:
    wrong = [pair for pair in written if not pair["gold"]]
    assert len(wrong) > 150
    for pair in wrong:
        names = [*described(pair)["members"], *described(pair)["attributes"]]
        assert named(names, pair["q"]) - named(names, pair["text"])
