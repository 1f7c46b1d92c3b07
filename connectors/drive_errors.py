"""Errors of this site, a person's Google account, and Google Drive."""

from __future__ import annotations

from lexic.errors import Conflict, InvalidInput, LexicError, NotAllowed, NotFound

MANAGE_ACCESS_URL = "https://myaccount.google.com/connections"
RETRY_AFTER_SECONDS = 30


class DriveNotSetUp(Conflict):
    """This site is not set up for Google Drive."""

    code = "drive_not_set_up"
    hint = "Ask its operator to set LEXIC_GOOGLE_CLIENT_ID and LEXIC_GOOGLE_CLIENT_SECRET."


class DriveNotConnected(Conflict):
    """No Google Drive is connected with your account, or Google no longer accepts the connection."""

    code = "drive_not_connected"
    hint = "Connect it under Connections on the pages of your account."


class InvalidAuthorization(InvalidInput):
    """This Google sign-in was not started in this browser, or it has expired."""

    code = "invalid_state"
    hint = "Begin again under Connections, in one browser, and finish within ten minutes."


class AuthorizationRefused(LexicError):
    """Google Drive was not connected, because the permission to read its files was not given."""

    code = "drive_refused"
    status = 403
    hint = "Connect it again, and allow Lexic to see your files when Google asks."


class DriveFailed(LexicError):
    """Google Drive did not answer as it should."""

    code = "drive_failed"
    status = 502
    hint = "Try again in a minute."


class DriveBusy(LexicError):
    """Google Drive takes no more requests for the moment."""

    code = "drive_busy"
    status = 429
    hint = "Wait as long as the header Retry-After says."

    def __init__(self, *, retry_after: int | None = None) -> None:
        self.retry_after = retry_after or RETRY_AFTER_SECONDS
        super().__init__()


class DriveForbidden(NotAllowed):
    """Google Drive does not let you download this file."""

    code = "drive_forbidden"
    hint = "Ask its owner to allow viewers to download it."


class UnknownDriveFile(NotFound):
    """There is no such file in your Google Drive."""

    code = "unknown_drive_file"
    hint = "List the files to see their ids."
