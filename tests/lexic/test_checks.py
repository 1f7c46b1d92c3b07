from __future__ import annotations

from pathlib import Path

import pytest
from django.core.checks import run_checks
from django.test import override_settings


def warnings() -> set[str]:
    return {
        str(message.id)
        for message in run_checks(include_deployment_checks=True)
        if str(message.id).startswith("lexic.")
    }


def test_what_is_fine_on_a_desk_is_a_warning_in_production(tmp_path: Path) -> None:
    (tmp_path / "secret_key.txt").write_text("kept beside the data")
    careless = {
        "LEXIC_LLM": "extractive",
        "LEXIC_EMBEDDER": "local",
        "PUBLIC_URL": "http://example.org",
        "DATABASE_URL": "postgresql://elsewhere/lexic",
        "SECRET_KEY": "kept beside the data",
        "VAR_DIR": tmp_path,
        "DEBUG": True,
        "ACCOUNT_EMAIL_VERIFICATION": "optional",
    }
    with override_settings(**careless):
        assert warnings() == {f"lexic.W00{number}" for number in range(1, 7)}


def test_a_careful_production_has_no_warnings(tmp_path: Path) -> None:
    careful = {
        "LEXIC_LLM": "openai",
        "LEXIC_EMBEDDER": "openai:text-embedding-3-small",
        "PUBLIC_URL": "https://example.org",
        "DATABASE_URL": "postgresql://elsewhere/lexic",
        "VAR_DIR": tmp_path,
        "DEBUG": False,
        "ACCOUNT_EMAIL_VERIFICATION": "mandatory",
    }
    with override_settings(**careful):
        assert warnings() == set()


@pytest.mark.parametrize("backend", ["", "smtp", "lexic.mail.Nonsense"])
def test_a_mail_backend_that_is_none_is_an_error_at_the_start(backend: str) -> None:
    with override_settings(EMAIL_BACKEND=backend):
        [error] = [message for message in run_checks() if message.id == "lexic.E008"]
    assert backend in error.msg


@pytest.mark.parametrize("name", ["SECRET_KEY", "ENCRYPTION_KEY"])
def test_a_short_secret_is_an_error_at_the_start(name: str) -> None:
    with override_settings(**{name: "fifteen letters"}):
        [error] = [message for message in run_checks() if message.id == "lexic.E009"]
    assert name in error.msg
    assert "fifteen" not in f"{error.msg} {error.hint}"


@pytest.mark.parametrize("name", ["nonsense", "server:bge-m3", "openai:unknown-model"])
def test_an_embedder_that_is_none_is_an_error_at_the_start(name: str) -> None:
    with override_settings(LEXIC_EMBEDDER=name):
        [error] = [message for message in run_checks() if message.id == "lexic.E010"]
    assert "LEXIC_EMBEDDER" in error.msg


def test_nothing_is_said_on_a_desk() -> None:
    assert [message for message in run_checks() if str(message.id).startswith("lexic.")] == []
