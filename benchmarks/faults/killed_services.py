"""What callers notice when PostgreSQL and Redis are killed: `python -m benchmarks.faults.killed_services` (12 minutes).

Starts Lexic as `manage.py up` does, in a folder that goes away, and asks it all the time: REST questions, streams, the
OpenAI form, MCP, uploads, the sign-in page, signing in, and a page of the builder. Every minute PostgreSQL or Redis, in
turn, is killed three times in a row (SIGKILL); the supervisor starts it again. A response is right (2xx or 4xx), clean
(502, 503 or 507 with a sentence, a code and `Retry-After`, or an error event that says as much), or a fault: anything
else, a connection that breaks among them. What an upload was answered with is compared with the database at the end:
nothing may be lost or there twice. Ends with 1 where anything was a fault, lost or doubled. `MINUTES=2` in the
environment makes it shorter.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2

from benchmarks._harness import run_benchmark
from benchmarks.ingestion import NOUNS, create_published_plugin, descendant_pids, random_sentences, running_lexic

if TYPE_CHECKING:
    from plugins.models import Plugin

MINUTES = float(os.environ.get("MINUTES", "10"))
KILLS_IN_A_ROW = 3
SETTLING_SECONDS = 240  # until everything that was uploaded has been read
PAUSE, PAUSE_AFTER_KILL = 1.5, 0.2  # seconds between two requests of one kind
CLEAN_STATUSES = frozenset({502, 503, 507})
CLEAN_CODES = frozenset({"unavailable", "queue_unavailable", "disk_full", "provider_busy"})
SERVICES = {"postgres": b"bin/postgres", "redis": b"redis-server"}
KINDS = ("ask", "stream", "chat", "call_tool", "upload", "sign_in_page", "sign_in", "builder_page")
OWNER, PASSWORD = "bench@example.org", "correct horse battery"  # of `create_published_plugin`
_ACCEPT = "application/json, text/event-stream"


@dataclass(kw_only=True)
class Traffic:
    """One client for each kind of request, and what came back."""

    address: str
    secret: str
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    uploaded: dict[str, str] = field(default_factory=dict)  # the document's id by its text
    answered: list[str] = field(default_factory=list)  # ids of questions that were answered with 200
    just_killed: threading.Event = field(default_factory=threading.Event)
    is_over: threading.Event = field(default_factory=threading.Event)

    def send_all(self) -> None:
        """Sends every kind of request, again and again, until it is over."""
        with ThreadPoolExecutor(len(KINDS)) as threads:
            for done in [threads.submit(self._repeat, getattr(self, kind)) for kind in KINDS]:
                done.result()

    def _repeat(self, send: Callable[[httpx2.Client, random.Random], str]) -> None:
        name, choose = send.__name__, random.Random(send.__name__)
        headers = {"Authorization": f"Bearer {self.secret}"}
        with httpx2.Client(base_url=self.address, headers=headers, timeout=60, trust_env=False) as client:
            while not self.is_over.is_set():
                try:
                    outcome = send(client, choose)
                except httpx2.HTTPError as error:
                    outcome = f"{type(error).__name__}: {error}"
                kind = outcome if outcome in ("right", "clean") else "fault"
                self.counts[name, kind] += 1
                if kind == "fault":
                    self.faults.append(f"{time.strftime('%H:%M:%S')} {name}: {outcome}")
                self.is_over.wait(PAUSE_AFTER_KILL if self.just_killed.is_set() else PAUSE)

    def ask(self, client: httpx2.Client, choose: random.Random) -> str:
        response = client.post("/api/v1/query", json={"plugin": "bench", "query": question(choose)})
        if response.status_code == 200:
            self.answered.append(response.headers["X-Request-Id"])
        return verdict(response)

    def stream(self, client: httpx2.Client, choose: random.Random) -> str:
        body = {"plugin": "bench", "query": question(choose), "stream": True}
        response = client.post("/api/v1/query", json=body)
        if response.status_code != 200:
            return verdict(response)
        return verdict_of_stream(response.text)

    def sign_in_page(self, client: httpx2.Client, choose: random.Random) -> str:
        return verdict_of_page(client.get("/accounts/login/"))

    def sign_in(self, client: httpx2.Client, choose: random.Random) -> str:
        """Each time from the beginning; too many are refused with 429, which is right."""
        client.cookies.clear()
        client.get("/accounts/login/")
        said = {"login": OWNER, "password": PASSWORD, "csrfmiddlewaretoken": client.cookies.get("csrftoken", "")}
        return verdict_of_page(client.post("/accounts/login/", data=said))

    def builder_page(self, client: httpx2.Client, choose: random.Random) -> str:
        if "sessionid" not in client.cookies:
            self.sign_in(client, choose)
        return verdict_of_page(client.get("/admin/"))

    def chat(self, client: httpx2.Client, choose: random.Random) -> str:
        """In the OpenAI form, whose stream ends with `[DONE]` or with an error."""
        asked = [{"role": "user", "content": question(choose)}]
        response = client.post("/v1/chat/completions", json={"model": "bench", "messages": asked, "stream": True})
        if response.status_code != 200:
            return verdict(response)
        lines = [line[6:] for line in response.text.splitlines() if line.startswith("data: ")]
        if any(f'"code": "{code}"' in lines[-1] or f'"code": "{code}"' in lines[-2] for code in CLEAN_CODES):
            return "clean"
        return "right" if lines[-1] == "[DONE]" else f"the chat ended with {lines[-1][:300]}"

    def upload(self, client: httpx2.Client, choose: random.Random) -> str:
        """A new document; one that was refused is sent again until it is taken, as a client would."""
        text = f"Note {choose.randrange(10**9):09}. {' '.join(random_sentences(choose, noun=choose.choice(NOUNS)))}"
        while True:
            file = {"file": (f"note {text[5:14]}.md", text.encode(), "text/markdown")}
            response = client.post("/api/plugins/bench/documents", files=file)
            if response.is_success:
                self.uploaded[text] = response.json()["id"]
            if (outcome := verdict(response)) != "clean":
                return outcome
            self.counts["upload", "clean"] += 1
            time.sleep(PAUSE_AFTER_KILL)

    def call_tool(self, client: httpx2.Client, choose: random.Random) -> str:
        call = {"name": "ask_expert", "arguments": {"plugin": "bench", "question": question(choose)}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        headers = {"Accept": _ACCEPT, "MCP-Protocol-Version": "2025-06-18"}
        response = client.post("/mcp", json=message, headers=headers)
        return verdict_of_tool(response) if response.status_code == 200 else verdict(response)


def question(choose: random.Random) -> str:
    return f"When is the {choose.choice(NOUNS)} inspected?"


def verdict(response: httpx2.Response) -> str:
    """`right`, `clean`, or what is wrong with the response."""
    if response.status_code < 500:
        return "right"
    with suppress(ValueError, AttributeError):
        body = response.json()
        error = body["error"]["data"] if "jsonrpc" in body else body
        if isinstance(error["error"], dict):  # as OpenAI's clients read it
            error = {"error": error["error"]["message"], "code": error["error"]["code"], "hint": "in the message"}
        is_said = all(isinstance(error.get(name), str) and error[name] for name in ("error", "code", "hint"))
        if is_said and response.status_code in CLEAN_STATUSES and "Retry-After" in response.headers:
            return "clean"
    return f"{response.status_code} {response.headers.get('content-type')} {response.text[:300]!r}"


def verdict_of_page(response: httpx2.Response) -> str:
    is_clean = response.status_code == 503 and "Retry-After" in response.headers and "<h1" in response.text
    return "clean" if is_clean else verdict(response)


def verdict_of_stream(text: str) -> str:
    events = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: {")]
    last = events[-1] if events else {}
    if last.get("type") == "done":
        return "right"
    return "clean" if last.get("code") in CLEAN_CODES else f"the stream ended with {str(last)[:300]}"


def verdict_of_tool(response: httpx2.Response) -> str:
    lines = [line[6:] for line in response.text.splitlines() if line.startswith("data: {")]
    said = json.loads(lines[-1] if lines else response.text)
    result = said.get("result") or {}
    if "result" in said and not result.get("isError"):
        return "right"
    codes = {code for code in CLEAN_CODES if code in json.dumps(said)}
    return "clean" if codes else f"the tool ended with {str(said)[:300]}"


# --- The faults -----------------------------------------------------------------------------------------------


def kill_in_turn(supervisor: int, traffic: Traffic) -> int:
    """Every minute one of the services is killed, several times in a row. Returns how many kills there were."""
    kills, end, turn = 0, time.monotonic() + 60 * MINUTES, 0
    while time.monotonic() < end:
        next_minute = time.monotonic() + 60
        time.sleep(min(20.0, 60 * MINUTES / 3))
        service = list(SERVICES)[turn % len(SERVICES)]
        traffic.just_killed.set()
        for _ in range(KILLS_IN_A_ROW):
            kills += kill_service(supervisor, service)
            time.sleep(1.0)
        time.sleep(8)
        traffic.just_killed.clear()
        turn += 1
        time.sleep(max(0.0, min(next_minute, end) - time.monotonic()))
    return kills


def kill_service(supervisor: int, name: str, *, patience: float = 20) -> int:
    """Kills the server as it stands, once it has been started again after an earlier kill."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        for pid in descendant_pids(supervisor):
            if SERVICES[name] in command_line(pid) and parent_of(pid) == supervisor:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    return 1
        time.sleep(0.05)
    return 0


def command_line(pid: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def parent_of(pid: int) -> int:
    with suppress(OSError, ValueError):
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return 0


# --- What is left ---------------------------------------------------------------------------------------------


def check_documents(plugin: Plugin, uploaded: Mapping[str, str]) -> dict[str, float]:
    """Compares what uploads were answered with the database, once everything has been read."""
    from django.db import connection
    from django.db.models import Count, Q

    from knowledge.models import Document

    connection.close()  # ours was killed with the others
    rows = Document.objects.of_plugin(plugin).filter(file_name__startswith="note ")
    end = time.monotonic() + SETTLING_SECONDS
    while rows.unfinished().exists() and time.monotonic() < end:
        time.sleep(1)
    for row in rows.exclude(status="ready"):
        print(f"{row.file_name}: {row.status} {row.error} since {row.updated_at:%H:%M:%S}", file=sys.stderr)
    ids = {str(pk) for pk in rows.values_list("pk", flat=True)}
    names = Counter(rows.values_list("file_name", flat=True))
    live = Q(pages__removed_in=None, pages__added_in__isnull=False)
    pages = rows.filter(status="ready").annotate(live=Count("pages", filter=live, distinct=True))
    return {
        "documents taken": len(uploaded),
        "documents lost": len(set(uploaded.values()) - ids),
        "documents doubled": sum(count - 1 for count in names.values()),
        "documents not read": rows.exclude(status="ready").count(),
        "documents read twice": sum(1 for row in pages if row.live != 1),
    }


def unlogged_answers(answered: list[str]) -> int:
    from querying.models import Query

    return len(set(answered)) - Query.objects.filter(pk__in=answered).count()


def run_with_server() -> dict[str, float]:
    with running_lexic() as (address, supervisor):
        plugin, _, secret = create_published_plugin(capabilities=["query", "read", "author"])
        traffic = Traffic(address=address, secret=secret)
        with ThreadPoolExecutor(1) as threads:
            sent = threads.submit(traffic.send_all)
            kills = kill_in_turn(supervisor, traffic)
            time.sleep(5)
            traffic.is_over.set()
            sent.result()
        figures: dict[str, float] = {"kills": kills}
        for name in KINDS:
            for kind in ("right", "clean", "fault"):
                figures[f"{name}: {kind}"] = traffic.counts[name, kind]
        figures |= check_documents(plugin, traffic.uploaded)
        figures["answers without a log row"] = unlogged_answers(traffic.answered)
    for line in traffic.faults:
        print(line, file=sys.stderr)
    return figures


def main() -> None:
    found: dict[str, Any] = {}

    def measured() -> dict[str, float]:
        found.update(run_with_server())
        return found

    run_benchmark(__doc__, measured)
    wrong = [name for name in found if name.endswith((": fault", "lost", "doubled", "not read", "read twice"))]
    sys.exit(1 if any(found[name] for name in wrong) else 0)


if __name__ == "__main__":
    main()
