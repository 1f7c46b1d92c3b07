"""The attachments of an e-mail as values of JSON, for the confined child."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

from knowledge.readers.mail.message import attachments, parse_message


def read_attachments(path: Path) -> Iterator[list[str]]:
    """`[name, content in base 64]` of each attachment."""
    for name, content in attachments(parse_message(path)):
        yield [name, base64.b64encode(content).decode()]
