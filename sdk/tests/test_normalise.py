"""LX-100, and what goes beyond it: whatever a server sends, the result has its shape."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made import ANSWER, CLARIFY

from lexic_sdk import normalise
from lexic_sdk.results import Answer, Citation, DecisionStep, Left, Limits, Sibling

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)
odd_citations = st.fixed_dictionaries({}, optional=dict.fromkeys(ANSWER["citations"][0], anything))
odd_steps = st.fixed_dictionaries({}, optional=dict.fromkeys(("step", "node", "label", "value", "result"), anything))
odd_answers = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(CLARIFY, anything),
        "citations": anything | st.lists(odd_citations | anything, max_size=4),
        "decisionPath": anything | st.lists(odd_steps | anything, max_size=4),
    },
)


def assert_shape(answer: Answer) -> None:
    assert isinstance(answer.answer, str)
    assert answer.confidence in {"high", "medium", "low"}
    assert answer.outcome in {"answered", "refused", "clarify"}
    assert isinstance(answer.plugin_version, str)
    assert answer.plugin_version
    for citation in answer.citations:
        assert isinstance(citation.id + citation.document + citation.excerpt, str)
        assert citation.page is None or (type(citation.page) is int and citation.page >= 1)
        assert citation.score is None or type(citation.score) is float
    for step in answer.decision_path:
        assert isinstance(step.node + step.label, str)
        assert step.step >= 1
        assert step.value is None or isinstance(step.value, str)


@given(odd_answers | anything)
def test_whatever_comes_the_result_has_its_shape(value: Any):
    assert_shape(normalise.answer(value))


@given(odd_answers)
def test_what_is_left_of_a_result_is_read_the_same_from_its_raw_form(value: dict[str, Any]):
    answer = normalise.answer(value)
    assert answer.raw == value or any(number != number for number in _numbers(value))
    assert repr(normalise.answer(answer.raw)) == repr(answer)


def _numbers(value: Any) -> list[float]:
    if isinstance(value, dict):
        return [number for child in value.values() for number in _numbers(child)]
    if isinstance(value, list):
        return [number for child in value for number in _numbers(child)]
    return [value] if isinstance(value, float) else []


def test_lx_106_the_worked_sample_is_read_whole():
    answer = normalise.answer(ANSWER)
    assert answer.answer == "The nominal cover is 45mm [Source 1]."
    assert answer.citations == [
        Citation(
            id="src_1",
            document="IS 456:2000",
            page=47,
            section="Table 16, Clause 26.4.2",
            excerpt="Severe: 45 mm",
            document_id="d1",
            start=10,
            end=23,
            url="https://lexic.example/source/1",
            score=0.83,
        )
    ]
    assert answer.decision_path[0] == DecisionStep(step=1, node="exposure_check", label="Exposure?", value="severe")
    assert answer.decision_path[2].result == "45mm"
    assert (answer.confidence, answer.plugin_version, answer.outcome) == ("high", "1.2.0", "answered")
    assert (answer.query_id, answer.release, answer.reason) == ("q1", "cover@1.2.0", None)
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens) == (11, 7)
    assert answer.raw == ANSWER


@pytest.mark.parametrize("value", [None, [], "text", 7, True, {}])
def test_what_is_no_answer_at_all_gives_the_defaults(value: Any):
    answer = normalise.answer(value)
    assert (answer.answer, answer.citations, answer.decision_path) == ("", [], [])
    assert (answer.confidence, answer.plugin_version, answer.outcome) == ("low", "unknown", "answered")


@pytest.mark.parametrize("value", [None, 7, ["text"], {"text": "x"}, True])
def test_lx_100_an_answer_that_is_no_string_is_empty(value: Any):
    assert normalise.answer({**ANSWER, "answer": value}).answer == ""


@pytest.mark.parametrize("value", [None, "src_1", {"id": "src_1"}, 3])
def test_lx_100_citations_and_decision_path_that_are_no_arrays_are_empty(value: Any):
    answer = normalise.answer({**ANSWER, "citations": value, "decisionPath": value})
    assert answer.citations == []
    assert answer.decision_path == []


@pytest.mark.parametrize("value", [None, "", "HIGH", "certain", 0.9, ["high"], {"high": 1}])
def test_lx_100_a_confidence_that_is_invalid_is_low(value: Any):
    assert normalise.answer({**ANSWER, "confidence": value}).confidence == "low"


@pytest.mark.parametrize("value", [None, "", 2, ["1.0.0"]])
def test_lx_100_a_missing_version_is_unknown(value: Any):
    assert normalise.answer({**ANSWER, "pluginVersion": value}).plugin_version == "unknown"


def test_lx_100_each_citation_is_validated_on_its_own():
    good = ANSWER["citations"][0]
    answer = normalise.answer({**ANSWER, "citations": ["nonsense", good, None, {"id": 7, "page": "47"}, [good]]})
    assert [citation.id for citation in answer.citations] == ["src_1", "src_4"]
    assert answer.citations[0] == normalise.answer(ANSWER).citations[0]
    assert answer.citations[1] == Citation(id="src_4", document="", excerpt="")


@pytest.mark.parametrize("page", [None, 0, -1, 4.5, "47", True, float("nan"), float("inf"), 10**400])
def test_a_page_that_is_none_is_never_made_up(page: Any):
    assert normalise.answer({"citations": [{"page": page}]}).citations[0].page is None


def test_a_page_that_json_wrote_as_a_fraction_is_a_page():
    page = normalise.answer({"citations": [{"page": 47.0}]}).citations[0].page
    assert (page, type(page)) == (47, int)


def test_lx_100_each_step_is_validated_on_its_own():
    steps = [7, {"step": "one", "node": None, "label": 3, "value": 45}, {"step": 9, "value": True, "result": {}}]
    assert normalise.answer({"decisionPath": steps}).decision_path == [
        DecisionStep(step=2, node="", label="", value="45"),
        DecisionStep(step=9, node="", label="", value="true"),
    ]


def test_a_clarification_is_read_and_makes_the_outcome():
    answer = normalise.answer({"clarification": CLARIFY["clarification"]})
    assert answer.outcome == "clarify"
    assert answer.needs_clarification
    assert answer.clarification is not None
    assert answer.clarification.options == ["mild", "severe"]
    assert (answer.clarification.field, answer.clarification.token) == ("exposure", "t0ken")


@pytest.mark.parametrize("value", [None, "which?", [], {}, {"options": ["a"]}, {"question": 7}])
def test_a_clarification_without_a_question_is_none(value: Any):
    assert normalise.answer({**ANSWER, "clarification": value}).clarification is None


def test_a_refusal_says_why_and_what_came_nearest():
    answer = normalise.answer(
        {
            "outcome": "refused",
            "reason": "weak",
            "why": ["too weak", 3],
            "about": {"asked": "slab", "found": "beam", "place": "Page 2 of H"},
            "nearest": [{"document": "H", "page": 2, "excerpt": "Spacers hold the bars."}, {"document": "I"}, 1],
        }
    )
    assert answer.is_refused
    assert not answer.is_answered
    assert (answer.reason, answer.why) == ("weak", ["too weak"])
    assert [(source.document, source.page) for source in answer.nearest] == [("H", 2), ("I", None)]
    assert [source.excerpt for source in answer.nearest] == ["Spacers hold the bars.", None]
    assert answer.about == Sibling(asked="slab", found="beam", place="Page 2 of H")


@pytest.mark.parametrize(
    "value", [None, "beam", {}, {"asked": "slab"}, {"found": "beam"}, {"asked": 1, "found": "beam"}]
)
def test_a_sibling_that_is_not_whole_is_none(value: Any):
    assert normalise.answer({**ANSWER, "about": value}).about is None


def test_results_are_frozen_and_compare_by_what_they_say():
    answer = normalise.answer(ANSWER)
    with pytest.raises(dataclasses.FrozenInstanceError):
        answer.answer = "other"  # type: ignore[misc]
    assert answer == normalise.answer({**ANSWER, "unknown": 1})
    assert json.loads(json.dumps(dataclasses.asdict(answer)))["answer"] == answer.answer
    assert str(answer) == answer.answer


@given(anything)
def test_lists_of_plugins_and_me_take_anything(value: Any):
    assert all(plugin.slug for plugin in normalise.plugins(value))
    assert isinstance(normalise.me(value).owner, str)


@pytest.mark.parametrize("wrap", [lambda x: x, lambda x: {"results": x}, lambda x: {"plugins": x, "next": None}])
def test_plugins_come_bare_or_in_pages(wrap: Any):
    found = normalise.plugins(wrap([{"slug": "cover", "name": "Cover", "tags": ["x", 1]}, "beams", {"name": "none"}]))
    assert [(plugin.slug, plugin.name, plugin.tags) for plugin in found] == [
        ("cover", "Cover", ["x"]),
        ("beams", "beams", []),
    ]


def test_me_is_read_whole():
    me = normalise.me(
        {
            "owner": {"name": "", "email": "a@b.c"},
            "key": {"name": "agent"},
            "capabilities": ["query", 1],
            "plugins": [{"slug": "cover", "name": "Cover", "version": "1.0.0"}],
            "morePlugins": True,
            "limits": {"perMinute": 60, "perDay": None},
            "left": [{"per": "minute", "limit": 60, "remaining": 59, "resetSeconds": 12}, "odd", {}],
        }
    )
    assert (me.owner, me.key_name, me.capabilities) == ("a@b.c", "agent", ["query"])
    assert me.can("query")
    assert [plugin.version for plugin in me.plugins] == ["1.0.0"]
    assert me.has_more_plugins
    assert me.limits == Limits(per_minute=60, per_day=None)
    assert me.left == [Left(per="minute", limit=60, remaining=59, reset_seconds=12), Left(per="")]


@pytest.mark.parametrize("value", [None, [], {}, {"owner": None, "limits": None, "left": None, "plugins": None}])
def test_me_of_a_server_that_says_nothing_is_nobody_who_may_nothing(value: Any):
    me = normalise.me(value)
    assert (me.owner, me.capabilities, me.plugins, me.limits, me.left) == ("", [], [], None, [])
