"""Where files are kept and style sheets are loaded from, as the environment says it."""

from __future__ import annotations

import pytest
from environs import Env, ValidationError

from lexic.conf.static_files import read_static_url, static_origins
from lexic.conf.storage import read_storage
from lexic.log_redaction import _find_secrets


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BUCKET", "ENDPOINT_URL", "REGION", "PREFIX", "ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "PATH_STYLE"):
        monkeypatch.delenv(f"LEXIC_S3_{name}", raising=False)


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
