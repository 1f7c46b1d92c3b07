"""`manage.py doctor` names what has no effect here."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest

from lexic.celery import app
from lexic.diagnostics import run_check, run_checks
from lexic.health_checks import unused_variables
from tests.lexic.fresh_settings import ROOT

JURISLM = {
    "DATABASE_URL": "postgresql://here/one",
    "SHARED_DATABASE_URL": "postgresql://here/two",
    "GOOGLE_CLIENT_ID": "g",
    "GOOGLE_CLIENT_SECRET": "g",
    "NEXTAUTH_SECRET": "n0t-sh0wn",
    "NEXTAUTH_URL": "http://localhost:3000",
    "ANTHROPIC_API_KEY": "sk-ant-n0t-sh0wn",
    "OLLAMA_MODEL": "ministral-3:latest",
    "OLLAMA_BASE_URL": "http://localhost:11434",
    "EMBEDDING_PROVIDER": "ollama",
    "EMBEDDING_URL": "http://localhost:11434",
    "LANGFUSE_HOST": "https://cloud.langfuse.com",
}


def test_jl_061_of_a_whole_environment_what_is_not_used_is_named() -> None:
    unused = dict(unused_variables(JURISLM))
    assert set(unused) == {"SHARED_DATABASE_URL", "NEXTAUTH_SECRET", "NEXTAUTH_URL", "ANTHROPIC_API_KEY"}
    assert "DATABASE_URL" in unused["SHARED_DATABASE_URL"]
    assert "LEXIC_PUBLIC_URL" in unused["NEXTAUTH_URL"]


@pytest.mark.parametrize("key", ["OPENAI_API_KEY", "OPENROUTER_API_KEY"])
def test_an_ollama_beside_a_key_is_not_used(key: str) -> None:
    unused = dict(unused_variables({**JURISLM, key: "k"}))
    assert key in unused["OLLAMA_MODEL"]
    assert key in unused["OLLAMA_BASE_URL"]


def test_an_address_without_a_model_is_not_used() -> None:
    assert dict(unused_variables({"OLLAMA_BASE_URL": "http://gpu"})) == {"OLLAMA_BASE_URL": "set OLLAMA_MODEL as well"}
    assert dict(unused_variables({"NEXTAUTH_URL": "", "PATH": "/bin"})) == {}


def test_a_misspelled_setting_is_named_with_the_one_that_is_meant() -> None:
    misspelled = {"LEXIC_KEEP_QUESTION_DAYS": "30", "LEXIC_AUDIT_ADRESSES": "true", "LEXIC_NONSENSE": "x"}
    assert dict(unused_variables(misspelled)) == {
        "LEXIC_KEEP_QUESTION_DAYS": "did you mean LEXIC_KEEP_QUESTIONS_DAYS?",
        "LEXIC_AUDIT_ADRESSES": "did you mean LEXIC_AUDIT_ADDRESSES?",
        "LEXIC_NONSENSE": "no setting is called so",
    }


def test_no_setting_that_is_documented_is_taken_for_a_misspelled_one() -> None:
    documented = re.findall(r"^# (LEXIC_\w+)=", (ROOT / ".env.example").read_text(), re.MULTILINE)
    assert len(documented) > 100
    assert dict(unused_variables(dict.fromkeys(documented, "x"))) == {}


@pytest.mark.django_db
def test_doctor_says_so_and_no_value_and_finds_nothing_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in JURISLM.items():
        if name != "DATABASE_URL":
            monkeypatch.setenv(name, value)
    assert "environment" in {found.name for found in run_checks()}
    found = run_check("environment")
    assert found.status == "ok"
    assert "NEXTAUTH_SECRET has no effect: set SECRET_KEY" in found.detail
    assert "n0t-sh0wn" not in found.detail


def test_doctor_says_where_traces_go(settings: Any) -> None:
    assert run_check("tracing").status == "skipped"
    on = {"public_key": "pk-1", "secret_key": "sk-n0t-sh0wn", "host": "https://traces.example.org"}
    on = {**on, "endpoint": "", "content": True}
    settings.TRACING = on
    assert run_check("tracing").detail.startswith("to https://traces.example.org, with the words")
    settings.TRACING = {**on, "content": False}
    assert "without the words" in run_check("tracing").detail
    assert "n0t-sh0wn" not in run_check("tracing").detail
    settings.TRACING = {**on, "public_key": "", "endpoint": "http://collector:4318"}
    assert run_check("tracing").detail.startswith("to http://collector:4318")


@pytest.mark.parametrize(
    ("served", "said"),
    [
        (["lexic", "reading", "reviews", "backups"], "1 answered"),
        (["lexic", "reading", "reviews"], "No worker answers, so no backups are made."),
        (["lexic", "reading", "backups"], "No worker answers, so contracts are not reviewed."),
        (
            ["reviews", "backups"],
            "No worker answers, so documents are not read and golden questions and webhooks wait.",
        ),
    ],
)
def test_doctor_names_what_waits_for_a_worker(
    served: list[str], said: str, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.REDIS_URL = "redis://broker.example.org"
    settings.BACKUPS = {**settings.BACKUPS, "to": "/backups"}
    queues = SimpleNamespace(active_queues=lambda: {"one": [{"name": name} for name in served]})
    monkeypatch.setattr(app.control, "inspect", lambda **_: queues)
    assert run_check("worker").detail == said


def test_doctor_wants_no_worker_for_backups_where_none_are_made(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.REDIS_URL = "redis://broker.example.org"
    settings.BACKUPS = {**settings.BACKUPS, "to": ""}
    named = [{"name": name} for name in ("lexic", "reading", "reviews")]
    monkeypatch.setattr(app.control, "inspect", lambda **_: SimpleNamespace(active_queues=lambda: {"one": named}))
    assert run_check("worker").detail == "1 answered"
