"""Mail where no server for it is set up: in files, because a log must not hold the links and codes that it brings."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.mail import EmailMessage
from django.core.mail.backends.filebased import EmailBackend

logger = logging.getLogger(__name__)


class FileEmailBackend(EmailBackend):
    """Writes mails to a folder that is the server's alone, and says in the log where they are."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        Path(self.file_path).chmod(0o700)

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        sent = super().send_messages(email_messages) or 0
        for message in email_messages:
            logger.info("A mail to %s is in %s.", ", ".join(message.to), self._get_filename())  # type: ignore[attr-defined]
        return sent
