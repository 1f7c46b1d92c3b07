"""The Google Drive connection of a person, checked and counted for one request to Google."""

from __future__ import annotations

from accounts.models import User
from accounts.rate_limits import check_hourly_limit
from connectors.drive_errors import DriveNotConnected
from connectors.google_oauth import require_set_up
from connectors.models import DriveConnection

REQUESTS_PER_HOUR = 600


def open_connection(user: User) -> DriveConnection:
    """The person's connection, after counting one more request. Raises `DriveNotSetUp`, `DriveNotConnected`, and
    `RateLimited`."""
    require_set_up()
    connection = DriveConnection.objects.filter(user=user).first()
    if connection is None or connection.has_lapsed:
        raise DriveNotConnected
    check_hourly_limit(f"google-drive:{user.pk}", most=REQUESTS_PER_HOUR)
    return connection
