"""The Prometheus instruments of `lexic.metrics`. Import this only after the folder of multi-process metrics is set."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, values
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

from lexic.gauges import all_gauges
from lexic.metric_files import process_name

# Containers of one machine may share the folder, and in each of them the numbers of processes begin at 1.
values.ValueClass = values.MultiProcessValue(process_name)

_QUICK = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_LONG = (0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600)

requests = Counter("lexic_http_requests", "Requests that were answered.", ["method", "route", "status"])
request_seconds = Histogram("lexic_http_request_seconds", "Seconds until a response began.", ["route"], buckets=_QUICK)
questions = Counter("lexic_questions", "Questions that are over, by how they ended.", ["outcome", "llm"])
question_seconds = Histogram("lexic_question_seconds", "Seconds of a whole question.", ["outcome"], buckets=_QUICK)
step_seconds = Histogram("lexic_question_step_seconds", "Seconds of a step of a question.", ["step"], buckets=_QUICK)
tokens = Counter("lexic_model_tokens", "Tokens of language models for questions.", ["llm", "direction"])
ocr_pages = Counter("lexic_ocr_pages", "Pages that were read by OCR.")
ocr_cpu_seconds = Counter("lexic_ocr_cpu_seconds", "Processor seconds that reading pages by OCR took.")
tasks = Counter("lexic_tasks", "Tasks that workers are done with.", ["task", "state"])
task_seconds = Histogram("lexic_task_seconds", "Seconds of a task.", ["task"], buckets=_LONG)
task_wait_seconds = Histogram(
    "lexic_task_wait_seconds", "Seconds that a task waited for a worker.", ["task"], buckets=_LONG
)
concurrency = Gauge(
    "lexic_concurrency",
    "Of web processes: what has entered, what is worked on, and how much could be.",
    ["kind", "state"],
    multiprocess_mode="livesum",
)


class GaugeCollector(Collector):
    """What `lexic.gauges` measures, measured anew each time."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        for gauge in all_gauges():
            family = GaugeMetricFamily(gauge.name, gauge.help, labels=[gauge.label] if gauge.label else [])
            for value, number in gauge.numbers().items():
                family.add_metric([value] if gauge.label else [], number)
            yield family


def registry(folder: Path) -> CollectorRegistry:
    """What all processes have written into the folder."""
    collected = CollectorRegistry()
    MultiProcessCollector(collected, path=str(folder))
    return collected


def forget_process(name: str) -> None:
    """What a process that has ended is in the midst of counts no more; what it has done stays."""
    mark_process_dead(name)
