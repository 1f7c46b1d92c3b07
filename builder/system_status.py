"""The status of the site for operators: the services that it needs, its queues, and its workers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.http import Http404, HttpResponse
from django.template.response import TemplateResponse
from django.views.decorators.http import require_GET

from accounts.signed_in_request import SignedInRequest
from builder.breadcrumbs import Breadcrumb
from knowledge import ocr_cost
from knowledge.models import Document, DocumentStatus
from lexic import diagnostics, metrics, task_queues
from lexic.errors import LexicError
from lexic.gauges import measure_gauge
from lexic.middleware.request_limit import request_slots
from querying.admission import answer_limit

# Looked at by `manage.py doctor` alone: what cannot change while the process runs, and what builds an embedder.
_NOT_SHOWN = {"python", "packages", "environment", "pgvector", "embedder", "worker"}
_WORKER_SECONDS = 1.0
_QUEUE_WORK = {
    "lexic": "golden questions, webhooks and the timetable",
    "reading": "documents",
    "reviews": "contract reviews",
    "backups": "backups",
}


@dataclass(frozen=True, kw_only=True)
class QueueStatus:
    """One queue of tasks: who serves it, how many wait, and for how many seconds the oldest has."""

    name: str
    work: str
    workers: list[str]
    waiting: int
    oldest_seconds: int


@require_GET
def show_system_status(request: SignedInRequest) -> HttpResponse:
    """For superusers; to anybody else there is no such page. Takes a second, for workers are given one to answer."""
    if not request.user.is_superuser:
        raise Http404
    checks = [check for check in diagnostics.run_checks() if check.name not in _NOT_SHOWN]
    queues = _queues()
    documents = measure_gauge("lexic_documents")
    failing = [check for check in checks if check.status == "problem"]
    unserved = [queue for queue in queues if not queue.workers]
    context: dict[str, Any] = {
        **admin.site.each_context(request),
        "title": "System status",
        "crumbs": [Breadcrumb(title="System status")],
        "checks": sorted(checks, key=lambda check: check.status != "problem"),
        "queues": queues,
        "problems": len(failing) + len(unserved),
        "waiting": sum(queue.waiting for queue in queues),
        "oldest_seconds": max((queue.oldest_seconds for queue in queues), default=0),
        "failed_documents": int(documents.get(DocumentStatus.FAILED, 0)),
        "unfinished_documents": Document.objects.unfinished().count(),
        "ocr": ocr_cost.recent_cost(),
        "limits": [("Questions", answer_limit().counts()), ("Requests", request_slots().counts())],
        "has_metrics": metrics.is_on(),
    }
    return TemplateResponse(request, "builder/system_status.html", context)


def _queues() -> list[QueueStatus]:
    """The lengths of the queues. Without the broker nothing is shown here; the check of Redis reports that."""
    waiting, oldest = measure_gauge("lexic_queue_waiting_tasks"), measure_gauge("lexic_queue_oldest_seconds")
    served = _served_queues()
    return [
        QueueStatus(
            name=name,
            work=_QUEUE_WORK[name],
            workers=sorted(worker for worker, queues in served.items() if name in queues),
            waiting=int(waiting.get(name, 0)),
            oldest_seconds=round(oldest.get(name, 0)),
        )
        for name in task_queues.QUEUES
    ]


def _served_queues() -> dict[str, set[str]]:
    try:
        return diagnostics.served_queues(seconds=_WORKER_SECONDS)
    except (LexicError, OSError, task_queues.BrokerUnavailable):
        return {}
