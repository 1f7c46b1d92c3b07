"""The worker takes up runs whose process has died, and that nobody reads."""

from __future__ import annotations

from asgiref.sync import async_to_sync
from celery import shared_task

from agents.execution import work_on
from agents.models import AgentRun
from lexic.celery import publish_task


@shared_task(name="agents.take_up_interrupted")
def take_up_interrupted(**kwargs: object) -> None:
    """Has a task work on each, so that one waits for no other."""
    for pk in AgentRun.objects.interrupted().values_list("pk", flat=True):
        publish_task("agents.take_up", expires=60, run_id=str(pk))


@shared_task(name="agents.take_up")
def take_up(*, run_id: str, **kwargs: object) -> None:
    """Works on the run until it has ended, where no other process has taken it up."""
    run = AgentRun.objects.filter(pk=run_id).first()
    if run is not None and run.take_over():
        async_to_sync(work_on)(run)
