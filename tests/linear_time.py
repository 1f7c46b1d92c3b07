"""How processor time grows with the length of what is analysed.

Only the time of this thread counts, without garbage collection: servers and browsers of earlier tests may still be at
work in the process, and a full collection late in a run takes longer than the analysis.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

SHORT, LONG = 1000, 4000
# Four times the text may take eight times as long: room for a busy machine, and quadratic work takes sixteen.
GROWTH, SLACK_SECONDS = 8, 0.25
ATTEMPTS = 5


def grows_linearly(analyse: Callable[[str], object], unit: str, *, scale: int = 1) -> bool:
    """Whether text of this unit costs time that grows with its length; `scale` makes the texts longer.

    Of several attempts one suffices. Each has a text of its own, because analyses are remembered.
    """
    for attempt in range(ATTEMPTS):
        short, long = (
            f"Q{attempt} {unit * (length // len(unit) + 1)}"[:length] for length in (SHORT * scale, LONG * scale)
        )
        if _seconds(analyse, long) <= GROWTH * _seconds(analyse, short) + SLACK_SECONDS:
            return True
    return False


def _seconds(analyse: Callable[[str], object], text: str) -> float:
    gc.disable()
    try:
        begun = time.thread_time()
        analyse(text)
        return time.thread_time() - begun
    finally:
        gc.enable()
