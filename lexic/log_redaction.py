"""Lines of the log, without the secrets of keys: somebody will paste one into an address or a name."""

from __future__ import annotations

import logging
import re

_KEY_SECRET_PATTERN = re.compile(r"(lx_[A-Za-z0-9_-]{8})[A-Za-z0-9_-]{35}")


class RedactingFormatter(logging.Formatter):
    """Leaves of each key what tells it from others, whether it stands in the message or in a traceback."""

    def format(self, record: logging.LogRecord) -> str:
        return _KEY_SECRET_PATTERN.sub(r"\1…", super().format(record))
