"""The worker makes reviews, takes up those that were interrupted, and deletes those of deleted documents."""

from __future__ import annotations

import logging
import time
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import F
from django.utils import timezone

from contracts.models import ContractReview, ReviewDeleted
from contracts.review.run_review import run_review
from knowledge.embedders.base import EmbedderError
from knowledge.lease import LeaseLost, held_names, try_lease
from knowledge.models import PinKind
from knowledge.revision_pins import release_pins_without_holder
from lexic.celery import app
from lexic.errors import LexicError
from lexic.publish_task import publish_task
from lexic.task_queues import without_message

logger = logging.getLogger(__name__)

# A contract that ends its worker is not tried for ever.
MAX_STARTS = 4
# It is tried again about once a minute.
MAX_OUTAGES = 60
# What it takes longer waits behind the tasks that came meanwhile.
TURN_SECONDS = 60.0
STALE_AFTER = timedelta(minutes=1)
_RESUME_BATCH_SIZE = 200


@app.task(name="contracts.review")
def make_review(*, review_id: str, **kwargs: Any) -> None:
    """Make this review, or what is left of it. However often the message comes, one worker makes it, and no finding is
    made twice. A long one lets other tasks go first now and then."""
    with try_lease(_lease_name(UUID(review_id))) as is_ours:
        is_left = is_ours and _run_one_turn(review_id)
    if is_left:
        publish_task("contracts.review", review_id=review_id)


def _run_one_turn(review_id: str) -> bool:
    """Whether the time was up before the review was done."""
    rows = ContractReview.objects.filter(pk=review_id)
    review = rows.select_related("document__knowledge_base", "compared_document__knowledge_base").first()
    if review is None or review.is_finished:
        return False
    if review.starts >= MAX_STARTS:
        review.fail(code="worker_died", error="The worker ended several times while it made this review.")
        return False
    rows.update(starts=F("starts") + 1)
    is_left = False
    try:
        is_left = not run_review(review, until=time.monotonic() + TURN_SECONDS)
    except LeaseLost as error:
        logger.warning("review %s goes on elsewhere: %s", review_id, error.message)
    except EmbedderError as error:
        _wait_for_embedder(review, error)
    except ReviewDeleted:
        logger.info("review %s was deleted while it was made", review_id)
    except LexicError as error:
        logger.warning("review %s failed: %s", review_id, error.message)
        review.fail(code=error.code, error=error.message_with_hint)
    rows.update(starts=F("starts") - 1)  # a worker that dies does not come here
    return is_left


def _wait_for_embedder(review: ContractReview, error: EmbedderError) -> None:
    """The review goes on later, unless trying again is of no use or was for a long time."""
    logger.warning("review %s waits for the embedder: %s", review.pk, error.message)
    if not error.retryable or review.outages + 1 >= MAX_OUTAGES:
        review.fail(code=error.code, error=error.message_with_hint)
    else:
        ContractReview.objects.filter(pk=review.pk).update(outages=F("outages") + 1)


@app.task(name="contracts.resume")
def resume_reviews(**kwargs: Any) -> int:
    """Enqueue the unfinished reviews that no worker makes and whose message is lost, and delete those whose document
    was deleted. Returns how many were enqueued."""
    ContractReview.objects.of_removed_documents().delete_with_pins()
    release_pins_without_holder(PinKind.REVIEW, ContractReview.objects.all())
    held = held_names()
    stale = ContractReview.objects.unfinished().filter(updated_at__lt=timezone.now() - STALE_AFTER)
    oldest = stale.order_by("updated_at").values_list("pk", flat=True)[:_RESUME_BATCH_SIZE]
    free = [pk for pk in oldest if _lease_name(pk) not in held]
    # They count as touched now, so that the next run does not enqueue them a second time.
    ContractReview.objects.filter(pk__in=free).update(updated_at=timezone.now())
    unsent = without_message(
        [str(pk) for pk in free], queue=settings.REVIEW_QUEUE, task=make_review.name, argument="review_id"
    )
    return sum(publish_task(make_review.name, review_id=pk) for pk in unsent)


def _lease_name(pk: UUID) -> str:
    return f"review:{pk}"
