"""Figures for Prometheus: what is counted while Lexic works, and what is measured when somebody asks.

Nothing is counted, and `prometheus_client` is not even imported, where neither LEXIC_METRICS_TOKEN nor
LEXIC_METRICS_PORT is set. The processes of a machine, or of the containers that share a disk, write into files of one
folder (`lexic.metric_files`), so any of them can answer for all.
No label holds anything that people write: routes, steps, outcomes, tasks and models are all that there is.
"""

from __future__ import annotations

import functools
import hmac
import logging
import os
import time
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any

from django.conf import settings

from lexic import metric_files

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

logger = logging.getLogger(__name__)

PATH = "/metrics"
_SHOWN_SECONDS = 60.0
_shown_at = float("-inf")


def is_on() -> bool:
    """Whether anything is counted: look before you measure."""
    return bool(settings.METRICS["token"] or settings.METRICS["port"])


def may_read(authorization: str) -> bool:
    """Whether a request with this `Authorization` is shown the figures."""
    token = settings.METRICS["token"]
    return bool(token) and hmac.compare_digest(authorization.encode(), f"Bearer {token}".encode())


def count_request(*, method: str, route: str, status: int, seconds: float) -> None:
    """A request that was answered, by the route that it took; `seconds` until its response began."""
    if is_on():
        show_running()
        known = method if method in _METHODS else "OTHER"
        _instruments().requests.labels(known, route, str(status)).inc()
        _instruments().request_seconds.labels(route).observe(seconds)


def count_question(*, outcome: str, llm: str, seconds: float, steps: Iterable[tuple[str, float]]) -> None:
    """A question that is over, and the seconds that each of its steps took."""
    if is_on():
        _instruments().questions.labels(outcome, llm).inc()
        _instruments().question_seconds.labels(outcome).observe(seconds)
        for step, took in steps:
            _instruments().step_seconds.labels(step).observe(took)


def count_tokens(*, llm: str, read: int, written: int) -> None:
    """The tokens that a language model read and wrote for a question."""
    if is_on():
        _instruments().tokens.labels(llm, "read").inc(read)
        _instruments().tokens.labels(llm, "written").inc(written)


def count_ocr(*, pages: int, cpu_seconds: float) -> None:
    """Pages that OCR has read, and the processor seconds that they took."""
    if is_on():
        _instruments().ocr_pages.inc(pages)
        _instruments().ocr_cpu_seconds.inc(cpu_seconds)


def count_task(*, task: str, state: str, seconds: float) -> None:
    """A task that a worker is done with; `state` is Celery's word."""
    if is_on():
        _instruments().tasks.labels(task, state).inc()
        _instruments().task_seconds.labels(task).observe(seconds)


def count_task_wait(*, task: str, seconds: float) -> None:
    """How long a task waited for a worker."""
    if is_on():
        _instruments().task_wait_seconds.labels(task).observe(seconds)


def show_concurrency(kind: str, counts: Mapping[str, int]) -> None:
    """What a limit of this process holds at the moment (`lexic.concurrency`)."""
    if is_on():
        for state, number in counts.items():
            _instruments().concurrency.labels(kind, state).set(number)


def show_running() -> None:
    """Says once a minute that the processes of this machine run. Called with each request, and by workers all the
    time."""
    global _shown_at
    if is_on() and time.monotonic() - _shown_at >= _SHOWN_SECONDS:
        _shown_at = time.monotonic()
        metric_files.touch_running(settings.METRICS["folder"])


def render() -> bytes:
    """What the processes of this machine have counted, and what is measured now, in the text format of Prometheus."""
    from prometheus_client import generate_latest

    collected = registry()
    collected.register(_instruments().GaugeCollector())
    return generate_latest(collected)


def registry() -> CollectorRegistry:
    """What the processes that write into the folder have counted."""
    instruments: Any = _instruments()
    folder = settings.METRICS["folder"]
    show_running()
    metric_files.remove_forgotten(folder)
    for name in metric_files.ended_processes(folder):
        instruments.forget_process(name)
    collected: CollectorRegistry = instruments.registry(folder)
    return collected


def serve_counted() -> None:
    """Answers on the port of LEXIC_METRICS_PORT, in a thread: for machines without a web process. Where the port is
    taken, another process of this machine answers for all."""
    from prometheus_client import start_http_server

    try:
        start_http_server(settings.METRICS["port"], registry=registry())
    except OSError as error:
        logger.info("the port of LEXIC_METRICS_PORT is taken: %s", error.strerror)


def clear_folder() -> None:
    """Begins to count anew. Only right while no process counts."""
    for path in settings.METRICS["folder"].glob("*.db"):
        path.unlink(missing_ok=True)


_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


@functools.cache
def _instruments() -> ModuleType:
    """The library reads the folder from the environment when it is imported."""
    folder = settings.METRICS["folder"]
    folder.mkdir(parents=True, exist_ok=True)
    metric_files.remove_nameless(folder)
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)
    from lexic import metric_instruments

    return metric_instruments
