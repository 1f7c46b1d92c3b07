"""The background tasks of the marketplace: the embeddings of listings, and keeping listings up to date."""

from __future__ import annotations

from uuid import UUID

from django.conf import settings

from evaluation.models import GoldenQuestion
from lexic.celery import app
from lexic.publish_task import publish_task
from lexic.task_queues import without_message
from marketplace.catalogue import listing_refresh
from marketplace.listings import listing_embeddings
from marketplace.listings.review_counts import repair_review_counts
from marketplace.models import Listing, PublishingRun, ReleaseApproval
from marketplace.plugin_page.sample_answers import current_sample
from marketplace.publishing import approval_mails
from marketplace.publishing.background_publish import continue_publishing
from marketplace.publishing.close_answered_questions import close_answered_questions
from marketplace.sharing import release_files
from plugins.models import Plugin


@app.task(name="marketplace.complete_listing", acks_late=True)
def complete_listing(*, plugin_id: str, **kwargs: object) -> None:
    """The vector of what it says, and the sample answer. The same afterwards, however often the message comes."""
    plugin = Plugin.objects.listed().filter(pk=plugin_id).first()
    if plugin is None:
        return
    listing_embeddings.embed_listing(plugin)
    Listing.objects.filter(pk=plugin.pk).update(sample=current_sample(plugin))


@app.task(name="marketplace.refresh_listings")
def refresh_listings(**kwargs: object) -> None:
    """Count what was asked, and relist what is stale; where there are samples, look whether they are of it."""
    relisted = listing_refresh.refresh_stale_listings()
    marked = GoldenQuestion.objects.filter(plugin__in=relisted, is_public=True).order_by()
    # Whose last mark was taken off has a sample that is none any more.
    shown = Listing.objects.filter(pk__in=[plugin.pk for plugin in relisted]).exclude(sample={})
    for plugin_id in {*marked.values_list("plugin_id", flat=True), *shown.values_list("pk", flat=True)}:
        publish_task("marketplace.complete_listing", plugin_id=str(plugin_id))


@app.task(name="marketplace.forget_shared_files")
def forget_shared_files(**kwargs: object) -> None:
    """What was written for others to copy goes when they may not copy it any more."""
    release_files.delete_stale_files()


@app.task(name="marketplace.recount_reviews")
def recount_reviews(**kwargs: object) -> None:
    """Put right what the end of an account changed."""
    repair_review_counts()


@app.task(name="marketplace.publish_plugin", acks_late=True)
def publish_plugin(*, run_id: str, **kwargs: object) -> None:
    """Run the golden questions that are left, and publish. The same afterwards, however often the message comes."""
    continue_publishing(UUID(run_id))


@app.task(name="marketplace.close_answered", acks_late=True)
def close_answered_task(*, plugin_id: str, **kwargs: object) -> None:
    """What waited in the inbox and is answered now. The same afterwards, however often the message comes."""
    close_answered_questions(UUID(plugin_id))


@app.task(name="marketplace.mail_approval")
def mail_approval(*, approval_id: int, **kwargs: object) -> None:
    """Tell those whom a request for an approval, or the decision on one, is about."""
    people = ("plugin__organisation", "requested_by")
    if approval := ReleaseApproval.objects.select_related(*people).filter(pk=approval_id).first():
        approval_mails.mail_approval(approval)


@app.task(name="marketplace.resume_publishing")
def resume_publishing(**kwargs: object) -> None:
    """Have a worker go on with what was interrupted and has no message waiting."""
    runs = [str(pk) for pk in PublishingRun.objects.interrupted().values_list("pk", flat=True)]
    queue = settings.CELERY_TASK_DEFAULT_QUEUE
    for pk in without_message(runs, queue=queue, task=publish_plugin.name, argument="run_id"):
        publish_task(publish_plugin.name, run_id=pk)
