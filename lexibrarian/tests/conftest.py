"""The fixtures. Tests import the rest from the module that defines them."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from example_library import empty, library, own_home, shop

__all__ = ["empty", "library", "own_home", "shop"]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What a test printed can name files that are not UTF-8; a process of pytest-xdist cannot send such a text."""
    report = yield
    report.sections = [
        (name, text.encode("utf-8", "backslashreplace").decode("utf-8")) for name, text in report.sections
    ]
    return report
