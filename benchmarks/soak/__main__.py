"""Half an hour of mixed traffic with a fault a minute: `make soak`, or `python -m benchmarks.soak --minutes 5`.

Starts Lexic as `manage.py up` does, with two web processes, in a folder that goes away. Sixteen kinds of requests are
sent all the time: questions by every door, conversations, uploads, edits, deletions, publishing, plugins as files,
pages of the builder; backups are made beside them, and webhooks go to a receiver of the soak. Every minute something
is killed, paused, dropped, filled or spoilt. A checker looks throughout whether every citation stands on its page, no
plugin cites another's passage, every answer has its row, the audit log verifies, and no document, run or event is lost
or stuck; at the end whether memory stayed flat, and whether a backup that was made under load answers a hundred
questions as the site does. Ends with 1 where anything else than a right answer, or a clean refusal, was seen.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.soak.backups import compare_restored, make_backups
from benchmarks.soak.checker import Checker
from benchmarks.soak.faults import inject_faults
from benchmarks.soak.memory import MemoryLog
from benchmarks.soak.record import SoakRecord
from benchmarks.soak.report import build_result, report_text
from benchmarks.soak.site import Site, running_site
from benchmarks.soak.traffic import send_traffic

QUIET_SECONDS = 45.0  # of traffic without faults, in which the last backup is made
WORDS_OF_CRASHES = ("Internal Server Error", "Traceback (most recent call last)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30.0, help="how long (default %(default)s)")
    parser.add_argument("--folder", type=Path, default=Path("var/soak"), help="for the results (default %(default)s)")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    record = SoakRecord()
    with running_site() as site:
        record.began = time.monotonic()
        parts = soak(site, record, minutes=options.minutes)
        (options.folder / "site.log").write_bytes(site.log.read_bytes())
    result = build_result(record, minutes=options.minutes, **parts)
    (options.folder / "result.json").write_text(json.dumps(result, indent=1, ensure_ascii=False))
    (options.folder / "report.txt").write_text(text := report_text(result))
    print(text)
    sys.exit(0 if result["passed"] else 1)


def soak(site: Site, record: SoakRecord, *, minutes: float) -> dict[str, Any]:
    """Returns what was measured beside what stands in the record."""
    checker, memory = Checker(site, record), MemoryLog()
    end = time.monotonic() + 60 * minutes
    with ThreadPoolExecutor(4) as threads:
        begun: list[Future[None]] = [
            threads.submit(send_traffic, site, record),
            threads.submit(checker.run),
            threads.submit(make_backups, site, record),
            threads.submit(memory.watch, site.supervisor, record),
        ]
        try:
            inject_faults(site, record, until=end - QUIET_SECONDS)
            time.sleep(max(0.0, end - QUIET_SECONDS - time.monotonic()))
            restored = compare_restored(site, record)
        finally:
            record.is_over.set()
        for one in begun:
            one.result()
    checker.finish()
    return {"restored": restored, "memory": memory.judge(record), "log": crashes_in(site)}


def crashes_in(site: Site) -> dict[str, int]:
    """How often the site's log speaks of what nobody foresaw."""
    said = site.log.read_text(errors="replace")
    return {words: said.count(words) for words in WORDS_OF_CRASHES}


if __name__ == "__main__":
    main()
