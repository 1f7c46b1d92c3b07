from __future__ import annotations

from pathlib import Path

import pytest

from lexic.sql_files import read_sql
from tests.our_modules import ROOT


@pytest.mark.parametrize("path", sorted(ROOT.glob("*/sql/*.sql")), ids=lambda path: path.stem)
def test_each_file_is_found_by_its_app_and_its_name(path: Path) -> None:
    assert read_sql(path.parts[-3], path.stem) == path.read_text(encoding="utf-8")


def test_a_file_that_is_not_there_is_an_error() -> None:
    with pytest.raises(FileNotFoundError):
        read_sql("knowledge", "nothing")
