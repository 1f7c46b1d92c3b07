"""One JSON object a line, with the request and the task, and without what must not be read in a log."""

from __future__ import annotations

import contextvars
import json
import logging
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from accounts import key_secrets
from lexic.json_log import RedactingJsonFormatter
from lexic.middleware.request_id import begin_request
from tests.lexic.running import ROOT, environment

SENTINEL = "quillfeather"


def line(message: str, *args: object, **fields: Any) -> dict[str, Any]:
    record = logging.makeLogRecord({"name": "x", "levelname": "INFO", "msg": message, "args": args, **fields})
    written = RedactingJsonFormatter().format(record)
    assert "\n" not in written
    return json.loads(written)


def test_a_line_says_when_who_and_for_which_request() -> None:
    def answer() -> dict[str, Any]:
        begin_request("mine-7")
        return line("%s is read", "page 1", process=7)

    said = contextvars.copy_context().run(answer)
    assert datetime.fromisoformat(said.pop("time")).tzinfo is not None
    assert said == {
        "level": "INFO",
        "logger": "x",
        "process": 7,
        "message": "page 1 is read",
        "request_id": "mine-7",
    }


def test_a_traceback_is_one_field_without_secrets() -> None:
    secret = key_secrets.generate_secret()
    try:
        raise ValueError(f'"{secret}" of bob@example.org')
    except ValueError:
        said = line("failed", exc_info=sys.exc_info())
    assert said["exception"].endswith(f'"{secret[:11]}…" of [e-mail address]')
    assert "ValueError" in said["exception"]


def test_what_others_attach_to_a_record_is_left_out() -> None:
    said = line("Not Found: %s", "/x", status_code=404, request=f"<GET /x?q={SENTINEL}>", question=SENTINEL)
    assert said["status_code"] == 404
    assert SENTINEL not in str(said)


@pytest.mark.django_db
def test_a_failing_request_logs_its_address_and_id_and_none_of_its_words(caplog: pytest.LogCaptureFixture) -> None:
    caplog.handler.setFormatter(RedactingJsonFormatter())
    Client().post(
        f"/api/v1/query?q={SENTINEL}", {"query": SENTINEL}, "application/json", headers={"x-request-id": "m-8"}
    )
    lines = [json.loads(one) for one in caplog.text.splitlines()]
    assert [one["message"] for one in lines] == ["Unauthorized: /api/v1/query"]
    assert SENTINEL not in caplog.text


@pytest.mark.parametrize("form", ["json", "text"])
def test_the_setting_chooses_the_form_of_all_lines(tmp_path: Path, form: str) -> None:
    program = (
        "import django, logging, sys; django.setup();"
        "logging.getLogger('uvicorn.access').info('hello'); print('pythonjsonlogger' in sys.modules)"
    )
    variables = environment(tmp_path, LEXIC_LOG_FORMAT=form, DJANGO_SETTINGS_MODULE="lexic.settings")
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=variables, capture_output=True, text=True, check=True
    )
    written = done.stderr.strip()
    assert (json.loads(written)["message"] if form == "json" else written.rpartition(": ")[2]) == "hello"
    assert done.stdout == f"{form == 'json'}\n"  # who does not want it does not load it
