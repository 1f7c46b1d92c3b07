from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.trees.growing import action, condition, cover_tree, question, tree, yes_no_tree
from tests.trees.validation.test_tree_problems import json_values, tree_like
from trees.definition.parser import InvalidTree, parse_tree
from trees.facts.extraction import Fact, facts_from_request
from trees.walk import MissingFact, Walk, decision_path, list_missing_facts, resolves_missing_fact, walk


def walked(tree, **facts) -> Walk:
    return walk(tree, {name: Fact(value=value, source="request") for name, value in facts.items()})


def outcome(tree, **facts) -> str | None:
    result = walked(tree, **facts)
    return result.action.recommendation if result.action else None


def test_the_path_has_the_shape_the_api_promises():
    assert decision_path(walked(cover_tree(), exposure="severe", member_type="beam")) == [
        {"step": 1, "node": "exposure_check", "label": "Exposure condition?", "value": "severe"},
        {"step": 2, "node": "member_type", "label": "Member type?", "value": "beam"},
        {"step": 3, "node": "cover_lookup", "label": "Look up cover", "result": "45mm"},
    ]


def test_a_condition_has_its_outcome_as_result():
    path = decision_path(walked(yes_no_tree("span", "gt", 6), span=7))
    assert [item.get("result") for item in path] == ["true", "true"]
    assert path[0] == {"step": 1, "node": "check", "label": "Label of check", "result": "true"}


def test_a_step_knows_where_its_fact_came_from():
    facts = {
        "exposure": Fact(value="severe", source="question", span="wet"),
        "member_type": Fact(value="beam", source="context"),
    }
    result = walk(cover_tree(), facts)
    assert [step.source for step in result.path] == ["question", "context", None]
    assert result.facts_used == facts


def test_facts_that_were_not_needed_are_not_used():
    assert set(walked(cover_tree(), exposure="mild", member_type="beam").facts_used) == {"exposure"}


class TestQuestions:
    @pytest.mark.parametrize("said", ["severe", " Severe ", "SEVERE", "wet", "Exposed to  weather"])
    def test_an_answer_is_matched_whatever_its_spelling(self, said):
        result = walked(cover_tree(), exposure=said, member_type="Beams")
        assert [step.value for step in result.path[:2]] == ["severe", "beam"]

    def test_a_missing_answer_is_asked_for(self):
        result = walked(cover_tree(), exposure="severe")
        assert result.action is None
        assert result.missing == MissingFact(
            field="member_type",
            question="What kind of member is it?",
            options=("beam", "slab"),
            node_id="member_type",
        )
        assert decision_path(result)[-1]["result"] == "not answered"

    def test_an_answer_that_is_none_of_the_options_is_asked_again(self):
        assert walked(cover_tree(), exposure="lunar").missing.field == "exposure"

    def test_a_question_without_a_field_is_answered_under_its_own_id(self):
        asked = parse_tree(tree(question("member", {"beam": "a"}), action("a")))
        assert walked(asked).missing.field == "member"
        assert outcome(asked, member="beam") == "45mm"

    def test_without_options_the_answers_are_offered(self):
        asked = parse_tree(tree(question("member", {"beam": "a", "slab": "a"}, options=[]), action("a")))
        assert walked(asked).missing.options == ("beam", "slab")

    @pytest.mark.parametrize(("said", "expected"), [(True, "a"), ("no", "b"), ("TRUE", "a"), (False, "b")])
    def test_yes_and_no_are_understood(self, said, expected):
        asked = parse_tree(tree(question("wet", {"Yes": "a", "No": "b"}), action("a", "a"), action("b", "b")))
        assert outcome(asked, wet=said) == expected

    def test_a_measured_answer_is_matched_by_its_size(self):
        asked = parse_tree(
            tree(
                question("bar", {"12 mm": "a", "16 mm": "b"}, extractFrom="bar"),
                action("a", "a"),
                action("b", "b"),
                fields={"bar": {"type": "number", "unit": "mm"}},
            )
        )
        assert outcome(asked, bar="1.6 cm") == "b"
        assert outcome(asked, bar=12) == "a"
        assert walked(asked, bar=13).missing.field == "bar"

    def test_options_that_differ_by_a_sign_are_not_confused(self):
        asked = parse_tree(tree(question("span", {"< 6 m": "a", "> 6 m": "b"}), action("a", "a"), action("b", "b")))
        assert outcome(asked, span="> 6 m") == "b"
        assert walked(asked, span="6 m").missing.field == "span"

    def test_an_option_without_a_branch_ends_the_walk_without_a_recommendation(self):
        asked = parse_tree(tree(question("member", {"beam": "a"}, options=["beam", "slab"]), action("a")))
        result = walked(asked, member="slab")
        assert (result.action, result.missing, result.path[-1].value) == (None, None, "slab")


class TestConditions:
    @pytest.mark.parametrize(
        ("operator", "value", "fact", "expected"),
        [
            ("eq", "severe", " SEVERE", "true"),
            ("eq", "severe", "mild", "false"),
            ("eq", "dead load", "Dead-Load", "true"),
            ("eq", 45, "45", "true"),
            ("eq", 45, 45.0, "true"),
            ("eq", True, "yes", "true"),
            ("eq", "yes", False, "false"),
            ("gt", 6, 6.5, "true"),
            ("gt", 6, 6, "false"),
            ("gt", "6", "7", "true"),
            ("gte", 6, 6, "true"),
            ("gte", "6", "5.9", "false"),
            ("lte", 6, 6, "true"),
            ("lte", 6, "6.1", "false"),
            ("lt", 6, 6, "false"),
            ("lt", 6, "5.5", "true"),
            ("contains", "wind", "Wind and snow", "true"),
            ("contains", "wind", "snow", "false"),
            ("in", ["beam", "slab"], "Slabs", "true"),
            ("in", ["beam", "slab"], "column", "false"),
            ("in", [1, 2], 2, "true"),
        ],
    )
    def test_an_operator_decides(self, operator, value, fact, expected):
        assert outcome(yes_no_tree("x", operator, value), x=fact) == expected

    @pytest.mark.parametrize("fact", ["45mm", "45 mm", "4.5 cm", 45, "45"])
    def test_equal_quantities_are_equal_however_they_are_written(self, fact):
        tree = yes_no_tree("cover", "eq", "45 mm", fields={"cover": {"type": "number", "unit": "mm"}})
        assert outcome(tree, cover=fact) == "true"

    @pytest.mark.parametrize("operator", ["gt", "lt"])
    def test_an_equal_quantity_is_neither_more_nor_less(self, operator):
        tree = yes_no_tree("cover", operator, 45, fields={"cover": {"type": "number", "unit": "mm"}})
        assert outcome(tree, cover="4.5 cm") == "false"

    @pytest.mark.parametrize("operator", ["gte", "lte"])
    def test_an_equal_quantity_is_at_least_and_at_most(self, operator):
        tree = yes_no_tree("cover", operator, 45, fields={"cover": {"type": "number", "unit": "mm"}})
        assert outcome(tree, cover="4.5 cm") == "true"

    def test_a_unit_in_the_value_declares_the_field(self):
        assert outcome(yes_no_tree("cover", "gt", "45 mm"), cover="5 cm") == "true"
        assert outcome(yes_no_tree("cover", "gte", "45 mm"), cover="4 cm") == "false"

    def test_a_synonym_counts_in_a_condition_too(self):
        tree = yes_no_tree(
            "exposure",
            "eq",
            "severe",
            fields={"exposure": {"type": "choice", "options": ["mild", "severe"], "synonyms": {"severe": ["wet"]}}},
        )
        assert outcome(tree, exposure="wet") == "true"

    @pytest.mark.parametrize(
        ("operator", "value"),
        [("eq", "a"), ("gt", 1), ("gte", 1), ("lt", 1), ("lte", 1), ("contains", "a"), ("in", ["a"])],
    )
    def test_lx_050_a_missing_fact_is_asked_for_and_never_counts_as_false(self, operator, value):
        result = walked(yes_no_tree("x", operator, value))
        assert result.action is None
        assert result.missing.field == "x"
        assert [step.result for step in result.path] == ["not evaluated"]

    @pytest.mark.parametrize("fact", ["long", "4 kg", True, ""])
    def test_a_fact_that_cannot_be_compared_is_asked_for(self, fact):
        tree = yes_no_tree("span", "gt", 6, fields={"span": {"type": "number", "unit": "m"}})
        assert walked(tree, span=fact).missing.field == "span"

    def test_a_value_outside_the_options_is_asked_for(self):
        declared = {"exposure": {"type": "choice", "options": ["mild", "severe"]}}
        tree = yes_no_tree("exposure", "eq", "severe", fields=declared)
        assert walked(tree, exposure="lunar").missing.options == ("mild", "severe")


class TestWhatToAsk:
    def test_the_declared_question_comes_first(self):
        declared = {"exposure": {"type": "choice", "question": "How exposed is it?", "options": ["mild", "severe"]}}
        missing = walked(yes_no_tree("exposure", "eq", "severe", fields=declared)).missing
        assert (missing.question, missing.options) == ("How exposed is it?", ("mild", "severe"))

    def test_then_the_question_of_another_node(self):
        nodes = [
            condition("c", "exposure", "eq", "severe", true="yes", false="q"),
            question("q", {"mild": "yes", "moderate": "yes"}, text="Which exposure?", extractFrom="exposure"),
            action("yes"),
        ]
        missing = walked(parse_tree(tree(*nodes))).missing
        assert (missing.question, missing.options, missing.node_id) == (
            "Which exposure?",
            ("mild", "moderate"),
            "c",
        )

    @pytest.mark.parametrize(
        ("field", "operator", "value", "expected"),
        [
            ("exposure", "eq", "severe", "What is the exposure?"),
            ("member_type", "eq", "beam", "What is the member type?"),
            ("span", "gt", "6 m", "What is the span (in m)?"),
            ("span", "lte", "6 m", "What is the span (in m)?"),
            ("exposed", "eq", True, "Yes or no: exposed?"),
        ],
    )
    def test_else_one_is_made(self, field, operator, value, expected):
        assert walked(yes_no_tree(field, operator, value)).missing.question == expected

    def test_a_yes_no_field_offers_yes_and_no(self):
        assert walked(yes_no_tree("exposed", "eq", True)).missing.options == ("yes", "no")

    def test_a_field_that_takes_any_text_offers_nothing(self):
        assert walked(yes_no_tree("exposure", "eq", "severe")).missing.options == ()


class TestBrokenTrees:
    def test_a_child_that_does_not_exist_ends_the_walk_with_the_path_so_far(self):
        result = walked(parse_tree(tree(question("q", {"beam": "nowhere"}))), q="beam")
        assert (result.action, result.missing, len(result.path)) == (None, None, 1)

    def test_lx_049_a_missing_child_ends_the_walk(self):
        result = walked(parse_tree(tree(condition("c", "x", "eq", "a", false=None), action("yes"))), x="b")
        assert (result.action, result.missing, result.path[0].result) == (None, None, "false")

    def test_a_missing_root_ends_the_walk_at_once(self):
        assert walked(parse_tree({**tree(action("a")), "rootNodeId": "z"})) == Walk()

    def test_a_circle_ends_the_walk(self):
        result = walked(parse_tree(tree(question("q", {"on": "r"}), question("r", {"back": "q"}))), q="on", r="back")
        assert (result.action, result.missing, len(result.path)) == (None, None, 2)


@given(tree_like, st.dictionaries(st.sampled_from(["a", "b", "c", "x", "y"]), json_values))
def test_every_walk_ends_within_the_size_of_its_tree(data, given_facts):
    try:
        tree = parse_tree(data)
    except InvalidTree:
        return
    usable = {name: value for name, value in given_facts.items() if isinstance(value, str | bool)}
    result = walk(tree, facts_from_request(tree, usable)[0])
    assert len(result.path) <= len(tree.nodes)
    assert result.action is None or result.missing is None


answers = st.sampled_from(["red", "blue", "7", "yes"])
children = st.sampled_from([f"n{number}" for number in range(6)])
nodes = st.one_of(
    st.builds(lambda options: question("?", options), st.dictionaries(answers, children, min_size=1)),
    st.builds(
        lambda operator, true, false: condition("?", "n0", operator, 7, true=true, false=false),
        st.sampled_from(["eq", "gt", "gte", "lt", "lte"]),
        children,
        children,
    ),
    st.just(action("?")),
)


@given(st.lists(nodes, min_size=1, max_size=6), st.dictionaries(children, answers))
def test_a_walk_through_any_wiring_ends(drawn, given_facts):
    wired = [{**node, "id": f"n{number}"} for number, node in enumerate(drawn)]
    tree_ = parse_tree(tree(*wired))
    result = walked(tree_, **given_facts)
    assert len(result.path) <= len(wired)
    assert decision_path(result) == decision_path(walked(tree_, **given_facts))


def test_what_a_walk_can_ask_is_what_it_asks():
    asked = {missing.field: missing for missing in list_missing_facts(cover_tree())}
    assert walked(cover_tree()).missing == asked["exposure"]
    assert walked(cover_tree(), exposure="severe").missing == asked["member_type"]
    assert walked(yes_no_tree("span", "gt", 6)).missing == list_missing_facts(yes_no_tree("span", "gt", 6))[0]


def test_an_answer_settles_a_question_when_the_walk_goes_on_with_it():
    (exposure, *_) = [missing for missing in list_missing_facts(cover_tree()) if missing.field == "exposure"]
    assert resolves_missing_fact(cover_tree(), exposure, "Severe")
    assert not resolves_missing_fact(cover_tree(), exposure, "purple")
    (span,) = list_missing_facts(yes_no_tree("span", "gt", 6))
    assert resolves_missing_fact(yes_no_tree("span", "gt", 6), span, "7")
    assert not resolves_missing_fact(yes_no_tree("span", "gt", 6), span, "long")
