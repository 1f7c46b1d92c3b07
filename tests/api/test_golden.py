"""Golden questions through the API: written, carried, run."""

from __future__ import annotations

import base64
import json
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import User
from evaluation import tasks
from evaluation.golden import run_progress
from evaluation.golden.golden_runs import run_golden
from evaluation.models import EvaluationRun, GoldenQuestion
from plugins.models import Plugin
from querying import releases
from tests.api.people import code_of, keyed, signed_in

pytestmark = pytest.mark.django_db
GOLDEN = "/api/plugins/cover/golden-questions"
RUNS = "/api/plugins/cover/golden-runs"
EASY = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
WEATHER = "What is the minimum cover for a beam exposed to weather?"
WHOLE = {
    "question": WEATHER,
    "expectation": "answer",
    "facts": {"exposure": "severe", "depth": 2.5, "wet": True},
    "mustCite": [{"document": "Cover handbook", "page": None}],
    "mustContain": ["45 mm"],
    "mustReach": "cover_severe",
}


@pytest.fixture(autouse=True)
def no_progress(plugin: Plugin) -> Any:
    run_progress.clear_progress(plugin.pk)
    yield
    run_progress.clear_progress(plugin.pk)


@pytest.fixture
def golden(plugin: Plugin) -> GoldenQuestion:
    return GoldenQuestion.objects.create(plugin=plugin, question=WEATHER, last_passed=True)


# --- Writing ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("enter", [signed_in, keyed], ids=["session", "key"])
def test_everything_that_is_sent_is_kept_and_shown(plugin: Plugin, alice: User, enter: Any) -> None:
    client = enter(alice)
    response = client.post(GOLDEN, WHOLE, format="json")
    assert response.status_code == 201, response.content
    shown = response.json()
    assert {name: shown[name] for name in WHOLE} == WHOLE
    assert (shown["lastPassed"], shown["lastFailures"]) == (None, [])
    kept = GoldenQuestion.objects.get()
    assert (kept.plugin, kept.must_cite, kept.must_contain) == (plugin, [["Cover handbook", None]], ["45 mm"])
    again = client.get(f"{GOLDEN}/{kept.pk}")
    assert (again.json(), again["ETag"]) == (shown, response["ETag"])


def test_a_question_is_enough(plugin: Plugin, alice: User) -> None:
    shown = signed_in(alice).post(GOLDEN, {"question": "Why?"}, format="json").json()
    assert (shown["expectation"], shown["facts"], shown["mustCite"], shown["mustReach"]) == ("answer", {}, [], "")


@pytest.mark.parametrize(
    ("said", "about"),
    [
        ({"question": ""}, "question"),
        ({"question": 5}, "question"),
        ({"question": "x" * 4001}, "question"),
        ({"expectation": "guess"}, "expectation"),
        ({"facts": {"a": [1]}}, "facts.a"),
        ({"facts": {"a": None}}, "facts.a"),
        ({"facts": ["a"]}, "facts"),
        ({"facts": {"a": "x" * 501}}, "facts.a"),
        ({"facts": {str(n): n for n in range(51)}}, "facts"),
        ({"mustCite": [{"document": "Nothing"}]}, "mustCite"),
        ({"mustCite": [{"document": "Cover handbook", "page": 3}]}, "mustCite"),
        ({"mustCite": [{"document": "Cover handbook", "pages": 3}]}, "mustCite"),
        ({"mustCite": ["Cover handbook"]}, "mustCite"),
        ({"mustCite": "Cover handbook"}, "mustCite"),
        ({"mustContain": ["x" * 201]}, "mustContain.0"),
        ({"mustReach": "x" * 121}, "mustReach"),
        ({"expectation": "refuse", "mustContain": ["45 mm"]}, "expectation"),
        ({"must_cite": []}, "must_cite"),
    ],
)
def test_what_is_wrong_is_named(plugin: Plugin, alice: User, said: dict[str, Any], about: str) -> None:
    response = signed_in(alice).post(GOLDEN, {"question": "Why?", **said}, format="json")
    code_of(response, 400)
    assert response.json()["error"].startswith(about), response.json()
    assert not GoldenQuestion.objects.exists()


@EASY
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=10),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(sorted(WHOLE)), inner, max_size=5),
        max_leaves=10,
    )
)
def test_no_body_breaks_it(plugin: Plugin, alice: User, body: Any) -> None:
    assert signed_in(alice).post(GOLDEN, body, format="json").status_code in (201, 400)


def test_one_that_says_something_else_has_not_been_run(golden: GoldenQuestion, alice: User) -> None:
    client, address = signed_in(alice), f"{GOLDEN}/{golden.pk}"
    assert client.patch(address, {"question": WEATHER}, format="json").json()["lastPassed"] is True
    assert client.put(address, {"mustContain": ["45 mm"]}, format="json").json()["lastPassed"] is None
    shown = client.get(address).json()
    assert client.put(address, shown, format="json").json() == shown
    code_of(client.patch(address, {"expectation": "refuse"}, format="json"), 400)


def test_nobodys_change_is_overwritten(golden: GoldenQuestion, alice: User) -> None:
    client, address = signed_in(alice), f"{GOLDEN}/{golden.pk}"
    etag = client.get(address)["ETag"]
    client.patch(address, {"mustContain": ["45 mm"]}, format="json")
    stale = client.patch(address, {"question": "x"}, format="json", HTTP_IF_MATCH=etag)
    assert code_of(stale, 412) == "precondition_failed"
    assert code_of(client.delete(address, HTTP_IF_MATCH=etag), 412) == "precondition_failed"
    assert client.delete(address, HTTP_IF_MATCH=client.get(address)["ETag"]).status_code == 204
    assert code_of(client.get(address), 404) == "unknown_golden_question"


def test_one_of_another_plugin_is_not_found(golden: GoldenQuestion, alice: User) -> None:
    Plugin.objects.create(owner=alice, name="Other", slug="other", domain="x", system_prompt="x")
    client = signed_in(alice)
    for pk in (golden.pk, 10**30, 0):
        code_of(client.get(f"/api/plugins/other/golden-questions/{pk}"), 404)
        code_of(client.delete(f"/api/plugins/other/golden-questions/{pk}"), 404)


def cursor(position: str) -> str:
    """One that nobody gave out."""
    return base64.b64encode(urlencode({"p": position}).encode()).decode()


# --- The list ---------------------------------------------------------------------------------------------------


def test_the_list_is_narrowed(plugin: Plugin, alice: User) -> None:
    GoldenQuestion.objects.create(plugin=plugin, question="Apples?", last_passed=False, last_failures=["Refused."])
    GoldenQuestion.objects.create(plugin=plugin, question="Pears?", expectation="refuse", last_passed=True)
    GoldenQuestion.objects.create(plugin=plugin, question="Plums?")

    def found(**asked: str) -> list[str]:
        return [one["question"] for one in signed_in(alice).get(GOLDEN, asked).json()["results"]]

    assert found() == ["Apples?", "Pears?", "Plums?"]
    assert found(result="failed") == ["Apples?"]
    assert found(result="passed") == ["Pears?"]
    assert found(result="new") == ["Plums?"]
    assert found(expectation="refuse") == ["Pears?"]
    assert found(q="plum") == ["Plums?"]
    for wrong in (
        {"result": "x"},
        {"resutl": "new"},
        {"cursor": "cD1hYmM="},
        {"cursor": "cD05OTk5OTk5OTk5OTk5OTk5OTk5OQ=="},
    ):
        assert signed_in(alice).get(GOLDEN, wrong).status_code in (200, 400)
    code_of(signed_in(alice).get(GOLDEN, {"cursor": "cD1hYmM="}), 400)


def test_a_longer_list_takes_no_more_statements(plugin: Plugin, alice: User) -> None:
    client, taken = signed_in(alice), []
    for number in range(3):
        GoldenQuestion.objects.create(plugin=plugin, question=str(number))
        with CaptureQueriesContext(connection) as statements:
            assert len(client.get(GOLDEN).json()["results"]) == number + 1
        taken.append(len(statements))
    assert taken == [4, 4, 4]


# --- Carrying ---------------------------------------------------------------------------------------------------


def take_in(client: Any, text: bytes) -> Any:
    return client.post(f"{GOLDEN}/import", {"file": SimpleUploadedFile("g.jsonl", text)}, format="multipart")


def test_out_as_lines_and_in_again(golden: GoldenQuestion, alice: User) -> None:
    response = keyed(alice, "read").get(f"{GOLDEN}/export")
    assert response["Content-Type"].startswith("application/x-ndjson")
    assert json.loads(response.content) == {"question": WEATHER, "expectation": "answer"}
    assert take_in(keyed(alice), response.content).json() == {"added": 0, "changed": 0, "unchanged": 1}
    golden.delete()
    assert take_in(signed_in(alice), response.content).json() == {"added": 1, "changed": 0, "unchanged": 0}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"nothing", "not_golden_questions"),
        (b"\xff", "not_text"),
        (b'{"question": "a\\u0000"}', "not_golden_questions"),
        (b'{"question": "a\\ud800"}', "not_golden_questions"),
        (b'{"question": "a", "facts": {"x": NaN}}', "not_golden_questions"),
    ],
)
def test_a_file_that_is_wrong_changes_nothing(plugin: Plugin, alice: User, text: bytes, code: str) -> None:
    assert code_of(take_in(signed_in(alice), b'{"question": "Right?"}\n' + text), 400) == code
    assert not GoldenQuestion.objects.exists()


@pytest.mark.parametrize("charset", ["idna", "rot13", "undefined"])
def test_a_charset_that_cannot_be_one_of_a_form_is_no_failure_of_ours(
    plugin: Plugin, alice: User, charset: str
) -> None:
    form = b'--X\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx\r\n--X--\r\n'
    media_type = f"multipart/form-data; boundary=X; charset={charset}"
    response = signed_in(alice).generic("POST", f"{GOLDEN}/import", form, content_type=media_type)
    assert code_of(response, 400) == "not_golden_questions"


def test_a_file_has_at_most_five_megabytes(plugin: Plugin, alice: User) -> None:
    assert code_of(take_in(signed_in(alice), b" " * 5_000_001), 413) == "too_large"


# --- Runs -------------------------------------------------------------------------------------------------------


def test_a_worker_runs_them_and_says_how_far_it_is(
    golden: GoldenQuestion, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[dict[str, str]] = []
    monkeypatch.setattr(tasks.run_golden_questions, "apply_async", lambda **kwargs: sent.append(kwargs["kwargs"]))
    client = signed_in(alice)
    assert client.get(f"{RUNS}/progress").json()["status"] == "none"
    response = client.post(RUNS)
    assert response.status_code == 202, response.content
    assert response["Location"] == f"{RUNS}/progress"
    waiting = {"status": "waiting", "done": 0, "total": 1, "isQuiet": False, "error": "", "run": None}
    assert response.json() == waiting
    assert client.post(RUNS).json() == waiting  # one run is enough
    assert len(sent) == 1

    tasks.run_golden_questions(**sent[0])
    run = EvaluationRun.objects.get()
    shown = client.get(f"{RUNS}/progress").json()
    assert (shown["status"], shown["done"], shown["total"], shown["run"]) == ("finished", 1, 1, run.pk)
    one = client.get(f"{RUNS}/{run.pk}").json()
    assert (one["passed"], one["total"], one["version"]) == (1, 1, None)
    assert [(q["id"], q["passed"], q["failures"]) for q in one["questions"]] == [(golden.pk, True, [])]
    assert one["result"]["questions"] == 1
    assert client.get(f"{GOLDEN}/{golden.pk}").json()["lastPassed"] is True


def test_a_run_takes_no_wishes_and_says_so(golden: GoldenQuestion, alice: User) -> None:
    """The draft is run; whoever asks for a release should not take what comes out for its result."""
    response = signed_in(alice).post(
        f"/api/plugins/{golden.plugin.slug}/golden-runs", {"version": "1.0.0"}, format="json"
    )
    assert code_of(response, 400) == "invalid"
    assert "version" in response.json()["error"]


def test_a_run_that_asked_for_no_answers_is_not_the_last_one(golden: GoldenQuestion, alice: User) -> None:
    _, run = run_golden(releases.snapshot(golden.plugin))
    EvaluationRun.objects.create(plugin=golden.plugin)
    shown = signed_in(alice).get(f"{RUNS}/progress").json()
    assert (shown["run"], shown["done"], shown["total"]) == (run.pk, 1, 1)


def test_a_run_that_ended_early_says_why(golden: GoldenQuestion, alice: User) -> None:
    run_progress.fail_progress(golden.plugin_id, "The model is away.")
    shown = signed_in(alice).get(f"{RUNS}/progress").json()
    assert (shown["status"], shown["error"]) == ("failed", "The model is away.")


def test_without_questions_or_without_a_queue_nothing_is_run(
    plugin: Plugin, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert code_of(signed_in(alice).post(RUNS), 400) == "no_golden_questions"
    GoldenQuestion.objects.create(plugin=plugin, question="Why?")
    monkeypatch.setattr(tasks, "enqueue_golden", lambda pk: False)
    assert code_of(signed_in(alice).post(RUNS), 503) == "queue_unavailable"


def test_runs_are_listed_newest_first(golden: GoldenQuestion, alice: User) -> None:
    runs = [run_golden(releases.snapshot(golden.plugin))[1] for _ in range(2)]
    shown = keyed(alice, "read").get(RUNS).json()["results"]
    assert [one["id"] for one in shown] == [runs[1].pk, runs[0].pk]
    assert (shown[0]["passed"], shown[0]["total"], "result" in shown[0]) == (1, 1, False)
    taken, client = [], signed_in(alice)
    for limit in (1, 2):
        with CaptureQueriesContext(connection) as statements:
            client.get(RUNS, {"limit": limit})
        taken.append(len(statements))
    assert taken[0] == taken[1]


def test_a_run_of_another_plugin_is_not_found(golden: GoldenQuestion, alice: User) -> None:
    run = EvaluationRun.objects.create(plugin=golden.plugin)
    Plugin.objects.create(owner=alice, name="Other", slug="other", domain="x", system_prompt="x")
    assert code_of(signed_in(alice).get(f"/api/plugins/other/golden-runs/{run.pk}"), 404) == "unknown_run"
    assert code_of(signed_in(alice).get(f"{RUNS}/{10**30}"), 404) == "unknown_run"


# --- Who may ------------------------------------------------------------------------------------------------------


def reading(golden: GoldenQuestion) -> list[str]:
    return [GOLDEN, f"{GOLDEN}/{golden.pk}", f"{GOLDEN}/export", RUNS, f"{RUNS}/progress"]


def changing(client: Any, golden: GoldenQuestion) -> list[Any]:
    return [
        client.post(GOLDEN, WHOLE, format="json"),
        client.patch(f"{GOLDEN}/{golden.pk}", {"question": "x"}, format="json"),
        client.delete(f"{GOLDEN}/{golden.pk}"),
        take_in(client, b'{"question": "x"}'),
        client.post(RUNS),
    ]


def test_an_editor_writes_them(golden: GoldenQuestion, bob: User) -> None:
    golden.plugin.editors.add(bob)
    assert signed_in(bob).post(GOLDEN, WHOLE, format="json").status_code == 201


def test_a_viewer_looks_and_changes_nothing(golden: GoldenQuestion, bob: User) -> None:
    golden.plugin.viewers.add(bob)
    assert [signed_in(bob).get(address).status_code for address in reading(golden)] == [200] * 5
    assert {code_of(answer, 403) for answer in changing(signed_in(bob), golden)} == {"read_only"}
    assert GoldenQuestion.objects.get().question == WEATHER


def test_charlie_finds_none(golden: GoldenQuestion, charlie: User) -> None:
    for client in (signed_in(charlie), keyed(charlie)):
        answers = [client.get(address) for address in reading(golden)] + changing(client, golden)
        assert {code_of(answer, 404) for answer in answers} == {"unknown_plugin"}


def test_a_key_that_reads_changes_nothing(golden: GoldenQuestion, alice: User) -> None:
    answers = changing(keyed(alice, "read"), golden)
    assert {code_of(answer, 403) for answer in answers} == {"missing_capability"}


@pytest.mark.parametrize("method", ["put", "patch"])
def test_a_place_may_go_without_its_page_and_never_without_its_document(
    golden: GoldenQuestion, alice: User, method: str
) -> None:
    change = getattr(keyed(alice), method)
    whole = change(f"{GOLDEN}/{golden.pk}", {"mustCite": [{"document": "Cover handbook"}]}, format="json")
    assert whole.json()["mustCite"] == [{"document": "Cover handbook", "page": None}]
    refused = change(f"{GOLDEN}/{golden.pk}", {"mustCite": [{"page": 1}]}, format="json")
    assert code_of(refused, 400) == "invalid"
