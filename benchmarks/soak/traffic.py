"""Mixed traffic: one thread for each kind of request, which sends it again and again until the soak is over."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

import httpx2

from benchmarks.soak import authoring, questions
from benchmarks.soak.record import SoakRecord
from benchmarks.soak.site import Site
from benchmarks.soak.verdicts import CLEAN, CUT, RIGHT

TIMEOUT_SECONDS = 60
Kind = Callable[[Site, SoakRecord, httpx2.Client, random.Random], str]
# Each kind, and the seconds between two of its requests.
KINDS: Mapping[Kind, float] = {
    questions.ask: 1.0,
    questions.stream: 1.5,
    questions.complete_chat: 2.0,
    questions.collaborate: 5.0,
    questions.call_tool: 2.0,
    questions.converse: 4.0,
    questions.chat_in_public: 3.0,
    authoring.upload: 4.0,
    authoring.edit: 6.0,
    authoring.delete: 12.0,
    authoring.publish: 20.0,
    authoring.export_and_import: 30.0,
    authoring.search: 5.0,
    authoring.read_sign_in_page: 4.0,
    authoring.sign_in: 15.0,
    authoring.open_builder: 4.0,
}


def send_traffic(site: Site, record: SoakRecord) -> None:
    """Returns when the record says that it is over, and the last responses are there."""
    with ThreadPoolExecutor(len(KINDS)) as threads:
        sent = [threads.submit(_repeat, kind, pause, site, record) for kind, pause in KINDS.items()]
        for one in sent:
            one.result()


def _repeat(kind: Kind, pause: float, site: Site, record: SoakRecord) -> None:
    choose = random.Random(kind.__name__)
    with httpx2.Client(base_url=site.address, timeout=TIMEOUT_SECONDS, trust_env=False) as client:
        while not record.is_over.is_set():
            begun = time.monotonic()
            try:
                outcome = kind(site, record, client, choose)
            except httpx2.HTTPError as error:
                was_cut = record.was_cut(begun, time.monotonic()) and not isinstance(error, httpx2.TimeoutException)
                outcome = CUT if was_cut else f"{type(error).__name__}: {error}"
            except (KeyError, ValueError, IndexError, TypeError) as error:
                was_cut = record.was_cut(begun, time.monotonic())
                outcome = CUT if was_cut else f"the response has another form: {error!r}"
            _note(record, kind.__name__, outcome, seconds=time.monotonic() - begun)
            record.is_over.wait(pause * choose.uniform(0.7, 1.3))


def _note(record: SoakRecord, kind: str, outcome: str, *, seconds: float) -> None:
    if outcome in (RIGHT, CLEAN, CUT):
        record.add_outcome(kind, outcome, seconds=seconds)
    else:
        record.add_outcome(kind, "wrong", seconds=seconds)
        record.add_violation(f"{kind}: {outcome}")
