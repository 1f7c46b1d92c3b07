"""A list of questions as a batch, all or nothing."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from rest_framework.exceptions import ValidationError

from accounts.models import ApiKey
from api.batch.serializers import BatchLineSerializer
from api.fields import validated
from api.models import Batch, BatchItem
from api.query.questions import make_options
from lexic.errors import Conflict, InvalidInput, LexicError
from lexic.http.error_handlers import to_lexic_error
from lexic.publish_task import publish_task
from querying import releases
from querying.redaction.redact_question import redact_question

MAX_QUESTIONS, MAX_UNFINISHED, MAX_KEPT = 1000, 3, 200


class InvalidBatch(InvalidInput):
    """A batch has 1 to 1,000 questions, one a line."""

    code = "invalid_batch"
    hint = "Send each question on a line of its own, with an `id` that no other line has."


class TooManyBatches(Conflict):
    """Too many batches of this key are under way."""

    code = "too_many_batches"
    hint = f"Wait until one of the {MAX_UNFINISHED} has ended, or cancel one."


class TooManyKept(TooManyBatches):
    """Too many batches of this key are kept."""

    hint = f"Delete those whose results you have: a key has {MAX_KEPT} at most."


def create_batch(lines: list[dict[str, Any]], *, key: ApiKey) -> Batch:
    """A batch of these questions, which a worker takes up. Each is checked as far as it can be before it is asked.

    Raises `InvalidBatch`, `TooManyBatches`, `TooManyKept`, and with the number of the line what is wrong with one.
    """
    if not 1 <= len(lines) <= MAX_QUESTIONS:
        raise InvalidBatch
    known = set[str]()
    ids = [_check_line(line, number, key=key, known=known) for number, line in enumerate(lines, start=1)]
    if len(set(ids)) < len(ids):
        raise InvalidBatch("Two lines have the same id.")
    with transaction.atomic():
        ApiKey.objects.select_for_update(no_key=True).get(pk=key.pk)  # two requests at once count each other
        if Batch.objects.unfinished().filter(api_key=key).count() >= MAX_UNFINISHED:
            raise TooManyBatches
        if Batch.objects.filter(api_key=key).count() >= MAX_KEPT:
            raise TooManyKept
        batch = Batch.objects.create(api_key=key)
        BatchItem.objects.bulk_create(
            BatchItem(batch=batch, number=number, custom_id=line["id"], request=redact_question(line))
            for number, line in enumerate(lines, start=1)
        )
        transaction.on_commit(lambda: publish_task("api.work_on_batch", batch_id=str(batch.pk)))
    return batch


def _check_line(line: dict[str, Any], number: int, *, key: ApiKey, known: set[str]) -> str:
    """The id of a line that can be asked. `known` are the plugins that were found for the lines before."""
    try:
        body = validated(BatchLineSerializer(data=line))
        make_options(body.get("options"))
        if body["plugin"] not in known:
            releases.resolve(body["plugin"], principal=key)
            known.add(body["plugin"])
    except (LexicError, ValidationError) as error:
        cause = to_lexic_error(error)
        where = f"{number}.{cause.param}" if cause.param else str(number)
        wrong = LexicError(f"Line {number}: {cause.message}", code=cause.code, hint=cause.hint, param=where)
        wrong.status = cause.status
        raise wrong from None
    return str(body["id"])
