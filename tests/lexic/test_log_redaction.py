from __future__ import annotations

import logging
import sys

from accounts import key_secrets
from lexic.log_redaction import RedactingFormatter


def line(message: str, *args: object, **fields: object) -> str:
    record = logging.LogRecord("x", logging.INFO, "x.py", 1, message, args, fields.get("exc_info"))  # type: ignore[arg-type]
    return RedactingFormatter("%(levelname)s %(message)s").format(record)


def test_of_a_key_its_beginning_stays() -> None:
    secret = key_secrets.generate_secret()
    said = line('"GET %s HTTP/1.1" %d', f"/api/v1/me?key={secret}&x=1", 401)
    assert said == f'INFO "GET /api/v1/me?key={secret[: key_secrets.PREFIX_LENGTH]}…&x=1 HTTP/1.1" 401'


def test_so_it_does_in_a_traceback() -> None:
    secret = key_secrets.generate_secret()
    try:
        raise ValueError(f"no such plugin: {secret}")
    except ValueError:
        said = line("failed", exc_info=sys.exc_info())
    assert secret not in said
    assert f"no such plugin: {secret[:11]}…" in said


def test_other_lines_stay_as_they_are() -> None:
    assert line("lx_short and flx_%s", "x" * 10) == "INFO lx_short and flx_xxxxxxxxxx"
