"""Asks the questions of a batch, one after the other, as its key."""

from __future__ import annotations

import time
import uuid
from dataclasses import replace
from datetime import timedelta

from asgiref.sync import async_to_sync
from django.utils import timezone
from rest_framework.exceptions import ValidationError

from accounts.models import ApiKey, Capability
from accounts.rate_limits import MINUTE, count_key_request
from api.batch.serializers import BatchLineSerializer
from api.fields import validated
from api.models import Batch, BatchItem
from api.query.questions import read_question
from knowledge.lease import try_lease
from lexic.errors import LexicError, NotAllowed
from lexic.http.error_handlers import to_lexic_error
from querying import pipeline
from querying.models import Query
from querying.types.answer import Outcome
from querying.types.events import AnswerFailed, Failed

# A task works so long at one batch; then others of the queue have their turn.
SLICE_SECONDS = 30.0
# A fourth of what the key may ask in a minute.
_SHARE_LEFT = 4
_WITHOUT_ANSWER = (Outcome.FAILED, Outcome.ABANDONED)


class KeyEnded(NotAllowed):
    """The key of this batch was revoked, has expired, or may not ask any more."""

    code = "key_ended"
    hint = "Send the questions that are left with another key."


def work_on(batch_id: uuid.UUID) -> bool:
    """Asks questions of the batch for a while, where no other worker does. Says whether there is more to do now."""
    with try_lease(f"batch:{batch_id}") as is_ours:
        due = Batch.objects.due(now=timezone.now()).select_related("api_key__owner")
        batch = due.filter(pk=batch_id).first() if is_ours else None
        return batch is not None and _work(batch, until=time.monotonic() + SLICE_SECONDS)


def _work(batch: Batch, *, until: float) -> bool:
    unfinished = Batch.objects.unfinished().filter(pk=batch.pk)
    if not unfinished.update(state=Batch.State.RUNNING, waits_until=None):
        return False  # cancelled meanwhile
    while item := batch.items.filter(state=BatchItem.State.WAITING).order_by("number").first():
        if time.monotonic() > until:
            return True
        if wait := _count_or_wait(batch.api_key):
            unfinished.update(waits_until=timezone.now() + timedelta(seconds=wait))
            return False
        item.finish(_ask_item(item, batch.api_key))
    batch.end(Batch.State.DONE)
    return False


def _count_or_wait(key: ApiKey) -> int | None:
    """Counts one question; where no more may be asked now, the seconds until there is room again. A part of each minute
    is left to the key's other requests, those that look at the batch among them."""
    for window in count_key_request(key, amount=0).windows:
        if window.seconds == MINUTE and window.remaining <= window.limit // _SHARE_LEFT:
            return window.reset_seconds
    return count_key_request(key).retry_after


def _ask_item(item: BatchItem, key: ApiKey) -> LexicError | None:
    """Has the question answered; the error where it cannot be. Its row has the item's id, so that a question which a
    worker asked before it died is not asked again, unless it ended without an answer."""
    if asked := Query.objects.filter(pk=item.question_id).only("outcome").first():
        if asked.outcome not in _WITHOUT_ANSWER:
            return None
        item.change_question_id()
    try:
        # As it is now: it may have been changed since the batch was taken up.
        if not ApiKey.objects.usable().filter(pk=key.pk, capabilities__contains=[Capability.QUERY]).exists():
            raise KeyEnded
        question = read_question(validated(BatchLineSerializer(data=item.request)), key=key)
        last = async_to_sync(pipeline.answer)(replace(question, id=item.question_id))
    except (LexicError, ValidationError) as error:
        return to_lexic_error(error)
    return AnswerFailed(last) if isinstance(last, Failed) else None
