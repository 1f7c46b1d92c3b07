"""The background tasks that delete what may not be kept longer. The tasks keep names under which older messages may
still wait in the queue."""

from __future__ import annotations

import logging
from datetime import timedelta

from django.utils import timezone

from knowledge.prune import FILE_GRACE, delete_orphaned_files, orphaned_files
from lexic.celery import app
from lexic.publish_task import publish_task
from lexic.storage import StorageUnavailable
from plugins.retention import expired_rows, site_retention_days
from privacy import storage_sweep
from querying.models import Query

logger = logging.getLogger(__name__)


@app.task(
    name="marketplace.delete_files",
    acks_late=True,
    autoretry_for=(StorageUnavailable,),
    retry_backoff=10,  # seconds; doubles with every attempt
    max_retries=5,
)
def delete_files(*, hashes: list[str], **kwargs: object) -> None:
    """Delete these stored files, where nothing is read from them any more. Those that are too young, because somebody
    could be adding them this moment, are deleted when they are not. Tries again while the storage is away; what is left
    after that, the sweep deletes."""
    delete_orphaned_files(hashes)
    if left := orphaned_files(hashes, older_than=timedelta()):
        publish_task("marketplace.delete_files", countdown=FILE_GRACE.total_seconds(), hashes=left)


@app.task(name="marketplace.erase_old_questions")
def erase_old_questions(**kwargs: object) -> int:
    """Erase the words and answers of questions that are older than their plugin keeps them; what was asked in private,
    and so of no plugin, as this site keeps questions. Returns how many."""
    now = timezone.now()
    expired = expired_rows(Query.objects.all(), kind="questions", date_field="created_at", now=now)
    count = expired.erase_content(now=now)
    if days := site_retention_days("questions"):
        old = Query.objects.private().filter(created_at__lt=now - timedelta(days=days))
        count += old.erase_content(now=now)
    return count


@app.task(name="marketplace.sweep_storage")
def sweep_storage_task(**kwargs: object) -> None:
    """Delete the files that nothing names any more, and log those that are missing."""
    report = storage_sweep.sweep_storage()
    for missing in report.missing_files:
        logger.warning("the file %s of %s is missing", missing.sha256, ", ".join(missing.documents))
