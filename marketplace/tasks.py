"""What a worker does for the marketplace: what a listing needs that takes a model, and keeping all of them true."""

from __future__ import annotations

import logging
from datetime import timedelta

from celery import shared_task
from django.utils import timezone

from evaluation.models import GoldenQuestion
from knowledge.prune import FILE_GRACE, delete_orphaned_files, orphaned_files
from lexic.celery import publish_task
from marketplace.catalogue import listing_refresh
from marketplace.listings import listing_embeddings
from marketplace.listings.review_counts import repair_review_counts
from marketplace.models import Listing
from marketplace.plugin_page.sample_answers import current_sample
from marketplace.retention import storage_sweep
from marketplace.sharing import release_files
from plugins.models import Plugin
from plugins.retention import expired_rows, site_retention_days
from querying.models import Query

logger = logging.getLogger(__name__)


@shared_task(name="marketplace.complete_listing", acks_late=True)
def complete_listing(*, plugin_id: str, **kwargs: object) -> None:
    """The vector of what it says, and the sample answer. The same afterwards, however often the message comes."""
    plugin = Plugin.objects.listed().filter(pk=plugin_id).first()
    if plugin is None:
        return
    listing_embeddings.embed_listing(plugin)
    Listing.objects.filter(pk=plugin.pk).update(sample=current_sample(plugin))


@shared_task(name="marketplace.refresh_listings")
def refresh_listings(**kwargs: object) -> None:
    """Count what was asked, and relist what is stale; where there are samples, look whether they are of it."""
    relisted = listing_refresh.refresh_stale_listings()
    marked = GoldenQuestion.objects.filter(plugin__in=relisted, is_public=True).order_by()
    # Whose last mark was taken off has a sample that is none any more.
    shown = Listing.objects.filter(pk__in=[plugin.pk for plugin in relisted]).exclude(sample={})
    for plugin_id in {*marked.values_list("plugin_id", flat=True), *shown.values_list("pk", flat=True)}:
        publish_task("marketplace.complete_listing", plugin_id=str(plugin_id))


@shared_task(name="marketplace.forget_shared_files")
def forget_shared_files(**kwargs: object) -> None:
    """What was written for others to copy goes when they may not copy it any more."""
    release_files.delete_stale_files()


@shared_task(name="marketplace.recount_reviews")
def recount_reviews(**kwargs: object) -> None:
    """Put right what the end of an account changed."""
    repair_review_counts()


@shared_task(name="marketplace.delete_files", acks_late=True)
def delete_files(*, hashes: list[str], **kwargs: object) -> None:
    """Delete these stored files, where nothing is read from them any more. Those that are too young, because somebody
    could be adding them this moment, are deleted when they are not."""
    delete_orphaned_files(hashes)
    if left := orphaned_files(hashes, older_than=timedelta()):
        publish_task("marketplace.delete_files", countdown=FILE_GRACE.total_seconds(), hashes=left)


@shared_task(name="marketplace.erase_old_questions")
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


@shared_task(name="marketplace.sweep_storage")
def sweep_storage_task(**kwargs: object) -> None:
    """Delete the files that nothing names any more, and log those that are missing."""
    report = storage_sweep.sweep_storage()
    for missing in report.missing_files:
        logger.warning("the file %s of %s is missing", missing.sha256, ", ".join(missing.documents))
