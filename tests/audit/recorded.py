"""For the tests of doors: whatever one of them changes stands in the audit log when the test ends."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest
from django.db import OperationalError

from audit.unrecorded_changes import unrecorded_changes

# Those that open, close, give, take and delete by the API, by pages and by commands.
DOORS = {
    "tests.api.test_documents_one",
    "tests.api.test_keys",
    "tests.api.test_knowledge_grants",
    "tests.api.test_limits",
    "tests.api.test_plugins",
    "tests.api.test_projects",
    "tests.api.test_releases",
    "tests.api.test_webhooks",
    "tests.api.oauth.test_flow",
    "tests.builder.test_attaching",
    "tests.builder.test_knowledge",
    "tests.builder.test_limits",
    "tests.builder.test_releases",
    "tests.builder.test_sharing",
    "tests.builder.test_webhooks",
    "tests.plugins.test_collaborators",
    "tests.privacy.test_plugin_deletion",
    "tests.marketplace.publishing.test_membership",
    "tests.marketplace.publishing.test_publish",
    "tests.api.scim.test_directory",
    "tests.organisations.test_access",
    "tests.organisations.test_departure",
    "tests.organisations.test_single_sign_on",
    "tests.organisations.test_transfer",
    "tests.workspace.test_organisations",
    "tests.workspace.test_projects",
}


@pytest.fixture(autouse=True)
def everything_is_recorded(request: pytest.FixtureRequest) -> Iterator[None]:
    if request.module.__name__ not in DOORS:
        yield
        return
    request.getfixturevalue("db")
    yield
    with contextlib.suppress(OperationalError):  # where the test has taken the database away
        assert list(unrecorded_changes()) == []
