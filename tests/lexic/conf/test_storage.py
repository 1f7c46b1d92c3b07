"""Where files are kept and style sheets are loaded from, as the environment says it."""

from __future__ import annotations

from typing import Any

import pytest
from environs import Env, ValidationError

from lexic.conf.backups import read_backups
from lexic.conf.static_files import read_static_url, static_origins
from lexic.conf.storage import read_storage
from lexic.log_redaction import _find_secrets


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BUCKET", "ENDPOINT_URL", "REGION", "PREFIX", "ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "PATH_STYLE"):
        monkeypatch.delenv(f"LEXIC_S3_{name}", raising=False)
        monkeypatch.delenv(f"LEXIC_BACKUP_S3_{name}", raising=False)


def backup_store(monkeypatch: pytest.MonkeyPatch, **variables: str) -> dict[str, Any]:
    """How the bucket of backups is reached, beside a bucket of uploads with an address and keys."""
    uploads = {"BUCKET": "files", "ENDPOINT_URL": "https://files.example.org", "REGION": "eu-west-1"}
    keys = {"ACCESS_KEY_ID": "uploads", "SECRET_ACCESS_KEY": "secret of uploads"}
    for name, value in (uploads | keys).items():
        monkeypatch.setenv(f"LEXIC_S3_{name}", value)
    for name, value in variables.items():
        monkeypatch.setenv(f"LEXIC_BACKUP_S3_{name}", value)
    return read_backups(Env(), uploads=read_storage(Env()))["s3"]


def test_backups_go_where_uploads_are_until_something_else_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    assert backup_store(monkeypatch) == {
        "endpoint_url": "https://files.example.org",
        "region": "eu-west-1",
        "access_key_id": "uploads",
        "secret_access_key": "secret of uploads",
        "path_style": True,
    }


def test_backups_have_an_address_and_a_pair_of_keys_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {"ACCESS_KEY_ID": "backups", "SECRET_ACCESS_KEY": "secret of backups"}
    store = backup_store(monkeypatch, ENDPOINT_URL="https://vault.example.org/", PATH_STYLE="false", **keys)
    assert store == {
        "endpoint_url": "https://vault.example.org",
        "region": "eu-west-1",
        "access_key_id": "backups",
        "secret_access_key": "secret of backups",
        "path_style": False,
    }


@pytest.mark.parametrize(
    ("name", "value", "named"),
    [
        ("ACCESS_KEY_ID", "backups", "LEXIC_BACKUP_S3_SECRET_ACCESS_KEY"),
        ("SECRET_ACCESS_KEY", "secret of backups", "LEXIC_BACKUP_S3_ACCESS_KEY_ID"),
        ("ENDPOINT_URL", "vault.example.org", "LEXIC_BACKUP_S3_ENDPOINT_URL"),
    ],
)
def test_half_a_store_for_backups_is_refused_and_never_filled_up_from_the_uploads(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, named: str
) -> None:
    with pytest.raises(ValidationError, match=named):
        backup_store(monkeypatch, **{name: value})


def test_without_a_bucket_there_is_none() -> None:
    assert read_storage(Env())["bucket"] == ""


def test_a_store_of_ones_own_is_asked_by_path_and_amazons_by_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEXIC_S3_BUCKET", "files")
    assert read_storage(Env())["path_style"] is False
    monkeypatch.setenv("LEXIC_S3_ENDPOINT_URL", "https://s3.example.org/")
    monkeypatch.setenv("LEXIC_S3_PREFIX", "/lexic/")
    storage = read_storage(Env())
    assert (storage["path_style"], storage["endpoint_url"], storage["prefix"]) == (
        True,
        "https://s3.example.org",
        "lexic",
    )


def test_its_secret_is_left_out_of_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEXIC_S3_BUCKET", "files")
    monkeypatch.setenv("LEXIC_S3_ACCESS_KEY_ID", "me-and-mine")
    monkeypatch.setenv("LEXIC_S3_SECRET_ACCESS_KEY", "nobody-reads-it")
    assert _find_secrets(read_storage(Env())) == ["nobody-reads-it"]


@pytest.mark.parametrize(
    ("variables", "named"),
    [
        ({"LEXIC_S3_ENDPOINT_URL": "https://s3.example.org"}, "LEXIC_S3_BUCKET"),
        ({"LEXIC_S3_BUCKET": "files", "LEXIC_S3_ENDPOINT_URL": "s3.example.org"}, "LEXIC_S3_ENDPOINT_URL"),
        ({"LEXIC_S3_BUCKET": "files", "LEXIC_S3_ACCESS_KEY_ID": "me"}, "LEXIC_S3_SECRET_ACCESS_KEY"),
    ],
)
def test_half_a_store_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], named: str
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ValidationError, match=named):
        read_storage(Env())


def test_static_files_come_from_here_or_from_a_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LEXIC_STATIC_URL", raising=False)
    assert (read_static_url(Env()), static_origins("static/")) == ("static/", [])
    monkeypatch.setenv("LEXIC_STATIC_URL", "https://cdn.example.org/static/")
    assert static_origins(read_static_url(Env())) == ["https://cdn.example.org"]


@pytest.mark.parametrize("url", ["http://cdn.example.org/static/", "https://cdn.example.org/static", "//cdn/static/"])
def test_an_address_that_pages_could_not_load_from_is_refused(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("LEXIC_STATIC_URL", url)
    with pytest.raises(ValidationError, match="LEXIC_STATIC_URL"):
        read_static_url(Env())
