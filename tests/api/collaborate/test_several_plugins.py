"""One question to several plugins at the address of questions."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import ApiKey, User
from plugins.models import Plugin
from querying.models import Query
from tests.api.collaborate.asking import assert_error, assert_owned, held, post
from tests.collaboration.experts import QUESTION

pytestmark = pytest.mark.django_db

BOTH = ["cover", "harbour"]


def ask(secret: str, **body: Any) -> Any:
    return post(secret, "query", {"plugins": BOTH, "query": QUESTION, **body})


def test_each_answers_by_itself_and_every_citation_says_whose_it_is(
    published: Plugin, harbour: Plugin, charlies_key: str
) -> None:
    body = held(ask(charlies_key))
    assert_owned(body["citations"])
    assert [one["plugin"] for one in body["citations"]] == ["cover", "harbour"]
    assert [one["id"] for one in body["citations"]] == ["src_1", "src_2"]
    assert body["answer"].startswith("Concrete cover: The expert recommends: 45 mm nominal cover [Source 1].")
    assert body["answer"].endswith(
        "\n\nHarbour works: For severe exposure the nominal cover of a beam is 60 mm [Source 2]."
    )
    assert [one["plugin"] for one in body["answers"]] == BOTH
    assert [one["citations"][0]["id"] for one in body["answers"]] == ["src_1", "src_1"]
    assert body["answers"][0]["decisionPath"][-1]["result"] == "45 mm nominal cover"
    assert body["release"] == "cover@1.0.0, harbour@1.0.0"
    [conflict] = body["conflicts"]
    assert [one["citations"] for one in conflict["positions"]] == [["src_1"], ["src_2"]]
    assert Query.objects.filter(outcome="answered").count() == 2
    assert {str(pk) for pk in Query.objects.values_list("pk", flat=True)} == {one["queryId"] for one in body["answers"]}


def test_marks_are_shown_as_they_were_asked_for(published: Plugin, harbour: Plugin, charlies_key: str) -> None:
    footnotes = held(ask(charlies_key, options={"citationMode": "footnote"}))["answer"]
    assert footnotes.endswith("\n\n[1] Cover handbook, 2 Nominal cover\n[2] Harbour works, 1 Beams")
    off = held(ask(charlies_key, options={"citationMode": "off"}))
    assert "[Source" not in str(off)
    assert (off["citations"], off["answers"][0]["citations"]) == ([], [])
    assert held(ask(charlies_key, options={"citationMode": "off", "includeCitations": True}))["citations"]


def test_one_plugin_in_a_list_is_answered_in_the_same_way(published: Plugin, charlies_key: str) -> None:
    body = held(ask(charlies_key, plugins=["cover"]))
    assert [one["plugin"] for one in body["citations"]] == ["cover"]


def test_who_asks_back_is_heard_where_nobody_answers(published: Plugin, harbour: Plugin, charlies_key: str) -> None:
    body = held(ask(charlies_key, query="What is the nominal cover of a footing in which exposure?", plugins=["cover"]))
    assert body["outcome"] in ("clarify", "answered")
    body = held(ask(charlies_key, query="What is the nominal cover of a beam?", plugins=["cover"]))
    assert body["outcome"] == "clarify"
    assert body["clarification"]["options"] == ["mild", "severe"]


@pytest.mark.parametrize(
    ("wrong", "status", "code"),
    [
        ({"plugin": "cover"}, 400, "invalid"),
        ({"plugins": []}, 400, "invalid"),
        ({"plugins": BOTH * 3}, 400, "invalid"),
        ({"plugins": ["cover", "cover@latest"]}, 400, "repeated_plugin"),
        ({"plugins": ["cover", "nothing"]}, 404, "unknown_plugin"),
        ({"plugins": None}, 400, "invalid"),
        ({"followup": {"token": "x", "answer": "y"}}, 400, "invalid"),
    ],
)
def test_a_wrong_body_asks_nobody(
    published: Plugin, harbour: Plugin, charlies_key: str, wrong: dict[str, Any], status: int, code: str
) -> None:
    assert_error(ask(charlies_key, **wrong), status, code)
    assert not Query.objects.exists()


def test_neither_one_nor_several_plugins_is_an_error_of_the_field(charlies_key: str) -> None:
    error = assert_error(post(charlies_key, "query", {"query": QUESTION}), 400, "invalid")
    assert error["error"].startswith("plugin: ")


def test_each_counts_and_a_limited_key_is_refused_before_anybody_is_asked(
    published: Plugin, harbour: Plugin, alice: User, charlie: User
) -> None:
    limited, secret = ApiKey.objects.issue(owner=alice, name="limited")
    limited.plugins.add(published)
    assert_error(ask(secret), 404, "unknown_plugin")
    _, slow = ApiKey.objects.issue(owner=charlie, name="slow", per_minute=1, per_day=9)
    assert_error(ask(slow), 429, "rate_limited")
    assert not Query.objects.exists()
    _, other = ApiKey.objects.issue(owner=charlie, name="other", per_minute=2, per_day=9)
    assert ask(other)["X-RateLimit-Remaining"] == "0"


def test_the_answer_that_was_kept_is_shown_to_nobody_who_may_not_ask_one_of_them(
    published: Plugin, harbour: Plugin, charlies_key: str
) -> None:
    body = {"plugins": BOTH, "query": QUESTION}
    first, again = (post(charlies_key, "query", body, HTTP_IDEMPOTENCY_KEY="a") for _ in range(2))
    assert (first.json(), again["Idempotency-Replayed"]) == (again.json(), "true")
    harbour.unpublish()
    assert_error(post(charlies_key, "query", body, HTTP_IDEMPOTENCY_KEY="a"), 404, "unknown_plugin")


def test_one_that_fails_is_named_and_the_others_answer(
    published: Plugin, harbour: Plugin, charlies_key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from querying.retrieval import retriever

    retrieve = retriever.retrieve
    monkeypatch.setattr(
        retriever, "retrieve", lambda question: 1 / 0 if question.release.plugin == harbour else retrieve(question)
    )
    body = held(ask(charlies_key))
    assert [one["plugin"] for one in body["answers"]] == ["cover"]
    assert [(one["plugin"], one["code"]) for one in body["failed"]] == [("harbour", "internal")]
    monkeypatch.setattr(retriever, "retrieve", lambda question: 1 / 0)
    assert_error(ask(charlies_key), 500, "internal")
