from __future__ import annotations

import logging
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from django.db import IntegrityError, transaction

from accounts import key_secrets
from accounts.models import User
from lexic import log_redaction
from lexic.log_redaction import RedactingFormatter
from tests.linear_time import grows_linearly
from tests.security.routes import routes

SECRET = "MQ-1tkXyz-ab12cd34ef56ab12cd34ef56"


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


def secret_addresses() -> list[tuple[str, str]]:
    """Every address with a secret in it, read off the URLconf: the route, and one such address."""
    found = []
    for route, _ in routes(""):
        plain = re.sub(r"\(\?P<uidb36>[^()]*\)", "1a", route)
        plain = re.sub(r"\(\?P<key>[^()]*\)|<str:(?:token|proof)>", SECRET, plain)
        if plain != route and SECRET in plain:
            found.append((route, "/" + plain.replace("^", "").replace("$", "")))
    return found


def test_no_link_that_was_mailed_stands_in_the_log() -> None:
    walked = secret_addresses()
    assert len(walked) >= 3
    for route, address in walked:
        said = line('"GET %s HTTP/1.1" %d', address, 200)
        assert SECRET not in said, route
        assert address.split("/")[1] in said


@pytest.mark.parametrize("name", ["code", "state", "token", "key", "secret", "password", "access_token", "followup"])
def test_no_secret_of_a_query_stands_in_the_log(name: str) -> None:
    assert line("GET %s", f"/x?a=1&{name}={SECRET}&b=2") == f"INFO GET /x?a=1&{name}=…&b=2"


def test_no_secret_of_the_settings_stands_in_the_log(settings: Any) -> None:
    apps = [{"client_id": "lexic-at-idp", "secret": "of-the-provider", "key": ""}]
    settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"APPS": apps}}
    log_redaction._secrets_of_settings.cache_clear()
    said = line("%s %s %s", settings.SECRET_KEY, "of-the-provider", "lexic-at-idp")
    log_redaction._secrets_of_settings.cache_clear()
    assert said == "INFO … … lexic-at-idp"


def test_no_password_of_an_address_stands_in_the_log() -> None:
    assert (
        line("cannot connect to postgres://lexic:hunter2@db/lexic")
        == "INFO cannot connect to postgres://lexic:…@db/lexic"
    )
    assert line("Authorization: Basic aHVudGVyMg==") == "INFO Authorization: Basic …"


@pytest.mark.parametrize("name", ["q", "question", "sentence", "facts", "title", "email", "login", "filter"])
def test_no_words_that_somebody_searched_for_stand_in_the_log(name: str) -> None:
    assert line('"GET %s HTTP/1.1"', f"/search?page=2&{name}=my+rash") == f'INFO "GET /search?page=2&{name}=… HTTP/1.1"'


@pytest.mark.django_db
def test_no_row_that_the_database_refuses_stands_in_the_log(alice: User) -> None:
    User.objects.create(email="Quillfeather@example.org".swapcase())
    with pytest.raises(IntegrityError) as taken, transaction.atomic():
        User.objects.create(email="Quillfeather@example.org")
    with pytest.raises(IntegrityError) as empty, transaction.atomic():
        User.objects.filter(pk=alice.pk).update(display_name="Quillfeather", created_at=None)
    for error in (taken.value, empty.value):
        assert "quillfeather" in str(error).lower()
        said = line("%s", error)
        assert "DETAIL" in said
        assert "quillfeather" not in said.lower()


def test_mail_addresses_and_numbers_of_people_are_never_in_the_log() -> None:
    said = line("%s and %s", "bob@example.org", "+49 171 2345678")
    assert said == "INFO [e-mail address] and [phone number]"


def test_every_handler_of_the_log_redacts(settings: Any) -> None:
    assert {handler["formatter"] for handler in settings.LOGGING["handlers"].values()} == {"line"}
    named = {"uvicorn", "uvicorn.access", "django.server"}  # these come with handlers of their own
    assert all(settings.LOGGING["loggers"][name]["handlers"] == ["console"] for name in named)


def test_without_a_mail_server_mail_is_in_files_and_not_in_the_log(
    tmp_path: Path, settings: Any, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    settings.EMAIL_FILE_PATH = tmp_path / "mail"
    settings.EMAIL_BACKEND = "lexic.mail.FileEmailBackend"
    with caplog.at_level(logging.INFO):
        mail.send_mail("Confirm", f"/accounts/confirm-email/{SECRET}/", None, ["alice@example.org"])
    (file,) = settings.EMAIL_FILE_PATH.iterdir()
    assert SECRET in file.read_text()
    assert settings.EMAIL_FILE_PATH.stat().st_mode & 0o077 == 0
    assert RedactingFormatter().format(caplog.records[0]) == f"A mail to [e-mail address] is in {file}."
    assert caplog.messages == [f"A mail to alice@example.org is in {file}."]
    assert SECRET not in capfd.readouterr().out


@pytest.mark.parametrize("unit", ["a", "a:", "://", "a://b:", "/", "?key=", "lx_", "authorization: bearer ", "@"])
def test_a_line_with_a_long_address_costs_linear_time(unit: str) -> None:
    assert grows_linearly(log_redaction.redact, unit, scale=16)
