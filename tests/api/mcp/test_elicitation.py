"""What a user is asked for next: each fact twice at most, whatever is asked in between."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

from api.mcp.elicitation import ElicitedAnswer, FactRequest, next_request, read_resumed_call


def asking_for(field: str) -> dict[str, Any]:
    return {"clarification": {"field": field, "options": [], "question": f"Which {field}?"}}


def answered(request: FactRequest | None) -> ElicitedAnswer:
    assert request
    return ElicitedAnswer(request=request, answer="purple")


def test_two_facts_in_turn_are_not_asked_for_without_end() -> None:
    request = next_request(asking_for("exposure"), after=None)
    for field in ("element", "exposure", "element"):
        request = next_request(asking_for(field), after=answered(request))
    assert next_request(asking_for("exposure"), after=answered(request)) is None


def test_only_a_fact_that_is_asked_for_again_is_said_not_to_fit() -> None:
    first = next_request(asking_for("exposure"), after=None)
    other = next_request(asking_for("element"), after=answered(first))
    again = next_request(asking_for("element"), after=answered(other))
    assert other
    assert again
    assert other.form["message"] == "Which element?"
    assert again.form["message"] == "That answer could not be used. Which element?"


def test_where_nothing_is_missing_nobody_is_asked() -> None:
    assert next_request({"clarification": None}, after=None) is None


def test_a_form_that_an_earlier_version_sealed_can_still_be_answered() -> None:
    sealed = json.dumps({"clarifying_answer": asking_for("exposure"), "attempt": 1})
    call: Any = SimpleNamespace(params=SimpleNamespace(request_state=sealed, input_responses=None))
    found = read_resumed_call(call)
    assert found
    assert found.request.form["message"] == "Which exposure?"
    assert next_request(asking_for("exposure"), after=found)
