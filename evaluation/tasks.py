"""The background task that runs golden questions when there are too many to wait for."""

from __future__ import annotations

import logging
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from evaluation.golden import run_progress
from evaluation.golden.golden_dataset import NoGoldenQuestions
from evaluation.golden.golden_runs import run_golden
from evaluation.models import EvaluationRun, GoldenQuestion
from knowledge.lease import abandoned, try_lease
from lexic.celery import app
from lexic.errors import LexicError
from lexic.publish_task import publish_task
from lexic.task_queues import without_message
from plugins.models import Plugin
from querying import releases

logger = logging.getLogger(__name__)

# Until somebody looks again whether the other worker is done.
WAIT_SECONDS = 30
# Workers that may stop at a run without a word: whatever kills them would kill the next one.
MAX_STARTS = 3
_LEASE_PREFIX = "golden:"


def enqueue_golden(plugin_id: UUID) -> bool:
    """Have a worker run the plugin's golden questions on its draft. False: there is no broker to take it."""
    asked_at = timezone.now().isoformat()
    # Before it is sent: a worker may be done with a few of them before this returns.
    run_progress.start_progress(plugin_id, total=GoldenQuestion.objects.filter(plugin=plugin_id).count())
    is_sent = publish_task("querying.run_golden_questions", plugin_id=str(plugin_id), asked_at=asked_at)
    if not is_sent:
        run_progress.clear_progress(plugin_id)
    return is_sent


@app.task(name="querying.run_golden_questions", acks_late=True)
def run_golden_questions(*, plugin_id: str, asked_at: str, **kwargs: object) -> None:
    """Run them once, however often the message comes: a whole run of the draft that began since is enough. While
    another worker is at them, the message waits: a broker sends that of a long run again, and a second run would cost
    as much."""
    plugin = Plugin.objects.filter(pk=plugin_id).first()
    if plugin is None:
        return
    with try_lease(f"{_LEASE_PREFIX}{plugin.pk}") as is_ours:
        if is_ours:
            _run_if_due(plugin, since=datetime.fromisoformat(asked_at))
        else:
            run_golden_questions.apply_async(
                kwargs={"plugin_id": plugin_id, "asked_at": asked_at}, countdown=WAIT_SECONDS
            )


@app.task(name="evaluation.resume_golden_runs")
def resume_golden_runs(**kwargs: object) -> None:
    """Have a worker begin the runs again whose worker was killed, and that have no message waiting. The broker would
    do so a quarter of an hour later."""
    begun = abandoned(_LEASE_PREFIX)
    there = Plugin.objects.filter(pk__in=begun).values_list("pk", flat=True)
    task, queue = run_golden_questions.name, settings.CELERY_TASK_DEFAULT_QUEUE
    for pk in without_message([str(pk) for pk in there], queue=queue, task=task, argument="plugin_id"):
        publish_task(task, plugin_id=pk, asked_at=begun[pk].isoformat())


def _run_if_due(plugin: Plugin, *, since: datetime) -> None:
    whole_runs = EvaluationRun.objects.filter(plugin=plugin, release=None).exclude(content="")
    if whole_runs.filter(started__gte=since).exists():
        run_progress.clear_progress(plugin.pk)
        return
    if run_progress.count_start(plugin.pk) > MAX_STARTS:
        run_progress.fail_progress(plugin.pk, f"{MAX_STARTS} workers stopped without a word.")
        return
    try:
        run_golden(releases.snapshot(plugin), with_progress=run_progress.track_questions(plugin.pk))
    except NoGoldenQuestions:
        logger.info("the golden questions of %s are gone", plugin.slug)
    except Exception as error:
        reason = error.message if isinstance(error, LexicError) else "It broke off; the worker's log says why."
        run_progress.fail_progress(plugin.pk, reason)
        raise
    finally:
        run_progress.clear_starts(plugin.pk)
    run_progress.clear_progress(plugin.pk)
