from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.trees.growing import action, condition, cover_tree, question, tree, yes_no_tree
from trees.definition.nodes import Tree
from trees.definition.parser import parse_tree
from trees.facts.extraction import (
    Fact,
    InvalidFact,
    extract_facts,
    facts_as_json,
    facts_from_request,
    facts_from_tool_call,
    fields_json_schema,
    options_by_words,
)


def values(tree: Tree, text: str, *context: str) -> dict[str, object]:
    return {name: fact.value for name, fact in extract_facts(tree, question=text, context=context).items()}


def numbers_tree() -> Tree:
    fields = {
        "span": {"type": "number", "unit": "m"},
        "nominal_cover": {"type": "number", "unit": "mm"},
        "grade": {"type": "number"},
        "temperature": {"type": "number", "unit": "°C", "synonyms": {"temperature": ["heat"]}},
    }
    return parse_tree(tree(action("a"), fields=fields))


class TestOptions:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            (
                "What is the minimum cover for a beam exposed to weather?",
                {"exposure": "severe", "member_type": "beam"},
            ),
            ("beams", {"member_type": "beam"}),
            ("BEAM in Severe exposure", {"member_type": "beam", "exposure": "severe"}),
            ("a coastal slab", {"exposure": "severe", "member_type": "slab"}),
            ("several beams", {"member_type": "beam"}),
            ("the moonbeam", {}),
            ("exposed. To weather", {}),
            ("", {}),
        ],
    )
    def test_lx_060_options_and_synonyms_are_found_in_any_inflection(self, text, expected):
        assert values(cover_tree(), text) == expected

    def test_the_words_that_said_it_are_kept(self):
        facts = extract_facts(cover_tree(), question="For a beam exposed to weather")
        assert facts["exposure"] == Fact(value="severe", source="question", span="exposed to weather")

    @pytest.mark.parametrize(
        "text",
        [
            "not severe",
            "The exposure isn't severe",
            "The exposure isn’t severe",
            "not exposed to weather",
            "without any wet conditions",
            "no coastal site",
            "non-severe exposure",
            "neither severe nor wet",
            "mild rather than severe",
            "never exposed to weather",
        ],
    )
    def test_a_denied_option_is_not_taken(self, text):
        assert values(cover_tree(), text).get("exposure") != "severe"

    @pytest.mark.parametrize(
        "text",
        [
            "Mein Blech ist nicht verzinkt, was tun?",
            "Das Blech wurde nie verzinkt",
            "Verzinkt ist es nicht",
            "Blech ohne Zink, kein verzinkt",
            "La chapa nunca fue verzinkt",
            "La tôle n'est pas verzinkt",
            "A chapa não é verzinkt",
            "यह verzinkt नहीं है",
            "هذا ليس verzinkt",
        ],
    )
    def test_a_denial_of_another_language_is_one(self, text):
        coated = parse_tree(tree(question("blech", {"verzinkt": "a", "roh": "a"}, extractFrom="blech"), action("a")))
        assert values(coated, text) == {}

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("Das Bauteil ist verzinkt und nicht lackiert", {"verzinkt": True}),
            ("verzinkt, aber nicht lackiert", {"verzinkt": True}),
            ("verzinkt aber nicht lackiert", {"verzinkt": True}),
            ("Das Bauteil ist nicht verzinkt", {}),
            ("Kein Keller und verzinkt", {}),
            ("Es ist nicht nass und verzinkt", {}),
            ("a SIN verzinkt wall", {}),
        ],
    )
    def test_a_denial_of_another_language_never_says_the_opposite(self, text, expected):
        assert values(yes_no_tree("verzinkt", "eq", True), text) == expected

    def test_words_of_other_alphabets_are_whole(self):
        asked = parse_tree(tree(question("what", {"कर": "a", "किराया": "a"}, extractFrom="what"), action("a")))
        assert values(asked, "मुझे किराया देना है, क्या करें?") == {"what": "किराया"}
        assert values(asked, "क्या करूँ?") == {}

    @pytest.mark.parametrize(
        "text",
        ["not mild but severe", "not only wet", "I am not sure about it: severe", "Not now. Severe exposure"],
    )
    def test_a_denial_ends_where_the_thought_ends(self, text):
        extracted = values(cover_tree(), text)
        assert extracted.get("exposure") in ("severe", None)
        assert extracted.get("exposure") != "mild"

    def test_what_follows_but_is_affirmed(self):
        assert values(cover_tree(), "It is not a beam but a slab") == {}
        assert values(cover_tree(), "not only wet") == {"exposure": "severe"}

    @pytest.mark.parametrize("text", ["mild or severe?", "the beam on a slab", "a severe, no, a mild exposure"])
    def test_two_options_of_a_field_are_left_to_be_asked(self, text):
        assert not {"beam", "slab", "mild", "severe"} & set(values(cover_tree(), text).values())

    def test_the_longest_phrase_wins(self):
        asked = parse_tree(tree(question("load", {"load": "a", "live load": "a"}, extractFrom="load"), action("a")))
        assert values(asked, "under live loads") == {"load": "live load"}

    def test_a_longer_phrase_of_another_field_wins(self):
        asked = parse_tree(
            tree(
                question("exposure", {"wet": "joint", "dry": "joint"}, extractFrom="exposure"),
                question("joint", {"wet joint": "a", "bolted": "a"}, extractFrom="joint"),
                action("a"),
            )
        )
        assert values(asked, "with a wet joint") == {"joint": "wet joint"}

    @pytest.mark.parametrize(("text", "expected"), [("a beam of class A", "A"), ("a beam", None), ("2 beams", None)])
    def test_a_slight_option_counts_only_beside_the_name_of_its_field(self, text, expected):
        asked = parse_tree(tree(question("class", {"A": "a", "2": "a"}, extractFrom="class"), action("a")))
        assert values(asked, text).get("class") == expected

    def test_an_option_with_a_sign_is_not_looked_for_in_a_text(self):
        asked = parse_tree(tree(question("span", {"< 6 m": "a", "> 6 m": "a"}, extractFrom="span"), action("a")))
        assert values(asked, "a span of 6 m") == {}


class TestEarlierTurns:
    def test_the_question_comes_before_earlier_turns(self):
        facts = extract_facts(cover_tree(), question="and for a slab?", context=["A beam in severe exposure"])
        assert facts["member_type"] == Fact(value="slab", source="question", span="slab")
        assert facts["exposure"] == Fact(value="severe", source="context", span="severe")

    def test_the_latest_turn_decides(self):
        assert values(cover_tree(), "cover?", "mild", "severe") == {"exposure": "severe"}

    def test_what_the_question_denies_is_not_taken_from_earlier(self):
        assert values(cover_tree(), "and if it is not severe?", "severe exposure") == {}

    def test_what_the_question_leaves_open_is_not_taken_from_earlier(self):
        assert values(cover_tree(), "mild or severe?", "severe exposure") == {}


class TestYesAndNo:
    declared = {"exposed": {"type": "boolean", "synonyms": {"yes": ["outdoors"], "no": ["indoors", "sheltered"]}}}

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("an exposed beam", True),
            ("a beam that is not exposed", False),
            ("the beam isn't exposed", False),
            ("outdoors", True),
            ("indoors", False),
            ("not outdoors", False),
            ("not sheltered", True),
            ("Is 45 mm enough for an exposed beam?", True),
            ("Is the beam exposed?", None),
            ("not coated and exposed", None),
            ("exposed, or not exposed", None),
            ("a beam", None),
        ],
    )
    def test_a_yes_no_field_is_read_from_its_name_and_synonyms(self, text, expected):
        tree = yes_no_tree("exposed", "eq", True, fields=self.declared)
        assert values(tree, text).get("exposed") is expected

    def test_a_denial_without_a_verb_counts(self):
        assert values(yes_no_tree("has_insulation", "eq", "yes"), "a wall without insulation") == {
            "has_insulation": False
        }

    def test_a_question_with_yes_and_no_is_read_the_same_way(self):
        asked = parse_tree(tree(question("q1", {"Yes": "a", "No": "a"}, extractFrom="is_exposed"), action("a")))
        assert values(asked, "a beam that is not exposed") == {"is_exposed": False}

    def test_the_id_of_a_question_is_not_looked_for_in_a_text(self):
        asked = parse_tree(tree(question("q1", {"Yes": "a", "No": "a"}), action("a")))
        assert values(asked, "What about Q1 of this year?") == {}


class TestNumbers:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("a span of 6.5 m", {"span": 6.5}),
            ("a 6m span", {"span": 6}),
            ("span: 650 cm", {"span": 6.5}),
            ("spans are 6 m", {"span": 6}),
            ("the span (m) is 6", {"span": 6}),
            ("45 mm nominal cover over a 6 m span", {"nominal_cover": 45, "span": 6}),
            ("cover of 4.5 cm", {"nominal_cover": 45}),
            ("grade 25", {"grade": 25}),
            ("M25", {}),
            ("at 20 °C", {"temperature": 20}),
            ("a heat of 68 °F", {"temperature": 20}),
            ("a span of 4 kg", {}),
            ("3 beams", {}),
        ],
    )
    def test_a_number_belongs_to_the_field_whose_name_it_stands_by(self, text, expected):
        assert values(numbers_tree(), text) == pytest.approx(expected)

    @pytest.mark.parametrize("text", ["span over 6 m", "a span of at least 6 m", "span > 6 m", "span up to 6 m"])
    def test_a_bound_is_not_a_value(self, text):
        assert facts_as_json(extract_facts(numbers_tree(), question=text)) == {}

    @pytest.mark.parametrize(
        "text",
        [
            "I am not 18 years old. May I sign?",
            "I'm not yet 18 years old",
            "I am almost 18 years old",
            "I turn 18 years old next month",
            "I will not stay 18 years",
            "18 years or more",
            "18 years or older",
            "18+ years",
            "18 years at least",
            "18 years minimum",
            "18 years minimum, then",
            "Ich bin noch nicht 18 years old",
        ],
    )
    def test_a_number_that_is_denied_or_only_a_bound_is_no_value(self, text):
        asked = yes_no_tree("age", "lt", 18, fields={"age": {"type": "number", "unit": "year"}})
        assert facts_as_json(extract_facts(asked, question=text)) == {}

    @pytest.mark.parametrize(
        "text",
        [
            "I am 18 years old",
            "I do not know what a woman of 18 years may sign",
            "No, I am 18 years old",
            "It is not mine: 18 years old",
            "I am 18 years old or so she says",
            "I am about 18 years old, and not married",
            "Is 18 years ok or not?",
            "18 years max load 5 kN",
            "Which minimum does somebody of 18 years minimum pay?",
        ],
    )
    def test_a_number_is_taken_where_something_else_is_denied(self, text):
        asked = yes_no_tree("age", "lt", 18, fields={"age": {"type": "number", "unit": "year"}})
        assert values(asked, text) == {"age": 18}

    @pytest.mark.parametrize("text", ["a span of 4 or 6 m", "span 4-6 m", "span between 4 and 6 m", "span 4 m to 6 m"])
    def test_a_choice_of_numbers_is_left_to_be_asked(self, text):
        assert values(numbers_tree(), text) == {}

    def test_a_number_for_something_else_is_not_taken(self):
        assert values(numbers_tree(), "What is the minimum cover for a 20 mm bar?") == {}

    def test_a_number_in_the_only_fitting_unit_is_taken(self):
        declared = {"span": {"type": "number", "unit": "m"}}
        assert values(yes_no_tree("span", "gt", 6, fields=declared), "a beam of 7 m") == {"span": 7}
        assert values(yes_no_tree("span", "gt", 6, fields=declared), "a bar of 20 mm") == {}
        assert values(yes_no_tree("span", "gt", 6, fields=declared), "a beam of 5 m or 7 m") == {}

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("May I work from Spain for 10 days?", {"working_days": 10}),
            ("May I work from Spain for 10 working days?", {"working_days": 10}),
            ("I am away for 30 days, of which 10 working days are in Spain", {"working_days": 10}),
            ("How are the days counted if I stay for 10 days?", {}),
            ("In 2 days I leave: may I work from Spain for 10 days?", {}),
        ],
    )
    def test_the_unit_of_a_number_does_not_name_the_field_that_ends_in_it(self, text, expected):
        declared = {"working_days": {"type": "number", "unit": "days"}}
        assert values(yes_no_tree("working_days", "gt", 20, fields=declared), text) == expected

    @pytest.mark.parametrize(
        ("field", "text", "number"),
        [
            ("spacing_inches", "The spacing is 12 inches", 12),
            ("opening_metres", "The opening is 3 metres wide", 3),
            ("bearing_tonnes", "It has 2 tonnes of bearing", 2),
        ],
    )
    def test_a_thing_that_ends_in_ing_is_no_kind_of_its_unit(self, field, text, number):
        declared = {name: {"type": "number", "unit": field.partition("_")[2]} for name in (field, "other")}
        assert values(yes_no_tree(field, "gt", 20, fields=declared), text) == {field: number}

    def test_the_words_that_gave_the_number_are_kept(self):
        facts = extract_facts(numbers_tree(), question="a span of 650 cm")
        assert facts["span"] == Fact(value=6.5, source="question", span="650 cm")


class TestRequests:
    def test_given_facts_are_understood_as_their_fields_hold_them(self):
        facts, unknown = facts_from_request(
            cover_tree(), {"exposure": "Wet", "member_type": "it's a beam", "colour": 1}
        )
        assert {name: fact.value for name, fact in facts.items()} == {"exposure": "severe", "member_type": "beam"}
        assert {fact.source for fact in facts.values()} == {"request"}
        assert unknown == ["colour"]

    def test_a_number_is_converted_to_the_unit_of_its_field(self):
        assert facts_from_request(numbers_tree(), {"span": "650 cm"})[0]["span"].value == 6.5

    def test_an_answer_that_the_tree_itself_offers_is_understood(self):
        options = {"1 month": "long", "6 months": "long"}
        asked = parse_tree(
            tree(
                question("q", options, extractFrom="notice_period", text="How long is the notice period?"),
                condition("long", "notice_period", "gt", 3, true="a", false="a"),
                action("a"),
            )
        )
        for option, number in (("6 months", 6), ("1 month", 1)):
            facts, _ = facts_from_request(asked, {"notice_period": option})
            assert facts["notice_period"].value == number

    def test_a_number_in_any_unit_counts_where_nothing_says_one(self):
        facts, _ = facts_from_request(yes_no_tree("weight", "gt", 10), {"weight": "12 kg"})
        assert facts["weight"].value == 12

    def test_what_cannot_be_understood_is_kept_to_be_asked_about(self):
        assert facts_from_request(cover_tree(), {"exposure": "lunar"})[0]["exposure"].value == "lunar"

    def test_a_denied_answer_is_not_taken_for_the_option(self):
        assert facts_from_request(cover_tree(), {"member_type": "not a beam"})[0]["member_type"].value == "not a beam"

    def test_no_and_nothing_are_answers_in_a_sentence(self):
        coated = yes_no_tree("galvanised", "eq", True)
        assert facts_from_request(coated, {"galvanised": "No, it is not galvanised"})[0]["galvanised"].value is False
        staff = yes_no_tree("employees", "gt", 10)
        assert facts_from_request(staff, {"employees": "we have 0 employees"})[0]["employees"].value == 0

    @pytest.mark.parametrize("value", [None, [], {}, ["beam"], float("nan"), float("inf"), 10**400, "x" * 501])
    def test_other_values_are_refused(self, value):
        with pytest.raises(InvalidFact) as caught:
            facts_from_request(cover_tree(), {"exposure": value})
        assert (caught.value.code, caught.value.status) == ("invalid_fact", 400)


class TestToolCalls:
    def test_the_schema_lists_the_fields_of_the_tree(self):
        assert fields_json_schema(cover_tree()) == {
            "type": "object",
            "properties": {
                "exposure": {
                    "type": "string",
                    "enum": ["mild", "moderate", "severe"],
                    "description": "What is the exposure condition?",
                },
                "member_type": {
                    "type": "string",
                    "enum": ["beam", "slab"],
                    "description": "What kind of member is it?",
                },
            },
            "additionalProperties": False,
        }

    def test_numbers_yes_and_no_and_open_texts_have_types_of_their_own(self):
        declared = {"span": {"type": "number", "unit": "m"}, "wet": {"type": "boolean"}, "note": {"type": "text"}}
        properties = fields_json_schema(parse_tree(tree(action("a"), fields=declared)))["properties"]
        assert {name: one["type"] for name, one in properties.items()} == {
            "span": "number",
            "wet": "boolean",
            "note": "string",
        }
        assert "(in m)" in properties["span"]["description"]

    def test_what_a_model_makes_up_is_left_out(self):
        arguments = {"exposure": "Severe", "member_type": "column", "colour": "red", "x": None}
        assert facts_from_tool_call(cover_tree(), arguments) == {
            "exposure": Fact(value="severe", source="question", span="Severe")
        }

    @pytest.mark.parametrize("value", ["unknown", "", None, [], {"a": 1}, "x" * 600, float("nan")])
    def test_a_model_that_does_not_know_says_nothing(self, value):
        assert facts_from_tool_call(yes_no_tree("x", "eq", "a"), {"x": value}) == {}


@given(st.text(max_size=300))
def test_any_question_can_be_read(text):
    for tree_ in (cover_tree(), numbers_tree()):
        for fact in extract_facts(tree_, question=text, context=[text]).values():
            assert fact.span in text


@pytest.mark.parametrize("part", ["not ", "9", "4 mm ", "9.", "1,", "a'", " ", "exposed to ", "a", "span of "])
def test_a_hostile_text_of_100_kilobytes_is_read_like_any_other(part):
    text = part * (100_000 // len(part))
    for tree_ in (cover_tree(), numbers_tree()):
        assert set(extract_facts(tree_, question=text, context=[text])) <= {"exposure"}


TELLING = ["not", "severe", "wet", "beam", "4", "6 m", "or", "and", "span", ",", ".", "exposed to", "weather"]


@given(st.lists(st.sampled_from(TELLING), max_size=12))
def test_any_order_of_telling_words_can_be_read(parts):
    text = " ".join(parts)
    assert set(values(cover_tree(), text)) <= {"exposure", "member_type"}
    assert set(values(numbers_tree(), text)) <= {"span", "nominal_cover", "grade", "temperature"}


class TestWordsOfFacts:
    def test_each_word_that_states_a_fact_has_the_options_that_it_stands_for(self):
        synonyms = {"mild": ["Lisbon", "Portugal"], "severe": ["Norway"]}
        asked = parse_tree(
            tree(
                question("exposure", {"mild": "k", "severe": "k"}, extractFrom="exposure", synonyms=synonyms),
                question("k", {"south": "a", "north": "a"}, synonyms={"south": ["Portugal"]}, extractFrom="region"),
                action("a"),
            )
        )
        text = "A beam in Lisbon, Portugal"
        facts = extract_facts(asked, question=text)
        assert options_by_words(asked, facts, text=text) == {"Lisbon": ["mild"], "Portugal": ["mild", "south"]}
        assert options_by_words(asked, {"exposure": facts["exposure"]}, text="Portugal or Norway") == {
            "Portugal": ["mild"]
        }

    def test_a_number_stands_for_no_option(self):
        facts = extract_facts(numbers_tree(), question="a span of 650 cm")
        assert options_by_words(numbers_tree(), facts, text="a span of 650 cm") == {"650 cm": []}
