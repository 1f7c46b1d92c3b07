from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from contracts import tasks
from contracts.models import ContractReview, ReviewState
from contracts.tasks import MAX_OUTAGES, MAX_STARTS, make_review, resume_reviews
from knowledge.embedders.base import EmbedderRejected, EmbedderUnavailable
from knowledge.lease import try_lease
from lexic.celery import app


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    asked: list[str] = []

    def publish(name: str, **arguments: str) -> bool:
        asked.append(arguments["review_id"])
        return True

    monkeypatch.setattr(tasks, "publish_task", publish)
    return asked


def test_a_worker_makes_a_review_once(queued: ContractReview) -> None:
    for _ in range(2):
        make_review(review_id=str(queued.pk))
    queued.refresh_from_db()
    assert (queued.state, queued.starts, queued.findings.count()) == (ReviewState.DONE, 0, 10)


def test_while_one_worker_makes_it_another_leaves_it_alone(queued: ContractReview) -> None:
    with try_lease(f"review:{queued.pk}"):
        make_review(review_id=str(queued.pk))
    queued.refresh_from_db()
    assert (queued.state, queued.starts) == (ReviewState.QUEUED, 0)


def test_what_was_left_is_taken_up(queued: ContractReview, published: list[str]) -> None:
    assert resume_reviews() == 0
    long_ago = timezone.now() - timedelta(minutes=5)
    ContractReview.objects.update(updated_at=long_ago, state=ReviewState.RUNNING)
    with try_lease(f"review:{queued.pk}"):
        assert resume_reviews() == 0
    assert resume_reviews() == 1
    assert published == [str(queued.pk)]
    assert resume_reviews() == 0


def test_a_review_whose_message_waits_gets_no_second_one(
    queued: ContractReview, published: list[str], settings: Any
) -> None:
    settings.REVIEW_QUEUE = "test-reviews"
    with app.connection_for_write() as connection:
        connection.default_channel.client.delete("test-reviews")
        app.send_task("contracts.review", kwargs={"review_id": str(queued.pk)}, queue="test-reviews")
        long_ago = timezone.now() - timedelta(minutes=5)
        ContractReview.objects.update(updated_at=long_ago)
        assert (resume_reviews(), published) == (0, [])
        connection.default_channel.client.delete("test-reviews")
        app.send_task("contracts.review", kwargs={"review_id": "another"}, queue="test-reviews")
        ContractReview.objects.update(updated_at=long_ago)
        assert (resume_reviews(), published) == (1, [str(queued.pk)])
        connection.default_channel.client.delete("test-reviews")


def test_a_review_that_ends_its_worker_is_not_tried_for_ever(queued: ContractReview) -> None:
    ContractReview.objects.update(starts=MAX_STARTS)
    make_review(review_id=str(queued.pk))
    queued.refresh_from_db()
    assert (queued.state, queued.error_code) == (ReviewState.FAILED, "worker_died")


def test_a_playbook_that_no_longer_reads_fails_with_its_reason(queued: ContractReview) -> None:
    ContractReview.objects.update(playbook_text="nothing")
    make_review(review_id=str(queued.pk))
    queued.refresh_from_db()
    assert (queued.state, queued.error_code) == (ReviewState.FAILED, "unfit_playbook")
    assert "has no position" in queued.error


def test_while_the_embedder_is_away_a_review_waits(queued: ContractReview, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(review: ContractReview, **_: object) -> bool:
        raise EmbedderUnavailable

    monkeypatch.setattr(tasks, "run_review", away)
    for _ in range(MAX_STARTS + 2):
        make_review(review_id=str(queued.pk))
    queued.refresh_from_db()
    assert (queued.state, queued.starts, queued.outages) == (ReviewState.QUEUED, 0, MAX_STARTS + 2)
    ContractReview.objects.update(outages=MAX_OUTAGES - 1)
    make_review(review_id=str(queued.pk))
    queued.refresh_from_db()
    assert (queued.state, queued.error_code) == (ReviewState.FAILED, "embedder_unavailable")
    assert "Try again in a little while." in queued.error


def test_what_the_embedder_refuses_fails_at_once(queued: ContractReview, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(review: ContractReview, **_: object) -> bool:
        raise EmbedderRejected

    monkeypatch.setattr(tasks, "run_review", refused)
    make_review(review_id=str(queued.pk))
    queued.refresh_from_db()
    assert (queued.state, queued.error_code) == (ReviewState.FAILED, "embedder_rejected")


def test_a_worker_that_dies_counts(queued: ContractReview, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(review: ContractReview, **_: object) -> bool:
        raise SystemExit

    monkeypatch.setattr(tasks, "run_review", killed)
    with pytest.raises(SystemExit):
        make_review(review_id=str(queued.pk))
    queued.refresh_from_db()
    assert queued.starts == 1


def test_a_long_review_lets_others_go_first(
    queued: ContractReview, published: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "TURN_SECONDS", 0.0)
    for done in range(1, 10):
        make_review(review_id=str(queued.pk))
        assert (queued.findings.count(), len(published)) == (done, done)
    make_review(review_id=str(queued.pk))
    queued.refresh_from_db()
    assert (queued.state, queued.starts, len(published)) == (ReviewState.DONE, 0, 9)


def test_a_review_that_was_deleted_is_no_error(queued: ContractReview) -> None:
    pk = str(queued.pk)
    queued.delete()
    make_review(review_id=pk)
    assert not ContractReview.objects.exists()
