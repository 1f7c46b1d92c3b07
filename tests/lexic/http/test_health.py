from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import RequestFactory
from django.test.utils import override_settings

from lexic import diagnostics
from lexic.http import health
from tests.full_disk import full_disk

__all__ = ["full_disk"]

request = RequestFactory()


@pytest.fixture(autouse=True)
def _forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_migrated", False)


def test_alive_asks_no_database() -> None:
    # Without the `db` fixture any query would fail.
    response = health.healthz(request.get("/healthz"))
    assert (response.status_code, json.loads(response.content)) == (200, {"status": "ok"})


def test_only_looking_is_allowed() -> None:
    assert health.healthz(request.post("/healthz")).status_code == 405


@pytest.mark.django_db
def test_ready_when_all_parts_are() -> None:
    response = health.readyz(request.get("/readyz"))
    parts = {"database": "ok", "pgvector": "ok", "migrations": "ok", "redis": "ok", "files": "ok"}
    assert json.loads(response.content) == {"status": "ready", "parts": parts}
    assert "no-store" in response["Cache-Control"]


@pytest.mark.django_db
def test_without_redis_it_is_ready_and_says_which_part_fails_and_no_secret() -> None:
    with override_settings(CACHE_URL="redis://:hunter2@127.0.0.1:1/0"):
        response = health.readyz(request.get("/readyz"))
    assert (response.status_code, json.loads(response.content)["status"]) == (200, "degraded")
    assert json.loads(response.content)["parts"]["redis"] == "failed"
    assert b"hunter2" not in response.content


@pytest.mark.django_db
def test_a_full_disk_of_the_files_is_noticed(full_disk: Path, settings: Any) -> None:
    settings.LEXIC_FILES_DIR = full_disk
    response = health.readyz(request.get("/readyz"))
    assert (response.status_code, json.loads(response.content)["parts"]["files"]) == (200, "failed")
    found = {name: diagnostics.run_check(name) for name in ("disk", "files")}
    assert [result.status for result in found.values()] == ["problem", "problem"]
    assert found["files"].detail == f"No file can be written to {full_disk}: No space left on device."


@pytest.mark.django_db
def test_not_ready_without_a_database(monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> str:
        raise OperationalError("connection refused: password=hunter2")

    monkeypatch.setitem(diagnostics._checks, "database", away)
    response = health.readyz(request.get("/readyz"))
    parts = {"database": "failed", "pgvector": "failed", "migrations": "failed", "redis": "ok", "files": "ok"}
    assert (response.status_code, json.loads(response.content)) == (503, {"status": "unavailable", "parts": parts})


@pytest.mark.django_db
def test_a_migration_that_is_missing_is_noticed(undone: None) -> None:
    response = health.readyz(request.get("/readyz"))
    assert json.loads(response.content)["parts"]["migrations"] == "failed"


@pytest.fixture
def undone(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'accounts'")


@pytest.mark.django_db
def test_doctor_finds_every_part_and_names_what_to_do() -> None:
    found = {finding.name: finding for finding in diagnostics.run_checks()}
    expected = {"python", "packages", "disk", "files", "database", "pgvector", "migrations", "redis", "worker"}
    expected |= {"embedder", "documents", "leases", "limits", "environment", "tracing", "replica", "backups", "audit"}
    expected |= {"uploads", "secrets"}
    assert set(found) == expected
    assert found["database"].status == found["pgvector"].status == found["documents"].status == "ok"


def test_a_check_that_breaks_is_a_problem_and_not_the_end() -> None:
    with override_settings(CACHE_URL="redis://127.0.0.1:1/0"):
        found = diagnostics.run_check("redis")
    assert found.status == "problem"
    assert "ConnectionError" in found.detail
