"""The cast. Alice authors plugins, Bob edits one with her, Charlie must never see anything of theirs."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Generator
from typing import Any

import hypothesis
import pytest
from django.conf import settings
from django.db import connection
from playwright.sync_api import expect

from accounts.models import User
from lexic import publish_task, redis_cache
from tests import embedding, emptying, prepared, reading
from tests.audit.recorded import everything_is_recorded
from tests.servers import server, stub

__all__ = ["everything_is_recorded", "server", "stub"]  # for whoever needs them

# What takes long is done once in a process.
reading.install()
embedding.install()
# A busy machine takes its time; five seconds are no promise of ours.
expect.set_options(timeout=20_000)
hypothesis.settings.register_profile("busy", deadline=None)
hypothesis.settings.load_profile("busy")
# How many new objects there are before garbage is looked for: by default it is looked for so often that it takes a
# twentieth of the whole run.
RARELY = (50_000, 20, 20)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is imported and collected stays to the end of the run: it is never searched for garbage."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(*RARELY)
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes long runs first: at the end, one process would be at it while the others have nothing left."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.fixture(scope="session")
def django_db_setup(django_test_environment: None, django_db_blocker: Any) -> None:
    """A database for this process, copied instead of migrated. Nobody removes it: the server goes with the run."""
    name = f"test_{settings.DATABASES['default']['NAME']}_{os.environ.get('PYTEST_XDIST_WORKER', 'main')}"
    with django_db_blocker.unblock():
        connection.close()
        prepared.copy_template({"host": connection.settings_dict["HOST"], "user": "lexic"}, name=name)
        settings.DATABASES["default"]["NAME"] = connection.settings_dict["NAME"] = name
        emptying.install()


@pytest.fixture(autouse=True)
def _nothing_is_away() -> None:
    """What an earlier test took for an outage is over."""
    redis_cache.outage.end()
    publish_task.broker_outage.end()


@pytest.fixture
def alice(db: None) -> User:
    return User.objects.create_user("alice@example.org", "correct horse battery", display_name="Alice", is_staff=True)


@pytest.fixture
def bob(db: None) -> User:
    return User.objects.create_user("bob@example.org", "correct horse battery", display_name="Bob", is_staff=True)


@pytest.fixture
def charlie(db: None) -> User:
    return User.objects.create_user(
        "charlie@example.org", "correct horse battery", display_name="Charlie", is_staff=True
    )


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    chromium = shutil.which("chromium")
    if not chromium:
        pytest.skip("no Chromium on this machine (Debian: apt-get install chromium)")
    quiet = ["--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
    arguments = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run", *quiet]
    return {**browser_type_launch_args, "executable_path": chromium, "args": arguments}
