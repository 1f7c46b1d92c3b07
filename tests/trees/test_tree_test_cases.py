from __future__ import annotations

import pytest

from tests.trees.growing import action, condition, cover_tree, question, tree
from trees.definition.parser import parse_tree
from trees.tree_test_cases import Case, CaseCoverage, InvalidCase, measure_coverage, parse_cases, run_cases


def sent(**changes: object) -> dict[str, object]:
    return {"name": "Coast", "sentence": "Cover?", "expectation": "reaches", "expected": "a", **changes}


def ran(*cases: Case) -> list[tuple[bool, str]]:
    return [(result.passed, result.said) for result in run_cases(cover_tree(), cases)]


def test_a_case_is_walked_by_its_sentence_and_its_facts():
    beam = Case(name="x", sentence="Cover for a coastal beam?", expected="cover_lookup")
    slab = Case(name="x", sentence="Cover for a coastal beam?", facts={"member_type": "slab"}, expected="slab_cover")
    assert ran(beam, slab) == [(True, "reached “Look up cover”"), (True, "reached “Label of slab_cover”")]


def test_a_case_may_expect_a_question():
    asks = Case(name="x", sentence="Cover on the coast, severe?", expectation="asks", expected="member_type")
    other = Case(name="x", sentence="Cover?", expectation="asks", expected="member_type")
    assert ran(asks, other) == [(True, "asked for member_type"), (False, "asked for exposure")]


def test_a_node_on_the_way_counts_as_reached_and_one_that_had_to_ask_does_not():
    facts = {"exposure": "severe"}
    on_the_way = Case(name="x", facts={**facts, "member_type": "beam"}, expected="member_type")
    had_to_ask = Case(name="x", facts=facts, expected="member_type")
    assert [passed for passed, _ in ran(on_the_way, had_to_ask)] == [True, False]


def test_facts_that_no_tree_can_read_fail_the_case_and_nothing_else():
    assert ran(Case(name="x", facts={"exposure": ["severe"]}, expected="mild_cover"))[0][0] is False


def test_a_way_that_ends_in_nothing_fails_the_case():
    broken = parse_tree(tree(question("q", {"yes": "gone"})))
    result = run_cases(broken, [Case(name="x", facts={"q": "yes"}, expected="gone")])[0]
    assert (result.passed, result.said) == (False, "led nowhere from “Label of q”")


def test_coverage_names_the_ends_and_branches_that_no_case_reached():
    grown = parse_tree(tree(condition("thick", "mm", "gt", 40), action("yes"), action("no")))
    results = run_cases(grown, [Case(name="x", facts={"mm": 50}, expected="no")])
    expected = CaseCoverage(ends=2, branches=2, missed_ends=("no",), missed_branches=(("thick", "false"),))
    assert measure_coverage(grown, results) == expected


def test_an_answer_in_other_words_covers_the_branch_of_its_author():
    results = run_cases(cover_tree(), [Case(name="x", sentence="Cover for coastal beams?", expected="cover_lookup")])
    assert results[0].branches == (("exposure_check", "severe"), ("member_type", "beam"))


@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        [1],
        [sent()] * 101,
        [sent(expectation="knows")],
        [sent(expectation=["reaches"])],
        [sent(name=" ")],
        [sent(name="x" * 121)],
        [sent(expected=None)],
        [sent(sentence=3)],
        [sent(facts=[])],
        [sent(facts={str(number): 1 for number in range(51)})],
    ],
)
def test_what_is_no_list_of_cases_is_refused(data):
    with pytest.raises(InvalidCase):
        parse_cases(data)


def test_cases_are_read_as_they_were_sent():
    assert parse_cases([sent(facts={"mm": 3})]) == [
        Case(name="Coast", sentence="Cover?", facts={"mm": 3}, expectation="reaches", expected="a")
    ]
