"""Publishing by a worker: it asks the golden questions once, can be interrupted, cancelled and taken up again."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.utils import timezone

from accounts.models import User
from audit.models import AuditEntry
from evaluation import evaluation_runner
from evaluation.golden import golden_dataset
from evaluation.models import EvaluationRun
from lexic.celery import app
from marketplace import tasks
from marketplace.models import PublishingRun
from marketplace.publishing import background_publish
from marketplace.publishing.audience_change import AudienceChange, audience_mark
from marketplace.publishing.background_publish import AlreadyPublishing, start_publishing
from marketplace.publishing.publish import NotReady, VersionNotNew
from marketplace.publishing.rollback import roll_back
from marketplace.publishing.withdraw import withdraw_from_marketplace
from plugins.models import Plugin
from plugins.visibility import Visibility
from querying import releases
from querying.answering.llms import get_llm
from tests.cover import plugin, published  # noqa: F401
from tests.evaluation.goldens import add_goldens

pytestmark = pytest.mark.django_db
State = PublishingRun.State


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of the runs that a worker would be told of."""
    told: list[str] = []
    monkeypatch.setattr(tasks.publish_plugin, "apply_async", lambda **given: told.append(given["kwargs"]["run_id"]))
    return told


def start(plugin: Plugin, **said: Any) -> PublishingRun:  # noqa: F811
    run = start_publishing(plugin, by=plugin.owner, **said)
    assert run
    return run


def work(run: PublishingRun) -> PublishingRun:
    tasks.publish_plugin(run_id=str(run.pk))
    run.refresh_from_db()
    return run


def questions_asked(monkeypatch: pytest.MonkeyPatch, *, before: Any = None) -> list[str]:
    """The ids of the questions that are asked from now on; `before` is called with how many there were."""
    asked: list[str] = []
    real = evaluation_runner._score_question

    def score(question: Any, *args: Any, **kwargs: Any) -> Any:
        if before:
            before(len(asked))
        asked.append(question.id)
        return real(question, *args, **kwargs)

    monkeypatch.setattr(evaluation_runner, "_score_question", score)
    return asked


def test_a_worker_asks_and_publishes(plugin: Plugin, sent: list[str]) -> None:  # noqa: F811
    add_goldens(plugin, right=2, wrong=1)
    run = start(plugin, notes="For winter.")
    assert (sent, plugin.releases.count()) == ([str(run.pk)], 0)
    assert work(run).state == State.PUBLISHED
    release = plugin.releases.get()
    assert (run.release, release.notes, release.created_by) == (release, "For winter.", plugin.owner)
    assert (release.scorecard["golden_passed"], release.scorecard["golden_total"]) == (2, 3)
    assert run.scores == []
    assert run.warning == "2 of its 3 golden questions pass; 3 have to."
    assert LogEntry.objects.filter(change_message="Published as 1.0.0.", user=plugin.owner).count() == 1


def test_the_audit_log_names_who_asked_for_it(
    plugin: Plugin,  # noqa: F811
    sent: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    add_goldens(plugin, right=1)
    run = start(plugin)
    monkeypatch.setattr("celery.current_task", tasks.publish_plugin)
    work(run)
    entry = AuditEntry.objects.filter(action="plugin.published").latest("pk")
    assert (entry.actor, entry.via) == (f"person:{plugin.owner.pk}", "task:marketplace.publish_plugin")


def test_without_questions_there_is_nothing_to_wait_for(plugin: Plugin, sent: list[str]) -> None:  # noqa: F811
    assert start_publishing(plugin, by=plugin.owner) is None
    assert sent == []


def test_a_second_message_changes_nothing(plugin: Plugin, sent: list[str]) -> None:  # noqa: F811
    add_goldens(plugin, right=1)
    run = work(start(plugin))
    work(run)
    assert plugin.releases.count() == 1
    assert EvaluationRun.objects.count() == 1


def test_an_interrupted_run_asks_only_what_is_left(
    plugin: Plugin,  # noqa: F811
    sent: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def killed_at_the_third(count: int) -> None:
        if count == 2:
            raise SystemExit

    add_goldens(plugin, right=3)
    run = start(plugin)
    with monkeypatch.context() as patch:
        first = questions_asked(patch, before=killed_at_the_third)
        with pytest.raises(SystemExit):
            work(run)
    run.refresh_from_db()
    assert (run.state, len(run.scores)) == (State.ASKING, 2)
    PublishingRun.objects.update(updated_at=timezone.now() - timedelta(minutes=5))
    tasks.resume_publishing()
    assert sent == [str(run.pk)] * 2
    rest = questions_asked(monkeypatch)
    assert work(run).state == State.PUBLISHED
    assert len(rest) == 1
    assert not set(rest) & set(first)
    assert plugin.releases.get().scorecard["golden_passed"] == 3


def test_a_run_whose_message_waits_gets_no_second_one(
    plugin: Plugin,  # noqa: F811
    sent: list[str],
    settings: Any,
) -> None:
    add_goldens(plugin, right=1)
    run = start(plugin)
    PublishingRun.objects.update(updated_at=timezone.now() - timedelta(minutes=5))
    settings.CELERY_TASK_DEFAULT_QUEUE = "test-publishing"
    with app.connection_for_write() as connection:
        connection.default_channel.client.delete("test-publishing")
        app.send_task("marketplace.publish_plugin", kwargs={"run_id": str(run.pk)}, queue="test-publishing")
        tasks.resume_publishing()
        connection.default_channel.client.delete("test-publishing")
    assert sent == [str(run.pk)], "once by whoever began it"


def test_a_question_that_kills_each_worker_ends_the_run_and_is_named(
    plugin: Plugin,  # noqa: F811
    sent: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def killed_at_the_second(count: int) -> None:
        if PublishingRun.objects.get().scores:
            raise SystemExit

    add_goldens(plugin, right=2)
    run = start(plugin)
    asked = questions_asked(monkeypatch, before=killed_at_the_second)
    for _ in range(background_publish.MAX_STARTS):
        with pytest.raises(SystemExit):
            work(run)
    run.refresh_from_db()
    # The first of them answered a question, so what it began at the second one is not counted apart.
    assert (run.state, len(asked), run.starts) == (State.ASKING, 1, background_publish.MAX_STARTS - 1)
    with pytest.raises(SystemExit):
        work(run)
    assert work(run).state == State.FAILED
    second = plugin.golden_questions.order_by("pk")[1]
    assert run.error.startswith(f"3 workers stopped without a word at the golden question “{second.question}”")
    tasks.resume_publishing()
    assert sent == [str(run.pk)]
    assert not plugin.releases.exists()


def test_whoever_cancels_stops_it_before_the_next_question(
    plugin: Plugin,  # noqa: F811
    sent: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    add_goldens(plugin, right=3)
    run = start(plugin)

    def cancel_at_the_second(count: int) -> None:
        if count == 1:
            PublishingRun.objects.get(pk=run.pk).cancel()

    asked = questions_asked(monkeypatch, before=cancel_at_the_second)
    assert work(run).state == State.CANCELLED
    assert len(asked) == 2
    assert not plugin.releases.exists()


def test_a_draft_that_was_changed_meanwhile_is_not_published(plugin: Plugin, sent: list[str]) -> None:  # noqa: F811
    add_goldens(plugin, right=1)
    run = start(plugin)
    Plugin.objects.update(system_prompt="You are a shoemaker.")
    assert work(run).state == State.FAILED
    assert run.error.startswith("The draft or its golden questions were changed")
    assert not plugin.releases.exists()


def test_a_worker_that_knows_no_audiences_publishes_nothing_for_the_earlier_one(
    plugin: Plugin,  # noqa: F811
    sent: list[str],
) -> None:
    add_goldens(plugin, right=1)
    chosen = {"visibility": Visibility.PEOPLE, "public_chat": False, "is_shared": False}
    run = start(plugin, audience=AudienceChange(seen=audience_mark(plugin), **chosen))
    known_to_any_version = golden_dataset.run_fingerprint(releases.snapshot(plugin), llm=get_llm())
    assert run.fingerprint != known_to_any_version, "an earlier version says that the draft has changed"
    assert work(run).state == State.PUBLISHED
    plugin.refresh_from_db()
    assert plugin.visibility == Visibility.PEOPLE


def test_a_gate_that_blocks_says_how_many_are_missing(plugin: Plugin, sent: list[str]) -> None:  # noqa: F811
    Plugin.objects.update(golden_gate="block")
    plugin.refresh_from_db()
    add_goldens(plugin, right=1, wrong=1)
    run = work(start(plugin))
    assert run.state == State.FAILED
    assert "1 of its 2 golden questions pass; 2 have to." in run.error
    assert [bool(one["failures"]) for one in run.scores] == [False, True]


def test_whoever_lost_the_right_to_change_it_publishes_nothing(
    plugin: Plugin,  # noqa: F811
    bob: User,
    sent: list[str],
) -> None:
    add_goldens(plugin, right=1)
    plugin.editors.add(bob)
    run = start_publishing(plugin, by=bob)
    assert run
    plugin.editors.remove(bob)
    assert work(run).state == State.FAILED
    assert not plugin.releases.exists()


@pytest.mark.parametrize("loss", ["is_superuser", "is_active"])
def test_an_operator_who_is_none_any_more_publishes_nothing(
    plugin: Plugin,  # noqa: F811
    sent: list[str],
    monkeypatch: pytest.MonkeyPatch,
    loss: str,
) -> None:
    root = User.objects.create_superuser("root@example.org", "correct horse battery")
    add_goldens(plugin, right=2)
    run = start_publishing(plugin, by=root)
    assert run
    questions_asked(monkeypatch, before=lambda count: User.objects.filter(pk=root.pk).update(**{loss: False}))
    assert work(run).state == State.FAILED
    assert not plugin.releases.exists()


@pytest.mark.parametrize("decision", ["withdraw", "roll back"])
def test_what_was_withdrawn_or_rolled_back_meanwhile_stays_so(
    published: Plugin,  # noqa: F811
    alice: User,
    sent: list[str],
    monkeypatch: pytest.MonkeyPatch,
    decision: str,
) -> None:
    first = published.latest_release()
    assert first
    Plugin.objects.update(system_prompt="You are a shoemaker.")
    published.refresh_from_db()
    add_goldens(published, right=2)
    run = start(published)

    def decide(count: int) -> None:
        if count == 1 and decision == "withdraw":
            withdraw_from_marketplace(published)
        elif count == 1:
            roll_back(published, to=first, by=alice)

    questions_asked(monkeypatch, before=decide)
    assert work(run).state == State.CANCELLED
    latest = published.latest_release()
    assert latest
    assert latest.system_prompt == first.system_prompt
    published.refresh_from_db()
    assert published.is_published == (decision == "roll back")


def test_a_worker_that_breaks_off_says_so(
    plugin: Plugin,  # noqa: F811
    sent: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError("secret of the machine")

    add_goldens(plugin, right=1)
    run = start(plugin)
    monkeypatch.setattr(background_publish.golden_runs, "run_golden", broken)
    with pytest.raises(ValueError, match="secret"):
        work(run)
    run.refresh_from_db()
    assert run.state == State.FAILED
    assert "secret" not in run.error


def test_what_would_be_refused_is_refused_at_once(published: Plugin, sent: list[str]) -> None:  # noqa: F811
    add_goldens(published, right=1)
    with pytest.raises(VersionNotNew):
        start(published, version="0.9.0")
    Plugin.objects.update(system_prompt="")
    published.refresh_from_db()
    with pytest.raises(NotReady, match="no persona"):
        start(published)
    assert (sent, PublishingRun.objects.count()) == ([], 0)


def test_one_run_at_a_time(plugin: Plugin, sent: list[str]) -> None:  # noqa: F811
    add_goldens(plugin, right=1)
    first = start(plugin)
    with pytest.raises(AlreadyPublishing):
        start(plugin)
    assert first.cancel()
    second = start(plugin)
    assert list(PublishingRun.objects.all()) == [second]


def test_without_a_broker_nothing_is_left_waiting(
    plugin: Plugin,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    add_goldens(plugin, right=1)
    monkeypatch.setattr(background_publish, "publish_task", lambda *_, **__: False)
    assert start_publishing(plugin, by=plugin.owner) is None
    assert not PublishingRun.objects.exists()
