from __future__ import annotations

from celery import shared_task

from audit.prune import prune_log


@shared_task(name="audit.prune")
def prune_audit_log() -> None:
    prune_log()
