"""A pytest plugin for continuous integration: there, a browser test that is skipped has failed."""

from __future__ import annotations

from collections.abc import Generator

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    drives_browser = item.get_closest_marker("browser") or "page" in getattr(item, "fixturenames", ())
    if report.skipped and drives_browser:
        report.outcome = "failed"
        report.longrepr = f"Browser tests must not be skipped here: {report.longrepr}"
    return report
