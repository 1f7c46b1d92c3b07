from __future__ import annotations

import pytest
from rest_framework.test import APIClient

from accounts.models import User
from connectors.models import DriveConnection
from tests.google_stub import REFRESH_TOKEN, Google, google

__all__ = ["google"]


@pytest.fixture
def connection(alice: User, google: Google) -> DriveConnection:
    """Alice's Drive is connected; its first request needs a new access token."""
    return DriveConnection.objects.connect(alice, refresh_token=REFRESH_TOKEN, account_email=google.email)


@pytest.fixture
def client(alice: User) -> APIClient:
    """Alice, signed in."""
    signed_in = APIClient()
    signed_in.force_login(alice)
    return signed_in
