"""Whether answers stay fast while documents are read: `python -m benchmarks.ingestion` (about two minutes).

Starts Lexic as `manage.py up` does, in a folder that goes away, publishes a plugin, uploads forty PDFs at once, and
asks over HTTP meanwhile. Reading is halted every few seconds and taken up again, so that both kinds of answers come
from the same minutes of a machine that may have other work. Prints milliseconds of an answer (median and 95 %) while
nothing is read and while PDFs are, the ratio of the two, and the seconds until the builder showed the first progress.
`--json` prints the figures for programs.
"""

from __future__ import annotations

import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import httpx2

from benchmarks._harness import run_benchmark

if TYPE_CHECKING:
    from accounts.models import User
    from plugins.models import Plugin

PDF_COUNT = 40
PAGES_PER_PDF = 5
LINES_PER_PAGE = 30
PHASE_SECONDS = 2.5  # seconds of asking while it is read, then as many while it is not
MAX_SECONDS = 100  # seconds of asking; what has not been read by then is left
# As many uploads at once as the builder's page sends.
CONCURRENT_QUESTIONS = 3
PROGRESS_TIMEOUT = 600  # seconds until the first progress
NOUNS = [
    "valve",
    "pump",
    "boiler",
    "chamber",
    "filter",
    "gauge",
    "ladder",
    "rope",
    "scaffold",
    "hoist",
    "engine",
    "turbine",
    "reactor",
    "conveyor",
    "crane",
    "harness",
    "helmet",
    "glove",
    "goggle",
    "alarm",
    "sensor",
    "relay",
    "breaker",
    "fuse",
    "cable",
    "trench",
    "girder",
    "column",
    "beam",
    "slab",
    "footing",
]
VERBS = [
    "inspected",
    "replaced",
    "cleaned",
    "tested",
    "closed",
    "opened",
    "recorded",
    "lubricated",
    "sealed",
    "vented",
]
TERMS = ["every week", "every month", "every two years", "before each use", "after a fall", "at the end of a shift"]
ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    run_benchmark(__doc__, run_with_server)


def run_with_server() -> dict[str, float]:
    with running_lexic() as (address, process):
        return measure_ingestion(address, process)


@contextmanager
def running_lexic() -> Iterator[tuple[str, int]]:
    """The address and the process of a Lexic of our own: database, broker, workers and web server."""
    with tempfile.TemporaryDirectory(prefix="lxb-", dir="/tmp") as folder:
        Path(folder).chmod(0o755)  # PostgreSQL does not run as root
        os.environ |= {"DJANGO_SETTINGS_MODULE": "lexic.settings", "LEXIC_VAR_DIR": folder}
        os.environ |= {"DATABASE_URL": "", "REDIS_URL": "", "LEXIC_LLM": "extractive", "LEXIC_EMBEDDER": "local"}
        command = [sys.executable, "manage.py", "up", "--port", "0", "--with-parent"]
        server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout
            address = next(found[1] for line in server.stdout if (found := re.search(r"is up at (\S+)", line)))
            with ThreadPoolExecutor(1) as reader:
                reader.submit(server.stdout.read)  # or it would block, once nobody reads what it says
                import django

                django.setup()
                try:
                    yield address, server.pid
                finally:
                    server.terminate()  # or the reader would go on reading
        finally:
            server.terminate()
            server.wait(60)


def measure_ingestion(address: str, process: int) -> dict[str, float]:
    plugin, owner, secret = create_published_plugin()
    choose = random.Random(7)
    questions = [f"When is the {noun} {choose.choice(VERBS)}?" for noun in NOUNS * 20]
    ask = http_question_timer(address, plugin, secret)
    for question in questions[: len(NOUNS)]:  # every passage has been weighed once
        ask(question)
    with signed_in_browser(address, owner) as browser, ThreadPoolExecutor(CONCURRENT_QUESTIONS + 1) as threads:
        begun = time.perf_counter()
        seen = threads.submit(seconds_to_first_progress, browser, plugin, begun)
        uploads = [threads.submit(upload_pdf, browser, plugin, number) for number in range(PDF_COUNT)]
        meanwhile = time_answers_while(lambda: not all(one.done() for one in uploads), ask, questions)
        quiet, busy = time_answers_alternating(process, lambda: is_ingesting(plugin, uploads), ask, questions)
        first = seen.result()
    return {
        "nothing is read, median ms": statistics.median(quiet),
        "nothing is read, 95% ms": percentile_95(quiet),
        f"{PDF_COUNT} PDFs are read, median ms": statistics.median(busy),
        f"{PDF_COUNT} PDFs are read, 95% ms": percentile_95(busy),
        "ratio of the medians": statistics.median(busy) / statistics.median(quiet),
        "ratio at 95%": percentile_95(busy) / percentile_95(quiet),
        "questions each": min(len(busy), len(quiet)),
        f"{PDF_COUNT} PDFs are uploaded, median ms": statistics.median(meanwhile),
        "first progress seen after, s": first,
        **measure_reading_speed(plugin, seconds=len(busy) and sum(busy) / 1000),
    }


def measure_reading_speed(plugin: Plugin, *, seconds: float) -> dict[str, float]:
    """How fast documents are read beside the questions."""
    from knowledge.models import Document

    read = Document.objects.of_plugin(plugin).filter(status="ready").count() - 1
    return {"PDFs read meanwhile": read, "seconds for one": seconds / max(1, read)}


def create_published_plugin(*, capabilities: Sequence[str] = ("query",)) -> tuple[Plugin, User, str]:
    """A plugin with one document, its owner, and a key that may do this."""
    from accounts.models import ApiKey, User
    from knowledge.documents.lifecycle import add_text
    from knowledge.ingest import ingest
    from knowledge.plugin_knowledge_base import own_knowledge_base
    from marketplace.publishing.publish import publish
    from plugins.models import Plugin

    owner = User.objects.create_user("bench@example.org", "correct horse battery", is_staff=True)
    plugin = Plugin.objects.create(owner=owner, name="Bench", slug="bench", domain="safety", system_prompt="Answer.")
    choose = random.Random(1)
    text = "\n\n".join(f"# On the {noun}\n\n{' '.join(random_sentences(choose, noun=noun))}" for noun in NOUNS)
    base = own_knowledge_base(plugin)
    added = add_text(knowledge_base=base, title="Handbook", text=text, file_name="handbook.md", enqueue=False)
    ingest(added.document.pk)
    publish(plugin, by=owner)
    _, secret = ApiKey.objects.issue(
        owner=owner, name="bench", capabilities=list(capabilities), per_minute=100_000, per_day=1_000_000
    )
    return plugin, owner, secret


def random_sentences(choose: random.Random, *, noun: str) -> Iterator[str]:
    return (f"The {noun} is {verb} {choose.choice(TERMS)}." for verb in VERBS)


def http_question_timer(address: str, plugin: Plugin, secret: str) -> Callable[[str], float]:
    """Asks one question over HTTP and says how many milliseconds it took."""
    client = httpx2.Client(base_url=address, headers={"Authorization": f"Bearer {secret}"}, timeout=60)

    def ask(question: str) -> float:
        begun = time.perf_counter()
        client.post("/api/v1/query", json={"plugin": plugin.slug, "query": question}).raise_for_status()
        return (time.perf_counter() - begun) * 1000

    return ask


@contextmanager
def signed_in_browser(address: str, owner: User) -> Iterator[httpx2.Client]:
    """The owner at a browser, signed in."""
    with httpx2.Client(base_url=address, timeout=60, follow_redirects=True) as browser:
        browser.get("/accounts/login/")
        said = {"login": owner.email, "password": "correct horse battery"}
        browser.post("/accounts/login/", data={**said, "csrfmiddlewaretoken": browser.cookies["csrftoken"]})
        yield browser


def upload_pdf(browser: httpx2.Client, plugin: Plugin, number: int) -> None:
    response = browser.post(
        f"/admin/plugins/plugin/{plugin.pk}/knowledge/files/",
        files={"files": (f"manual {number:02}.pdf", build_pdf(number), "application/pdf")},
        data={"csrfmiddlewaretoken": browser.cookies["csrftoken"]},
    )
    response.raise_for_status()


def seconds_to_first_progress(browser: httpx2.Client, plugin: Plugin, begun: float) -> float:
    """Seconds until the list of documents shows one that is being read, as the page asks for it."""
    while time.perf_counter() - begun < PROGRESS_TIMEOUT:
        shown = browser.get(f"/admin/plugins/plugin/{plugin.pk}/knowledge/list/?poll=1").text
        if re.search(r'data-working="[1-9]', shown):
            return time.perf_counter() - begun
        time.sleep(0.05)
    raise SystemExit("Nothing was ever seen to be read.")


def time_answers_while(
    goes_on: Callable[[], bool], ask: Callable[[str], float], questions: Sequence[str]
) -> list[float]:
    taken: list[float] = []
    while goes_on():
        taken.append(ask(questions[len(taken) % len(questions)]))
    return taken


def time_answers_alternating(
    process: int, goes_on: Callable[[], bool], ask: Callable[[str], float], questions: Sequence[str]
) -> tuple[list[float], list[float]]:
    """Milliseconds of the answers while reading is halted, and while it goes on."""
    quiet: list[float] = []
    busy: list[float] = []
    end = time.monotonic() + MAX_SECONDS
    while goes_on() and time.monotonic() < end:
        busy += time_answers_for(PHASE_SECONDS, ask, questions, after=len(busy))
        with paused_workers(process):
            quiet += time_answers_for(PHASE_SECONDS, ask, questions, after=len(quiet))
    return quiet, busy


def time_answers_for(
    seconds: float, ask: Callable[[str], float], questions: Sequence[str], *, after: int
) -> list[float]:
    end = time.monotonic() + seconds
    return time_answers_while(lambda: time.monotonic() < end, ask, [*questions[after % len(questions) :], *questions])


@contextmanager
def paused_workers(process: int) -> Iterator[None]:
    """The workers, and the readers that they have started, do nothing inside the block."""
    ours = [pid for pid in descendant_pids(process) if is_worker_process(pid)]
    try:
        for pid in ours:
            os.kill(pid, signal.SIGSTOP)
        yield
    finally:
        for pid in ours:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def descendant_pids(process: int) -> list[int]:
    listing = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents = {int(pid): int(parent) for pid, parent in map(str.split, listing.splitlines())}
    found = [process]
    for one in found:
        found += [pid for pid, parent in parents.items() if parent == one]
    return found[1:]


def is_worker_process(pid: int) -> bool:
    with suppress(OSError):
        line = Path(f"/proc/{pid}/cmdline").read_bytes()
        return b"celery" in line or b"readers" in line
    return False


def is_ingesting(plugin: Plugin, uploads: Sequence[object]) -> bool:
    from knowledge.models import Document

    documents = Document.objects.of_plugin(plugin)
    return documents.count() <= len(uploads) or documents.unfinished().exists()


def percentile_95(taken: Sequence[float]) -> float:
    """What 95 % stay below."""
    return statistics.quantiles(taken, n=20)[-1]


def build_pdf(number: int) -> bytes:
    """A PDF of its own text: nothing of it can be copied from another one."""
    choose = random.Random(1000 + number)
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"", b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for _ in range(PAGES_PER_PDF):
        text = (
            b"BT /F1 10 Tf 14 TL 50 800 Td "
            + b" ".join(b"(%s) '" % random_pdf_line(choose) for _ in range(LINES_PER_PAGE))
            + b" ET"
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(text), text))
        page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R" % len(objects)
        objects.append(page + b" /Resources << /Font << /F1 3 0 R >> >> >>")
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (PAGES_PER_PDF, b" ".join(kids))
    return _assemble_pdf(objects)


def random_pdf_line(choose: random.Random) -> bytes:
    words = [choose.choice(NOUNS) for _ in range(3)]
    said = f"Item {choose.randrange(10**6)}: the {words[0]} near the {words[1]} and the {words[2]} is"
    return f"{said} {choose.choice(VERBS)} {choose.choice(TERMS)}.".encode()


def _assemble_pdf(objects: Sequence[bytes]) -> bytes:
    body, offsets = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, start=1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    tail = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, len(body))
    return body + b"xref\n0 %d\n0000000000 65535 f \n" % size + table + tail


if __name__ == "__main__":
    main()
