"""The worker resumes runs whose process has died and that no reader has resumed."""

from __future__ import annotations

from uuid import UUID

from agents.execution import background_runs
from agents.models import AgentRun
from lexic.celery import app
from lexic.publish_task import publish_task


@app.task(name="agents.resume_interrupted")
def resume_interrupted(**kwargs: object) -> None:
    """Has a task take up each, so that several workers share them."""
    for pk in AgentRun.objects.interrupted().values_list("pk", flat=True):
        publish_task("agents.resume", expires=60, run_id=str(pk))


@app.task(name="agents.resume")
def resume(*, run_id: str, **kwargs: object) -> None:
    """Begins to work on the run, where no other process has taken it up. The task ends at once: a run may wait for a
    review that this very worker makes, and is taken up by another process where this one ends."""
    background_runs.resume_if_abandoned(UUID(run_id))
