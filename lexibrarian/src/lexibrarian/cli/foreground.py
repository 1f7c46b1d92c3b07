"""Commands that run until somebody stops them."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from threading import Event


@contextlib.contextmanager
def until_stopped() -> Iterator[Event]:
    """An event that is set when the process is interrupted or terminated, which then ends by itself."""
    stopped = Event()
    signals = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, lambda *_: stopped.set()) for number in signals}
    try:
        yield stopped
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
