from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from contracts import tasks
from contracts.models import ContractReview, ReviewState
from contracts.tasks import MAX_STARTS, make_review, resume_reviews
from knowledge.embedders.base import EmbedderUnavailable
from knowledge.lease import try_lease


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
    assert (queued.state, queued.starts, queued.findings.count()) == (ReviewState.DONE, 1, 10)


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
    def away(review: ContractReview) -> None:
        raise EmbedderUnavailable("away")

    monkeypatch.setattr(tasks, "run_review", away)
    make_review(review_id=str(queued.pk))
    queued.refresh_from_db()
    assert queued.state == ReviewState.QUEUED


def test_a_review_that_was_deleted_is_no_error(queued: ContractReview) -> None:
    pk = str(queued.pk)
    queued.delete()
    make_review(review_id=pk)
    assert not ContractReview.objects.exists()
