"""The token of a question that we ask back: for one asker, one release, one question and one hour."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest
from django.core import signing
from django.core.signing import TimestampSigner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import User
from plugins.models import Plugin, Release
from querying.question import clarifications
from querying.question.clarifications import InvalidResumeToken, with_resume_token
from querying.question.resume import resume_from_token
from querying.types.answer import Clarification
from querying.types.question import Caller, Question

pytestmark = pytest.mark.django_db

ASKED = Clarification(question="How is it exposed?", options=("mild", "severe"), field="exposure")


@pytest.fixture
def plugin(alice: User) -> Plugin:
    return Plugin.objects.create(owner=alice, name="Cover", domain="x", system_prompt="x")


@pytest.fixture
def question(plugin: Plugin) -> Question:
    release = Release.objects.create(plugin=plugin, version="1.0.0", system_prompt="x")
    return Question(text="What cover?", release=release, caller=Caller(name="key:1"), facts={"member": "beam"})


def token_for(question: Question) -> str:
    return with_resume_token(ASKED, question=question).token


def test_an_answer_fills_in_the_missing_fact_and_keeps_the_others(question: Question) -> None:
    asked_again = replace(question, facts={})
    resumed = resume_from_token(asked_again, token=token_for(question), answer="severe")
    assert resumed.facts == {"member": "beam", "exposure": "severe"}
    assert resumed.text == "What cover?"


def test_what_the_caller_says_now_counts_more_than_what_the_token_remembers(question: Question) -> None:
    corrected = replace(question, facts={"member": "slab", "exposure": "mild"})
    assert resume_from_token(corrected, token=token_for(question), answer="severe").facts == {
        "member": "slab",
        "exposure": "severe",
    }


def test_facts_that_are_repeated_do_not_take_back_what_was_answered(question: Question) -> None:
    """They came with the first question, and come with each follow-up."""
    repeated = {"exposure": "purple", "member": "beam"}
    first = replace(question, facts=repeated)
    second = resume_from_token(first, token=token_for(first), answer="severe")
    asked_span = with_resume_token(replace(ASKED, field="span"), question=second).token
    third = resume_from_token(first, token=asked_span, answer="7 m")
    assert third.facts == {"exposure": "severe", "member": "beam", "span": "7 m"}
    corrected = replace(question, facts={"exposure": "purple", "member": "slab"})
    assert resume_from_token(corrected, token=asked_span, answer="7 m").facts["member"] == "slab"


def test_a_token_from_before_answers_were_remembered_is_taken(question: Question) -> None:
    payload = signing.loads(token_for(question), salt="lexic.clarification")
    del payload["a"]
    old = signing.dumps(payload, salt="lexic.clarification", compress=True)
    assert resume_from_token(question, token=old, answer="mild").facts == {"member": "beam", "exposure": "mild"}


def test_the_question_comes_out_of_the_token_when_it_is_left_out(question: Question) -> None:
    assert resume_from_token(replace(question, text=""), token=token_for(question), answer="mild").text == "What cover?"


def test_only_spaces_may_differ(question: Question) -> None:
    assert resume_from_token(replace(question, text=" What \n cover? "), token=token_for(question), answer="mild")


def others(question: Question) -> dict[str, Question]:
    plugin = question.release.plugin
    stranger = Plugin.objects.create(owner=plugin.owner, name="Other", domain="x", system_prompt="x")
    return {
        "caller": replace(question, caller=Caller(name="key:2")),
        "question": replace(question, text="What colour?"),
        "release": replace(question, release=Release.objects.create(plugin=plugin, version="1.1.0", system_prompt="x")),
        "draft": replace(question, release=Release(plugin=plugin, system_prompt="x")),
        "plugin": replace(
            question, release=Release.objects.create(plugin=stranger, version="1.0.0", system_prompt="x")
        ),
    }


@pytest.mark.parametrize("what", ["caller", "question", "release", "draft", "plugin"])
def test_a9_a_token_is_bound_to(question: Question, what: str) -> None:
    other = others(question)[what]
    with pytest.raises(InvalidResumeToken):
        resume_from_token(other, token=token_for(question), answer="mild")
    with pytest.raises(InvalidResumeToken):
        resume_from_token(question, token=token_for(other), answer="mild")


def test_a_token_of_one_draft_does_not_fit_the_draft_of_another_plugin(question: Question) -> None:
    plugin = question.release.plugin
    stranger = Plugin.objects.create(owner=plugin.owner, name="Other", domain="x", system_prompt="x")
    mine = replace(question, release=Release(plugin=plugin, system_prompt="x"))
    theirs = replace(question, release=Release(plugin=stranger, system_prompt="x"))
    assert resume_from_token(mine, token=token_for(mine), answer="mild")
    with pytest.raises(InvalidResumeToken):
        resume_from_token(theirs, token=token_for(mine), answer="mild")


def test_nobody_shifts_a_part_of_what_is_bound_into_the_next_one(question: Question) -> None:
    one = replace(question, caller=Caller(name="key:1"), text="What cover?")
    release = question.release
    shifted = replace(question, caller=Caller(name=f"key:1\x1f{release.plugin_id}"), text="What cover?")
    assert clarifications._token_binding(one) != clarifications._token_binding(shifted)


def test_a_token_lives_for_an_hour(question: Question, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    monkeypatch.setattr(TimestampSigner, "timestamp", lambda self: signing.b62_encode(int(now - 3595)))
    fresh = token_for(question)
    monkeypatch.setattr(TimestampSigner, "timestamp", lambda self: signing.b62_encode(int(now - 3605)))
    old = token_for(question)
    assert resume_from_token(question, token=fresh, answer="mild")
    with pytest.raises(InvalidResumeToken):
        resume_from_token(question, token=old, answer="mild")


def test_a4_another_signature_of_the_same_server_is_no_token(question: Question) -> None:
    payload = {"b": clarifications._token_binding(question), "f": "exposure", "k": {}, "q": question.text}
    for salt in ("django.core.signing", "lexic", "django.contrib.sessions"):
        with pytest.raises(InvalidResumeToken):
            resume_from_token(question, token=signing.dumps(payload, salt=salt, compress=True), answer="mild")


def test_another_secret_key_opens_no_token(question: Question, settings: Any) -> None:
    token = token_for(question)
    settings.SECRET_KEY = "x" * 60
    with pytest.raises(InvalidResumeToken):
        resume_from_token(question, token=token, answer="mild")


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_token_is_refused_and_nothing_worse(question: Question, data: st.DataObject) -> None:
    token = token_for(question)
    text = st.text(alphabet=st.characters(codec="utf-8"), max_size=300)
    position = data.draw(st.integers(0, len(token) - 1))
    replacement = data.draw(st.sampled_from("Az09-_:.\x00é").filter(lambda c: c != token[position]))
    damaged = [
        token[:position] + replacement + token[position + 1 :],
        token[:position],
        f".{token}",
        data.draw(text),
        ".eJ" + data.draw(text) + token[token.index(":") :],
    ]
    for wrong in damaged:
        with pytest.raises(InvalidResumeToken):
            resume_from_token(question, token=wrong, answer="mild")


def test_the_token_holds_nothing_but_what_its_caller_said(question: Question) -> None:
    payload = signing.loads(token_for(question), salt="lexic.clarification")
    assert set(payload) == {"a", "b", "f", "k", "q"}
    assert payload["k"] == {"member": "beam"}
    assert "x" not in str(payload["k"])


def test_only_plain_facts_travel_in_the_token(question: Question) -> None:
    odd = replace(question, facts={"a": "x", "b": 1, "c": 1.5, "d": True, "e": None, "f": ["x"], "g": {"x": 1}})
    payload = signing.loads(with_resume_token(ASKED, question=odd).token, salt="lexic.clarification")
    assert payload["k"] == {"a": "x", "b": 1, "c": 1.5, "d": True}
