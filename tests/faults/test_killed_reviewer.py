"""`kill -9` of the worker in the middle of a review: the next worker goes on behind its last finding."""

from __future__ import annotations

from datetime import timedelta
from typing import IO

import pytest
from django.utils import timezone

from accounts.models import User
from contracts.models import ContractReview, Finding
from contracts.review.start_review import start_review
from contracts.tasks import resume_reviews
from tests.contracts.documents import give_contract
from tests.worker_processes import empty_queue, kill, log, wait_for, worker

__all__ = ["empty_queue", "log"]
pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]
REVIEWER = ("-Q", "reviews")


def test_a_review_goes_on_behind_its_last_finding(alice: User, log: IO[bytes]) -> None:
    review = start_review(give_contract(alice), by=alice, principal=alice)
    with worker(log, *REVIEWER) as first:
        wait_for(Finding.objects.exists, log)
        kill(first)
    before = list(Finding.objects.order_by("number").values_list("number", "pk"))
    assert 0 < len(before) < 10, "killed in the middle"
    ContractReview.objects.update(updated_at=timezone.now() - timedelta(minutes=2))
    wait_for(lambda: resume_reviews() == 1, log)  # once the last process of the worker is gone
    with worker(log, *REVIEWER):
        wait_for(ContractReview.objects.filter(state="done").exists, log)
    after = list(Finding.objects.order_by("number").values_list("number", "pk"))
    assert [number for number, _ in after] == list(range(1, 11))
    assert after[: len(before)] == before, "what was found is not made again"
    review.refresh_from_db()
    assert (review.starts, review.positions_done) == (1, 10)
