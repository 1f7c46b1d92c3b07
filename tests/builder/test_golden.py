"""Golden questions written, run, compared and carried in the builder; and a gate that keeps its word everywhere."""

from __future__ import annotations

import html
import io
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from builder.readiness import reverse_pane
from evaluation import tasks
from evaluation.golden import golden_file, golden_runs, run_progress
from evaluation.models import EvaluationRun, GoldenQuestion
from knowledge.models import Document
from marketplace.publishing.publish import NotReady, publish
from plugins.models import GoldenGate, Plugin
from querying import releases

pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]
WORN = "What is worn on every site?"


@pytest.fixture(autouse=True)
def _nothing_under_way() -> None:
    cache.clear()


@pytest.fixture
def expert(browsing: Browse, alice: User) -> Client:
    return browsing(alice)


@pytest.fixture
def viewer(plugin: Plugin, browsing: Browse, bob: User) -> Client:
    plugin.viewers.add(bob)
    return browsing(bob)


def golden(plugin: Plugin, question: str = WORN, **fields: Any) -> GoldenQuestion:
    return GoldenQuestion.objects.create(plugin=plugin, question=question, **fields)


def right(plugin: Plugin) -> GoldenQuestion:
    return golden(plugin, must_contain=["steel toe"])


def wrong(plugin: Plugin) -> GoldenQuestion:
    return golden(plugin, must_contain=["rubber"])


def gated(plugin: Plugin, gate: GoldenGate, share: float = 1.0) -> None:
    plugin.golden_gate, plugin.golden_share = gate, share
    plugin.save()


def address(name: str, plugin: Plugin, *more: Any) -> str:
    return reverse(f"admin:builder_{name}", args=[plugin.pk, *more])


def shown(client: Client, plugin: Plugin, **asked: str) -> str:
    response = client.get(address("golden", plugin), asked)
    assert response.status_code == 200
    return response.content.decode()


def said(response: Any) -> str:
    return " ".join(str(message) for message in response.context["messages"])


# --- The list --------------------------------------------------------------------------------------------


def test_without_any_the_pane_teaches(expert: Client, plugin: Plugin) -> None:
    content = shown(expert, plugin)
    assert "No golden question yet." in content
    assert "Write the first one" in content


def test_each_says_what_must_come_out_how_it_went_and_why(expert: Client, plugin: Plugin) -> None:
    golden(plugin, must_cite=[["Rules on boots", None]], must_contain=["glass"], facts={"place": "site"})
    golden_runs.run_golden(releases.snapshot(plugin))
    content = shown(expert, plugin)
    for words in ("cites Rules on boots", "says “glass”", "given place = site", "0 of 1 passed"):
        assert words in content
    assert GoldenQuestion.objects.get().last_failures[0].split()[0] in content
    sandbox = f"{address('sandbox', plugin)}?question=What+is+worn+on+every+site%3F&amp;facts=place+%3D+site"
    assert sandbox in content


def test_it_is_searched_and_filtered(expert: Client, plugin: Plugin) -> None:
    golden(plugin, "Apples?", last_passed=False, last_failures=["It was refused."])
    golden(plugin, "Pears?", expectation="refuse", last_passed=True)
    golden(plugin, "Plums?")
    asked: list[tuple[dict[str, str], list[str]]] = [
        ({}, ["Apples?", "Plums?", "Pears?"]),
        ({"result": "failed"}, ["Apples?"]),
        ({"result": "passed"}, ["Pears?"]),
        ({"result": "new"}, ["Plums?"]),
        ({"expectation": "refuse"}, ["Pears?"]),
        ({"q": "pl\x00um"}, []),
        ({"q": "plum"}, ["Plums?"]),
        ({"result": "nonsense", "expectation": "nonsense", "page": "x"}, ["Apples?", "Plums?", "Pears?"]),
    ]
    for filters, found in asked:
        listed = expert.get(address("golden", plugin), filters).context["rows"]
        assert sorted(row.golden.question for row in listed) == sorted(found), filters


def test_it_comes_in_pages_at_the_same_cost(expert: Client, plugin: Plugin) -> None:
    right(plugin)
    golden_runs.run_golden(releases.snapshot(plugin))
    golden(plugin, "Not run?")
    shown(expert, plugin)
    with CaptureQueriesContext(connection) as few:
        shown(expert, plugin)
    GoldenQuestion.objects.bulk_create(GoldenQuestion(plugin=plugin, question=f"Number {n}?") for n in range(60))
    with CaptureQueriesContext(connection) as many:
        content = shown(expert, plugin)
    assert len(many) == len(few)
    assert "1 to 25 of 62" in content


def test_a_viewer_looks_and_changes_nothing(viewer: Client, plugin: Plugin) -> None:
    kept = golden(plugin)
    content = shown(viewer, plugin)
    assert WORN in content
    assert "Add a question" not in content
    assert "Run all" not in content
    for name in ("golden_run", "golden_import", "golden_evidence", "golden_add"):
        assert viewer.post(address(name, plugin), {"question": "Mine?", "expectation": "answer"}).status_code == 404
    assert viewer.post(address("golden_delete", plugin, kept.pk)).status_code == 404
    assert GoldenQuestion.objects.count() == 1


# --- One of them -----------------------------------------------------------------------------------------


def test_one_is_written(expert: Client, plugin: Plugin, handbook: Document) -> None:
    fields = {
        "question": WORN,
        "expectation": "answer",
        "places": handbook.title,
        "phrases": "steel toe\nboots",
        "facts_in_lines": "place = site\nyears = 2",
    }
    response = expert.post(address("golden_add", plugin), fields)
    assert response.url == reverse_pane(plugin, "golden")
    made = GoldenQuestion.objects.get()
    assert (made.plugin, made.must_cite, made.must_contain) == (
        plugin,
        [[handbook.title, None]],
        ["steel toe", "boots"],
    )
    assert made.facts == {"place": "site", "years": 2}


@pytest.mark.parametrize(
    ("wrong_field", "value", "words"),
    [
        ("places", "No such book, p. 3", "no document called “No such book”"),
        ("facts_in_lines", "nonsense", "Line 1: a fact is written"),
        ("question", "", "required"),
        ("phrases", "x" * 201, "Line 1: at most 200 characters."),
    ],
)
def test_what_is_wrong_is_said_and_changes_nothing(
    expert: Client, plugin: Plugin, wrong_field: str, value: str, words: str
) -> None:
    fields = {"question": "Kept words?", "expectation": "answer", wrong_field: value}
    response = expert.post(address("golden_add", plugin), fields)
    assert response.status_code == 422
    content = response.content.decode()
    assert words in content
    assert wrong_field == "question" or "Kept words?" in content
    assert not GoldenQuestion.objects.exists()


def test_a_change_makes_the_last_result_void(expert: Client, plugin: Plugin) -> None:
    kept = golden(plugin, last_passed=True)
    expert.post(address("golden_change", plugin, kept.pk), {"question": WORN, "expectation": "refuse"})
    kept.refresh_from_db()
    assert (kept.expectation, kept.last_passed) == ("refuse", None)


def test_one_is_deleted_after_asking(expert: Client, plugin: Plugin) -> None:
    kept = golden(plugin)
    assert WORN in expert.get(address("golden_delete", plugin, kept.pk)).content.decode()
    assert GoldenQuestion.objects.exists()
    expert.post(address("golden_delete", plugin, kept.pk))
    assert not GoldenQuestion.objects.exists()


def test_an_id_beyond_all_numbers_is_not_found(expert: Client, plugin: Plugin) -> None:
    assert expert.get(address("golden_change", plugin, 10**30)).status_code == 404


def test_the_sandbox_opens_with_the_question(expert: Client, plugin: Plugin) -> None:
    content = expert.get(address("sandbox", plugin), {"question": WORN, "facts": "place = site"}).content.decode()
    assert WORN in content
    assert "place = site" in content


# --- Running them ----------------------------------------------------------------------------------------


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    """What a worker would get."""
    messages: list[dict[str, str]] = []
    monkeypatch.setattr(tasks.run_golden_questions, "apply_async", lambda **given: messages.append(given["kwargs"]))
    return messages


def progress(client: Client, plugin: Plugin) -> Any:
    return client.get(address("golden_progress", plugin), headers={"HX-Request": "true"})


def test_a_run_waits_is_watched_and_ends(expert: Client, plugin: Plugin, sent: list[dict[str, str]]) -> None:
    right(plugin)
    expert.post(address("golden_run", plugin))
    waiting = progress(expert, plugin).content.decode()
    assert "1 question to ask." in waiting.replace("\n", " ")
    assert 'hx-trigger="every 1s"' in waiting
    tasks.run_golden_questions(**sent[0])
    over = progress(expert, plugin)
    assert over["HX-Retarget"] == "#golden-all"
    assert "1 of 1 passed" in over.content.decode()
    assert "every 1s" not in over.content.decode()


def test_it_is_told_how_many_are_answered(plugin: Plugin) -> None:
    seen = []
    for _ in run_progress.track_questions(plugin.pk)(["a", "b"]):
        found = run_progress.get_progress(plugin.pk)
        assert found
        seen.append((found.done, found.total, found.started))
    assert seen == [(0, 2, True), (1, 2, True)]


def test_pressing_twice_sends_one_run(expert: Client, plugin: Plugin, sent: list[dict[str, str]]) -> None:
    right(plugin)
    expert.post(address("golden_run", plugin))
    assert "under way already" in said(expert.post(address("golden_run", plugin), follow=True))
    assert len(sent) == 1


def test_without_a_worker_it_says_so(
    expert: Client, plugin: Plugin, sent: list[dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    right(plugin)
    expert.post(address("golden_run", plugin))
    monkeypatch.setattr(run_progress, "STALL_TIMEOUT", timedelta(0))
    assert "No worker has started them." in progress(expert, plugin).content.decode()


def test_a_run_that_breaks_off_says_so_and_may_be_repeated(
    expert: Client, plugin: Plugin, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError("secret of the machine")

    right(plugin)
    monkeypatch.setattr(tasks, "run_golden", broken)
    with pytest.raises(ValueError, match="secret"):
        tasks.run_golden_questions(plugin_id=str(plugin.pk), asked_at=timezone.now().isoformat())
    content = shown(expert, plugin)
    assert "The last run stopped early." in content
    assert "secret" not in content
    assert "Run all 1" in content


def test_nothing_to_run_is_said(expert: Client, plugin: Plugin, sent: list[dict[str, str]]) -> None:
    assert "nothing to run" in said(expert.post(address("golden_run", plugin), follow=True))
    assert sent == []


# --- What a run says -------------------------------------------------------------------------------------


def test_what_went_the_other_way_is_named(expert: Client, plugin: Plugin) -> None:
    breaks, mended = right(plugin), wrong(plugin)
    golden_runs.run_golden(releases.snapshot(plugin))
    GoldenQuestion.objects.filter(pk=breaks.pk).update(must_contain=["rubber"])
    GoldenQuestion.objects.filter(pk=mended.pk).update(must_contain=["steel toe"])
    golden_runs.run_golden(releases.snapshot(plugin))
    content = shown(expert, plugin)
    for words in ("1 newly failing", "1 newly passing", "passes now", "Asked of the draft as it stands."):
        assert words in content


def test_a_run_of_an_earlier_draft_is_called_that(expert: Client, plugin: Plugin) -> None:
    right(plugin)
    golden_runs.run_golden(releases.snapshot(plugin))
    Plugin.objects.update(system_prompt="You are somebody else.")
    assert "have changed since: run them again" in shown(expert, plugin)


def test_enough_questions_propose_the_evidence_and_a_click_takes_it(expert: Client, plugin: Plugin) -> None:
    for n in range(14):
        golden(plugin, "What is worn on every site?" if n % 2 else "When are boots replaced?")
    for n in range(8):
        golden(plugin, f"Who won the chess match number {n}?", expectation="refuse")
    assert "is proposed here" in shown(expert, plugin)
    golden_runs.run_golden(releases.snapshot(plugin))
    Plugin.objects.update(evidence_threshold=0.9)
    assert "is proposed here" in shown(expert, plugin)  # the run was of another draft
    golden_runs.run_golden(releases.snapshot(Plugin.objects.get()))
    assert "These questions suggest that the evidence needed is" in shown(expert, plugin)
    expert.post(address("golden_evidence", plugin))
    assert 0.3 <= (Plugin.objects.get().evidence_threshold or 0) <= 0.7


# --- As a file -------------------------------------------------------------------------------------------


def test_what_is_exported_comes_in_again_once(expert: Client, plugin: Plugin) -> None:
    golden(plugin, must_contain=["steel toe"], facts={"place": "site"})
    response = expert.get(address("golden_export", plugin))
    assert response["Content-Disposition"] == 'attachment; filename="boots-golden.jsonl"'
    lines = response.content
    GoldenQuestion.objects.all().delete()
    for words in ("1 added, 0 changed", "0 added, 0 changed, 1 were there already"):
        posted = expert.post(address("golden_import", plugin), {"file": io.BytesIO(lines)}, follow=True)
        assert words in said(posted)
    assert GoldenQuestion.objects.get().facts == {"place": "site"}


def imported(client: Client, plugin: Plugin, **fields: Any) -> str:
    """The page after importing what is wrong."""
    response = client.post(address("golden_import", plugin), fields)
    assert response.status_code == 422
    assert not GoldenQuestion.objects.exists()
    return html.unescape(response.content.decode())


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"{", "Line 1: this is not JSON."),
        (b"PK\x03\x04\x00\x00", "This file is not text. In your spreadsheet choose"),
        (b'{"question": "a"}\n{}', "Line 2"),
    ],
)
def test_a_file_that_is_wrong_takes_nothing_in(expert: Client, plugin: Plugin, body: bytes, words: str) -> None:
    shown_again = imported(expert, plugin, file=SimpleUploadedFile("questions.csv", body))
    assert words in shown_again
    assert "Nothing was imported." in shown_again
    assert "In questions.csv:" in shown_again
    assert "manage.py" not in shown_again


def test_a_file_has_at_most_five_megabytes_as_in_the_api(expert: Client, plugin: Plugin) -> None:
    too_large = io.BytesIO(b" " * (golden_file.MAX_GOLDEN_FILE_BYTES + 1))
    assert "The file is larger than 5 MB." in imported(expert, plugin, file=too_large)


def test_no_file_is_said(expert: Client, plugin: Plugin) -> None:
    assert "Choose a file, or paste the questions into the box." in imported(expert, plugin)


def test_pasted_lines_are_questions_and_what_is_wrong_stays_in_the_box(expert: Client, plugin: Plugin) -> None:
    table = f"Question\tMust cite\n{WORN}\tRules on boot"
    shown_again = imported(expert, plugin, pasted=table)
    assert "Line 2: the plugin has no document called “Rules on boot”. Did you mean “Rules on boots”?" in shown_again
    assert f">{table}</textarea>" in shown_again
    posted = expert.post(address("golden_import", plugin), {"pasted": f"{WORN}\nWho pays for boots?\n"}, follow=True)
    assert "2 added, 0 changed, 0 were there already." in said(posted)


def test_the_table_goes_out_and_comes_in_again(expert: Client, plugin: Plugin) -> None:
    golden(plugin, "=Formula?", must_cite=[["Rules on boots", None]], must_contain=["steel toe", "boots"])
    response = expert.get(address("golden_export", plugin), {"as": "csv"})
    assert response["Content-Disposition"] == 'attachment; filename="boots-golden.csv"'
    again = expert.post(
        address("golden_import", plugin), {"file": SimpleUploadedFile("boots.csv", response.content)}, follow=True
    )
    assert "0 added, 0 changed, 1 were there already." in said(again)


# --- The gate --------------------------------------------------------------------------------------------


def test_a_gate_that_blocks_refuses_what_fails_and_everything_agrees(expert: Client, plugin: Plugin) -> None:
    gated(plugin, GoldenGate.BLOCK)
    right(plugin)
    wrong(plugin)
    with pytest.raises(NotReady, match="1 of its 2 golden questions pass; 2 have to"):
        publish(plugin, by=plugin.owner)
    assert not plugin.releases.exists()
    response = expert.get(address("golden", plugin))
    assert response.context["blocking_reason"] == "golden questions first"
    (part,) = [one for one in response.context["readiness"] if one.slug == "golden"]
    assert (part.status, part.detail) == ("no", "1 of 2 pass, 2 needed")
    assert "1 of its 2 golden questions pass" in expert.get(address("publish", plugin)).content.decode()


def test_the_page_of_a_question_that_failed_says_so_first_and_leads_to_the_sandbox(
    expert: Client, plugin: Plugin
) -> None:
    failed = wrong(plugin)
    golden_runs.run_golden(releases.snapshot(plugin))
    page = expert.get(reverse("admin:builder_golden_change", args=[plugin.pk, failed.pk])).content.decode()
    assert page.index("It failed in the last run.") < page.index('name="question"')
    assert "Ask it in the sandbox" in page


def test_a_gate_that_blocks_passes_the_share_it_asks_for(plugin: Plugin) -> None:
    gated(plugin, GoldenGate.BLOCK, share=0.5)
    right(plugin)
    wrong(plugin)
    assert publish(plugin, by=plugin.owner).release.version == "1.0.0"


def test_what_was_not_run_as_it_stands_is_run_by_publishing(expert: Client, plugin: Plugin) -> None:
    gated(plugin, GoldenGate.BLOCK)
    right(plugin)
    response = expert.get(address("golden", plugin))
    assert response.context["blocking_reason"] == ""
    assert "1, not run as it stands" in response.content.decode()
    publish(plugin, by=plugin.owner)
    assert plugin.releases.get().scorecard["golden_passed"] == 1


@pytest.mark.parametrize("reason", ["too many", "broken"])
def test_a_gate_that_blocks_lets_nothing_by_that_could_not_be_run(
    plugin: Plugin, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError

    gated(plugin, GoldenGate.BLOCK)
    right(plugin)
    if reason == "too many":
        monkeypatch.setattr(golden_runs, "MAX_INLINE_QUESTIONS", 0)
    else:
        monkeypatch.setattr(golden_runs, "run_golden", broken)
    with pytest.raises(NotReady, match="have not been run as it stands"):
        publish(plugin, by=plugin.owner)


def test_too_many_for_a_request_are_no_obstacle_in_the_builder(
    expert: Client, plugin: Plugin, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There a worker asks them; a model that costs is asked by nobody unbidden."""
    gated(plugin, GoldenGate.BLOCK)
    right(plugin)
    monkeypatch.setattr(golden_runs, "MAX_INLINE_QUESTIONS", 0)
    assert expert.get(address("golden", plugin)).context["blocking_reason"] == ""
    monkeypatch.setattr(golden_runs, "can_run_unasked", lambda **_: False)
    assert expert.get(address("golden", plugin)).context["blocking_reason"] == "golden questions first"


def test_a_gate_that_warns_publishes_and_says_so(expert: Client, plugin: Plugin) -> None:
    gated(plugin, GoldenGate.WARN)
    wrong(plugin)
    golden_runs.ensure_draft_run(plugin)
    posted = expert.post(address("publish", plugin), {"notes": "", "version": ""}, follow=True)
    assert "0 of its 1 golden questions pass; 1 have to. The gate is set to warn" in said(posted)
    assert plugin.releases.count() == 1


def test_a_gate_that_warns_says_so_before_one_publishes(expert: Client, plugin: Plugin) -> None:
    gated(plugin, GoldenGate.WARN)
    assert "golden questions are run first" not in shown_before(expert, plugin)
    wrong(plugin)
    assert "If fewer than 1 of 1 pass, you are warned" in shown_before(expert, plugin)
    golden_runs.run_golden(releases.snapshot(plugin))
    content = shown_before(expert, plugin)
    assert "0 of its 1 golden questions pass; 1 have to." in content
    assert "The gate is set to warn, so it can be published." in content
    gated(plugin, GoldenGate.OFF)
    assert "only warns" not in shown_before(expert, plugin)


def shown_before(expert: Client, plugin: Plugin) -> str:
    """The sheet of the page of publishing, without what stands around it."""
    return expert.get(address("publish", plugin)).content.decode().partition('id="publish-title"')[2]


def test_a_gate_that_is_off_says_nothing(plugin: Plugin) -> None:
    gated(plugin, GoldenGate.OFF)
    wrong(plugin)
    assert publish(plugin, by=plugin.owner).warning == ""


def test_a_gate_without_questions_blocks_nothing(plugin: Plugin) -> None:
    gated(plugin, GoldenGate.BLOCK)
    assert publish(plugin, by=plugin.owner).is_new
    assert not EvaluationRun.objects.exists()
