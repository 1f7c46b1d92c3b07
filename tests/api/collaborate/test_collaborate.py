"""Collaborations without a language model: who says what, where they agree, and whose each citation is."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import ApiKey, User
from knowledge.models import Document
from marketplace.publishing.publish import publish
from plugins.models import Plugin
from querying.models import Query
from tests.api.collaborate.asking import assert_error, assert_owned, collaborate, held, post
from tests.collaboration.experts import QUESTION, SPACERS

pytestmark = pytest.mark.django_db


def test_figures_that_contradict_each_other_are_named_with_whose_they_are(
    published: Plugin, harbour: Plugin, charlies_key: str
) -> None:
    body = held(collaborate(charlies_key, query=QUESTION, mode="debate", maxRounds=3))
    consensus = body["consensus"]
    assert_owned(consensus["citations"])
    assert {citation["plugin"] for citation in consensus["citations"]} == {"cover", "harbour"}
    [conflict] = consensus["conflicts"]
    assert (conflict["kind"], conflict["certain"], conflict["resolved"]) == ("number", True, False)
    assert conflict["topic"] == "2 Nominal cover: the figures differ"
    stances = {one["plugin"]: one["stance"] for one in conflict["positions"]}
    assert "45 mm" in stances["cover"]
    assert "60 mm" in stances["harbour"]
    assert consensus["answer"].startswith("They disagree: Concrete cover says “")
    assert (consensus["agreementLevel"], consensus["confidence"]) == (0.0, "medium")
    for round_ in body["rounds"]:
        for response in round_["responses"]:
            assert_owned(response["citations"])
            assert {citation["plugin"] for citation in response["citations"]} == {response["pluginSlug"]}


def test_a_debate_ends_when_nobody_has_anything_new_to_regard(
    published: Plugin, harbour: Plugin, charlies_key: str
) -> None:
    first, second = held(collaborate(charlies_key, query=QUESTION))["rounds"]
    assert [one["reactions"] for one in first["responses"]] == [[], []]
    reaction = second["responses"][1]["reactions"][0]
    assert (reaction["expert"], reaction["stance"], reaction["kind"]) == ("cover", "contradicts", "number")
    assert second["responses"][1]["revisionNote"] == "Contradicts Concrete cover."


def test_what_both_say_is_said_once_with_both_sources(published: Plugin, harbour: Plugin, charlies_key: str) -> None:
    body = held(collaborate(charlies_key, query=SPACERS, mode="consensus"))
    assert len(body["rounds"]) == 1
    consensus = body["consensus"]
    assert consensus["answer"] == (
        "Concrete cover and Harbour works say: Spacers made of mortar hold the bars at their cover while concrete is "
        "placed [Source 1] [Source 2]."
    )
    assert [one["plugin"] for one in consensus["citations"]] == ["cover", "harbour"]
    assert (consensus["agreementLevel"], consensus["conflicts"]) == (1.0, [])


def test_in_a_review_the_first_answers_and_the_others_hold_that_against_their_documents(
    published: Plugin, harbour: Plugin, charlies_key: str
) -> None:
    body = held(collaborate(charlies_key, query=SPACERS, mode="review", maxRounds=1))
    [lead, reviewer] = body["rounds"][0]["responses"]
    assert (lead["pluginSlug"], lead["reactions"]) == ("cover", [])
    assert [one["stance"] for one in reviewer["reactions"]] == ["agrees"]
    assert_owned(reviewer["citations"])


def test_who_knows_nothing_says_so_and_nobody_agrees_with_one_alone(
    published: Plugin, harbour: Plugin, charlies_key: str
) -> None:
    body = held(collaborate(charlies_key, query="How often are beams above the splash zone inspected?"))
    consensus = body["consensus"]
    assert "Harbour works says: " in consensus["answer"]
    assert "Concrete cover has no verified answer to this." in consensus["answer"]
    assert {citation["plugin"] for citation in consensus["citations"]} == {"harbour"}
    nobody = held(collaborate(charlies_key, query="Who won the chess championship of 1972?"))["consensus"]
    assert (nobody["outcome"], nobody["citations"], nobody["confidence"]) == ("refused", [], "low")


def test_a_missing_fact_is_asked_for_and_can_be_given(published: Plugin, harbour: Plugin, charlies_key: str) -> None:
    asked = held(collaborate(charlies_key, query="What is the nominal cover of a beam?", maxRounds=1))
    response = asked["rounds"][0]["responses"][0]
    assert (response["outcome"], response["clarification"]["field"]) == ("clarify", "exposure")
    given = held(
        collaborate(
            charlies_key, query="What is the nominal cover of a beam?", maxRounds=1, facts={"exposure": "severe"}
        )
    )
    assert "45 mm" in given["rounds"][0]["responses"][0]["answer"]


# --- The log, the limits and access ----------------------------------------------------------------------------------


def test_each_question_to_an_expert_is_a_row_with_the_words_of_the_caller_and_of_nobody_else(
    published: Plugin, harbour: Plugin, charlies_key: str
) -> None:
    body = held(collaborate(charlies_key, query=QUESTION))
    rows = Query.objects.all()
    assert rows.filter(plugin=published).count() == rows.filter(plugin=harbour).count() == 2
    assert set(rows.values_list("question", flat=True)) == {QUESTION}
    assert {str(pk) for pk in rows.values_list("pk", flat=True)} == {
        one["queryId"] for round_ in body["rounds"] for one in round_["responses"]
    }
    # What Alice's plugin has said is not for Bob to read in the log of his.
    for row in Query.objects.filter(plugin=harbour).values():
        assert "45 mm" not in str(row)


@pytest.mark.parametrize(
    ("wrong", "status", "code"),
    [
        ({"experts": ["cover", "cover"]}, 400, "repeated_plugin"),
        ({"experts": ["cover", "cover@1.0.0"]}, 400, "repeated_plugin"),
        ({"experts": ["cover"]}, 400, "invalid"),
        ({"experts": []}, 400, "invalid"),
        ({"experts": ["cover", "harbour", "a", "b", "c", "d"]}, 400, "invalid"),
        ({"experts": "cover,harbour"}, 400, "invalid"),
        ({"experts": ["cover", 7]}, 400, "invalid"),
        ({"experts": ["cover", "nothing"]}, 404, "unknown_plugin"),
        ({"experts": ["cover", "harbour@9.9.9"]}, 404, "unknown_release"),
        ({"experts": ["cover", "harbour@draft"]}, 404, "unknown_plugin"),
        ({"experts": ["cover", "nul\x00"]}, 400, "invalid_text"),
        ({"mode": "shout"}, 400, "invalid"),
        ({"maxRounds": 4}, 400, "invalid"),
        ({"maxRounds": 0}, 400, "invalid"),
        ({"maxRounds": True}, 400, "invalid"),
        ({"query": ""}, 400, "invalid"),
        ({"query": "x" * 4001}, 400, "invalid"),
        ({"stream": "yes"}, 400, "invalid"),
        ({"facts": {"a": {"b": 1}}}, 400, "invalid"),
        ({"expert": "cover"}, 400, "invalid"),
    ],
)
def test_a_wrong_body_asks_nobody(
    published: Plugin, harbour: Plugin, charlies_key: str, wrong: dict[str, Any], status: int, code: str
) -> None:
    body = {"experts": ["cover", "harbour"], "query": QUESTION, **wrong}
    error = assert_error(post(charlies_key, "collaborate", body), status, code)
    assert not Query.objects.exists()
    if status == 404:
        assert body["experts"][1].partition("@")[0] in error["error"]


def test_a_key_has_to_be_allowed_to_ask_all_of_them(published: Plugin, harbour: Plugin, alice: User, bob: User) -> None:
    limited, secret = ApiKey.objects.issue(owner=alice, name="limited")
    limited.plugins.add(published)
    error = assert_error(collaborate(secret, query=QUESTION), 404, "unknown_plugin")
    assert error["error"] == "No plugin “harbour” can be asked with this key."
    _, reader = ApiKey.objects.issue(owner=bob, name="reader", capabilities=["read"])
    assert_error(collaborate(reader, query=QUESTION), 403, "missing_capability")
    harbour.unpublish()
    _, alices = ApiKey.objects.issue(owner=alice, name="agent")
    assert_error(collaborate(alices, query=QUESTION), 404, "unknown_plugin")
    assert not Query.objects.exists()


def test_every_question_counts_and_a_room_that_does_not_fit_asks_nobody(
    published: Plugin, harbour: Plugin, charlie: User
) -> None:
    _, secret = ApiKey.objects.issue(owner=charlie, name="slow", per_minute=1, per_day=100)
    response = collaborate(secret, query=QUESTION)
    assert_error(response, 429, "rate_limited")
    assert int(response["Retry-After"]) > 0
    assert not Query.objects.exists()


def test_where_the_limits_end_in_a_later_round_what_was_said_stands(
    published: Plugin, harbour: Plugin, charlie: User
) -> None:
    _, secret = ApiKey.objects.issue(owner=charlie, name="slow", per_minute=3, per_day=100)
    response = collaborate(secret, query=QUESTION)
    body = held(response)
    assert response["X-RateLimit-Remaining"] == "0"
    [first, second] = body["rounds"][1]["responses"]
    assert first["revisionNote"] == "Contradicts Harbour works."
    assert second["revisionNote"].startswith("It could not be asked again: ")
    assert second["answer"] == body["rounds"][0]["responses"][1]["answer"]
    assert Query.objects.count() == 3


def test_private_documents_of_one_expert_are_for_those_who_work_on_it_alone(
    published: Plugin, harbour: Plugin, bob: User, charlies_key: str
) -> None:
    harbour.public_only = True
    harbour.save()
    publish(harbour, by=bob)
    document = Document.objects.get(title="Harbour works")
    Document.objects.filter(pk=document.pk).update(is_public=False)
    for mode in ("debate", "review"):
        response = collaborate(charlies_key, query=QUESTION, mode=mode)
        assert {one["plugin"] for one in held(response)["consensus"]["citations"]} == {"cover"}
        assert "60 mm" not in response.content.decode()
    _, own = ApiKey.objects.issue(owner=bob, name="agent")
    assert "60 mm" in collaborate(own, query=QUESTION).content.decode()


def test_a_room_that_is_sent_again_is_held_once_and_shown_to_nobody_whose_access_has_ended(
    published: Plugin, harbour: Plugin, charlies_key: str
) -> None:
    body = {"experts": ["cover", "harbour"], "query": SPACERS, "mode": "consensus"}
    first, again = (post(charlies_key, "collaborate", body, HTTP_IDEMPOTENCY_KEY="a") for _ in range(2))
    assert first.json() == again.json()
    assert again["Idempotency-Replayed"] == "true"
    assert Query.objects.count() == 2
    harbour.unpublish()
    assert_error(post(charlies_key, "collaborate", body, HTTP_IDEMPOTENCY_KEY="a"), 404, "unknown_plugin")
