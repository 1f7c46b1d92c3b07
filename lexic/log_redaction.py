"""Lines of the log: with the id of their request, and without the secrets of keys, which somebody will paste into an
address or a name."""

from __future__ import annotations

import logging
import re

from lexic.middleware.request_id import current_request_id

_KEY_SECRET_PATTERN = re.compile(r"(lx_[A-Za-z0-9_-]{8})[A-Za-z0-9_-]{35}")


class RedactingFormatter(logging.Formatter):
    """Leaves of each key what tells it from others, whether it stands in the message or in a traceback.

    `%(request)s` is the request's id in brackets; nothing outside of requests.
    """

    def format(self, record: logging.LogRecord) -> str:
        request_id = current_request_id()
        record.request = f" [{request_id}]" if request_id else ""
        return _KEY_SECRET_PATTERN.sub(r"\1…", super().format(record))
