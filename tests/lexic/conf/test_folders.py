from __future__ import annotations

from pathlib import Path
from unittest import mock

import pytest
from environs import Env, ValidationError

from lexic.conf import folders
from lexic.conf.backups import read_backups
from lexic.conf.folders import read_data_folder, read_files_folder, read_folder
from lexic.conf.storage import read_storage
from tests.lexic.fresh_settings import ROOT


@pytest.mark.parametrize(
    ("given", "folder"), [("data", ROOT / "data"), ("/srv/data", Path("/srv/data")), ("", Path("/default"))]
)
def test_a_folder_is_the_same_from_wherever_a_command_is_given(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, given: str, folder: Path
) -> None:
    """A command of cron runs in another folder than the server: it must not find an empty site there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LEXIC_VAR_DIR", given)
    assert read_folder(Env(), "LEXIC_VAR_DIR", default=Path("/default")) == folder


@pytest.mark.parametrize(
    ("given", "place"), [("s3://ours/lexic", "s3://ours/lexic"), ("b", f"{ROOT}/b"), ("~/b", "/home/site/b"), ("", "")]
)
def test_backups_go_to_the_same_place_from_everywhere(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, given: str, place: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/site")
    monkeypatch.setenv("LEXIC_BACKUP_TO", given)
    assert read_backups(Env(), uploads=read_storage(Env()))["to"] == place


def test_a_site_that_an_earlier_version_made_elsewhere_is_not_begun_anew(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    code, former = tmp_path / "code", tmp_path / "elsewhere" / "data"
    former.mkdir(parents=True)
    monkeypatch.setattr(folders, "BASE_DIR", code)
    monkeypatch.chdir(former.parent)
    monkeypatch.setenv("LEXIC_VAR_DIR", "data")

    def read() -> Path:
        return read_data_folder(Env(), "LEXIC_VAR_DIR", default=code / "var")

    assert read() == code / "data"
    (former / "secret_key.txt").touch()
    with pytest.raises(ValidationError, match=f"the site is in {former}"):
        read()
    (code / "data" / "pg").mkdir(parents=True)
    assert read() == code / "data"


@pytest.mark.parametrize(
    ("variable", "kept", "said"),
    [
        ("LEXIC_FILES_DIR", "0a/0a11", "the files are in"),
        ("LEXIC_BACKUP_TO", "lexic-backups.json", "the backups are in"),
    ],
)
def test_what_an_earlier_version_kept_elsewhere_is_not_left_behind(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str, kept: str, said: str
) -> None:
    code, elsewhere = tmp_path / "code", tmp_path / "elsewhere"
    monkeypatch.setattr(folders, "BASE_DIR", code)
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    monkeypatch.setenv(variable, "store")

    def read() -> Path:
        if variable == "LEXIC_FILES_DIR":
            return read_files_folder(Env(), variable, default=code / "var")
        return Path(read_backups(Env(), uploads=read_storage(Env()))["to"])

    assert read() == code / "store"
    (elsewhere / "store" / kept).parent.mkdir(parents=True)
    (elsewhere / "store" / kept).touch()
    with pytest.raises(ValidationError, match=f"{variable}.*{said} {elsewhere / 'store'}"):
        read()
    (code / "store" / kept).parent.mkdir(parents=True)
    (code / "store" / kept).touch()
    assert read() == code / "store"


def test_a_folder_that_may_not_be_looked_into_or_is_gone_stops_no_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As the home of whoever gives the command by sudo."""
    here = tmp_path / "home"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("LEXIC_VAR_DIR", "data")
    with monkeypatch.context() as closed:
        closed.setattr(Path, "exists", mock.Mock(side_effect=PermissionError))
        assert read_data_folder(Env(), "LEXIC_VAR_DIR", default=tmp_path) == ROOT / "data"
    here.rmdir()
    assert read_data_folder(Env(), "LEXIC_VAR_DIR", default=tmp_path) == ROOT / "data"
