"""The larger data sets that developers measure with. A user's clone does not have them; tests that want them skip."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(os.environ.get("LEXIC_SHARED_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))


def shared(name: str) -> Path:
    """The folder of a data set; skips the test where it is absent."""
    folder = ROOT / name
    if not folder.is_dir():
        pytest.skip(f"the data set {name!r} is not on this machine (set LEXIC_SHARED_DATA to its folder)")
    return folder
