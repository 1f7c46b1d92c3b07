from __future__ import annotations

import pytest

from accounts.models import ApiKey, User


@pytest.fixture
def reader(alice: User) -> str:
    """A key of Alice's that may read documents as well."""
    return ApiKey.objects.issue(owner=alice, name="reader", capabilities=["query", "read"])[1]
