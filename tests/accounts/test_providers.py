from __future__ import annotations

import pytest
from environs import Env, EnvError

from lexic.conf.social_providers import read_google_drive, read_social_providers

GOOGLE = {"LEXIC_GOOGLE_CLIENT_ID": "g", "LEXIC_GOOGLE_CLIENT_SECRET": "s"}
OIDC = {"LEXIC_OIDC_CLIENT_ID": "o", "LEXIC_OIDC_CLIENT_SECRET": "s", "LEXIC_OIDC_URL": "https://login.example.org"}


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GOOGLE", "GITHUB", "OIDC"):
        for part in ("CLIENT_ID", "CLIENT_SECRET", "URL", "NAME"):
            monkeypatch.delenv(f"LEXIC_{name}_{part}", raising=False)
            monkeypatch.delenv(f"{name}_{part}", raising=False)


def found(monkeypatch: pytest.MonkeyPatch, **variables: str) -> dict[str, object]:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return read_social_providers(Env())


def test_without_variables_there_is_no_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(monkeypatch) == {}


def test_each_is_on_once_its_variables_are_set(monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(found(monkeypatch, **GOOGLE, **OIDC)) == ["google", "openid_connect"]


@pytest.mark.parametrize("missing", [*GOOGLE, *OIDC])
def test_half_a_provider_is_an_error_that_names_what_is_missing(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    given = {name: value for name, value in {**GOOGLE, **OIDC}.items() if name != missing}
    with pytest.raises(EnvError, match=missing):
        found(monkeypatch, **given)


def test_jl_061_google_is_found_under_the_names_of_other_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = {"GOOGLE_CLIENT_ID": "theirs", "GOOGLE_CLIENT_SECRET": "t"}
    [google] = found(monkeypatch, **theirs).values()
    assert google["APPS"][0]["client_id"] == "theirs"  # type: ignore[index]
    assert read_google_drive(Env())["client_id"] == "theirs"
    found(monkeypatch, **GOOGLE)
    assert (read_google_drive(Env())["client_id"], read_google_drive(Env())["secret"]) == ("g", "s")


def test_half_of_the_other_names_is_an_error_too(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EnvError, match="GOOGLE_CLIENT_SECRET"):
        found(monkeypatch, GOOGLE_CLIENT_ID="theirs")


def test_without_a_client_there_is_no_drive() -> None:
    assert read_google_drive(Env())["client_id"] == read_google_drive(Env())["secret"] == ""
