"""Figures are counted where they are asked for, by all processes together, and shown to whoever has the token."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from asgiref.sync import async_to_sync
from django.test import Client
from django.urls import resolve
from prometheus_client.parser import text_string_to_metric_families

from lexic import gauges, metric_files, metrics, task_queues
from lexic.celery import app
from lexic.gauges import measure_gauge, register_gauge
from plugins.models import Plugin
from querying import pipeline, releases
from querying.types.question import Caller, Question
from tests.cover import plugin, published
from tests.lexic.running import ROOT, environment
from tests.querying.scripted import Scripted
from tests.servers import asgi_server

__all__ = ["plugin", "published"]
TOKEN = "only-for-prometheus"
WEATHER = "What is the minimum cover for a beam exposed to weather?"


@pytest.fixture
def counted(settings: Any) -> None:
    """The library counts into the folder that was set when it was imported: the same one for all tests."""
    settings.METRICS = {**settings.METRICS, "token": TOKEN}


def number(name: str, **labels: str) -> float:
    """What is shown of the series with these labels, all others added up."""
    families = text_string_to_metric_families(metrics.render().decode())
    samples = [sample for family in families for sample in family.samples if sample.name == name]
    return sum(sample.value for sample in samples if labels.items() <= sample.labels.items())


@pytest.fixture
def url(counted: None, published: Plugin) -> Iterator[str]:
    with asgi_server() as url:
        yield url


@pytest.mark.django_db(transaction=True)
def test_only_whoever_has_the_token_is_shown_the_figures(url: str) -> None:
    with httpx2.Client(trust_env=False, timeout=60, base_url=url) as client:
        for sent in ({}, {"Authorization": "Bearer wrong-for-prometheus"}, {"Authorization": f"Basic {TOKEN}"}):
            refused = client.get("/metrics", headers=sent)
            assert refused.status_code == 404
            assert "lexic_" not in refused.text
        # Prometheus asks by the address of a pod, which is no host of the site.
        shown = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}", "Host": "10.0.0.7:8000"})
    assert shown.status_code == 200
    assert shown.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert 'lexic_check_passed{check="database"} 1.0' in shown.text


@pytest.mark.django_db(transaction=True)
def test_requests_are_counted_by_route_and_never_by_address(url: str) -> None:
    route = resolve("/marketplace/quillfeather").route
    assert "quillfeather" not in route
    mcp = number("lexic_http_requests_total", route="mcp")
    with httpx2.Client(trust_env=False, timeout=60, base_url=url) as client:
        client.get("/marketplace/quillfeather?q=quillfeather")
        client.get("/quillfeather")
        client.request("QUILLFEATHER", "/")
        client.post("/mcp", content=b"{")
    assert number("lexic_http_requests_total", route="mcp") == mcp + 1
    assert number("lexic_http_requests_total", method="OTHER") >= 1
    assert number("lexic_http_requests_total", route=route, status="404") >= 1
    assert number("lexic_http_requests_total", route="(none)", status="404") >= 1
    assert "quillfeather" not in metrics.render().decode().lower()


@pytest.mark.django_db
def test_a_question_is_counted_with_its_steps_and_tokens(counted: None, published: Plugin) -> None:
    release = releases.resolve(published.slug, principal=published.owner)
    llm = Scripted("The nominal cover is 45 mm [Source 1].")
    llm.is_offline = False
    for is_evaluation in (False, True):
        before = {step: number("lexic_question_step_seconds_count", step=step) for step in ("retrieve", "generate")}
        asked = number("lexic_questions_total", outcome="answered", llm=llm.name)
        caller = Caller(name="test", is_evaluation=is_evaluation)
        async_to_sync(pipeline.answer)(Question(text=WEATHER, release=release, caller=caller), llm=llm)
        more = 0 if is_evaluation else 1
        assert number("lexic_questions_total", outcome="answered", llm=llm.name) == asked + more
        for step, count in before.items():
            assert number("lexic_question_step_seconds_count", step=step) == count + more


def test_what_waits_in_a_queue_is_measured_with_its_age(monkeypatch: pytest.MonkeyPatch) -> None:
    queue = "test-ages"
    monkeypatch.setattr(task_queues, "QUEUES", (queue, "test-empty"))
    with app.connection_for_write() as connection:
        connection.default_channel.client.delete(queue)
    app.send_task("tests.first", queue=queue)
    first = measure_gauge("lexic_queue_oldest_seconds")[queue]
    app.send_task("tests.second", queue=queue)
    assert measure_gauge("lexic_queue_waiting_tasks") == {queue: 2, "test-empty": 0}
    ages = measure_gauge("lexic_queue_oldest_seconds")
    assert first < ages[queue] < 300  # of the first, though another one came
    assert ages["test-empty"] == 0
    with app.connection_for_write() as connection:
        connection.default_channel.client.delete(queue)


@pytest.mark.django_db
def test_a_gauge_that_fails_takes_no_other_with_it(
    counted: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    list(gauges.all_gauges())
    monkeypatch.setattr(gauges, "_gauges", dict(gauges._gauges))
    register_gauge("lexic_broken", "It fails.")(lambda: 1 / 0)
    assert number("lexic_version_info") == 1
    assert "lexic_broken could not be measured" in caplog.text


_COUNT = """
import django, os, sys
django.setup()
from lexic import metrics
metrics.count_task(task="t", state="success", seconds=1)
metrics.count_ocr(pages=2, cpu_seconds=3.5)
metrics.show_concurrency("questions", {"entered": 3})
if len(sys.argv) > 1:
    print(metrics.render().decode())
"""


_IN_A_CONTAINER = """
import os, socket, sys
host = sys.argv.pop(1)
socket.gethostname = lambda: host
os.getpid = lambda: 1
"""


def test_the_containers_of_a_machine_count_together(tmp_path: Path) -> None:
    variables = environment(
        tmp_path, LEXIC_METRICS_TOKEN=TOKEN, DJANGO_SETTINGS_MODULE="lexic.settings", DATABASE_URL="postgres://x@y/z"
    )
    folder = tmp_path / "metrics"
    folder.mkdir(exist_ok=True)
    (folder / "counter_1.db").write_bytes(b"\x20\0\0\0\0\0\0\0what two processes have written into one file")

    def count(host: str, *arguments: str) -> str:
        program = [sys.executable, "-c", _IN_A_CONTAINER + _COUNT, host, *arguments]
        return subprocess.run(program, cwd=ROOT, env=variables, capture_output=True, text=True, check=True).stdout

    count("worker_1")
    shown = count("web.example", "show")
    assert 'lexic_tasks_total{state="success",task="t"} 2.0' in shown
    assert 'lexic_concurrency{kind="questions",state="entered"} 6.0' in shown, "nobody knows that the other one ended"
    [other] = folder.glob("gauge_live*_worker-1-1.db")
    silent_since(other, minutes=6)
    shown = count("web.example", "show")
    assert 'lexic_concurrency{kind="questions",state="entered"} 3.0' in shown
    assert 'lexic_tasks_total{state="success",task="t"} 3.0' in shown, "what it has done stays"
    for path in folder.glob("*_worker-1-1.db"):
        silent_since(path, minutes=25 * 60)
    assert 'lexic_tasks_total{state="success",task="t"} 3.0' in count("web.example", "show")
    assert not list(folder.glob("*_worker-1-1.db")), "the container was replaced"


def silent_since(path: Path, *, minutes: float) -> None:
    at = time.time() - minutes * 60
    os.utime(path, (at, at))


def test_a_process_that_has_nothing_to_count_is_not_taken_for_one_that_has_ended(tmp_path: Path) -> None:
    mine, ended = (tmp_path / f"gauge_livesum_{host}.db" for host in (metric_files.process_name(), "elsewhere-1"))
    for path in (mine, ended):
        path.touch()
        silent_since(path, minutes=10)
    metric_files.touch_running(tmp_path)
    assert time.time() - mine.stat().st_mtime < 60
    assert list(metric_files.ended_processes(tmp_path)) == ["elsewhere-1"]


def test_the_processes_of_a_machine_count_together(tmp_path: Path) -> None:
    variables = environment(
        tmp_path, LEXIC_METRICS_TOKEN=TOKEN, DJANGO_SETTINGS_MODULE="lexic.settings", DATABASE_URL="postgres://x@y/z"
    )

    def count(*arguments: str) -> str:
        program = [sys.executable, "-c", _COUNT, *arguments]
        return subprocess.run(program, cwd=ROOT, env=variables, capture_output=True, text=True, check=True).stdout

    count()
    shown = count("show")
    assert 'lexic_tasks_total{state="success",task="t"} 2.0' in shown
    assert "lexic_ocr_pages_total 4.0" in shown
    assert "lexic_ocr_cpu_seconds_total 7.0" in shown
    # What the first was in the midst of ended with it.
    assert 'lexic_concurrency{kind="questions",state="entered"} 3.0' in shown


def test_without_the_setting_nothing_is_counted_and_nothing_is_imported(tmp_path: Path) -> None:
    program = _COUNT + "print('prometheus_client' in sys.modules)"
    variables = environment(tmp_path, DJANGO_SETTINGS_MODULE="lexic.settings")
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=variables, capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
    assert not (tmp_path / "metrics").exists()


@pytest.mark.django_db
def test_there_is_no_page_for_the_figures_where_they_are_not_counted() -> None:
    assert Client().get("/metrics", headers={"authorization": "Bearer "}).status_code == 404
    assert not metrics.may_read("Bearer ")
