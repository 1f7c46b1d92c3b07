"""`kill -9` of the web server in the middle of a run: the next server goes on, and no finished call is made again."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import httpx2
import pytest
from django.utils import timezone

from accounts.models import User
from agents.models import AgentRun
from contracts.models import ContractReview
from contracts.review.run_review import run_review
from knowledge.personal_knowledge_base import personal_knowledge_base
from plugins.models import Plugin
from querying.models import Query
from tests.agents.chatting import Frame, chatting, client_of, followed
from tests.api.mcp.clients import ROOT, surroundings
from tests.api.mcp.clients import until as hold_on
from tests.contracts.documents import NDA
from tests.conversations.layered import give

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


@contextmanager
def web_server() -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A process of its own."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "uvicorn", "lexic.asgi:application", "--port", str(port), "--lifespan", "off"]
    process = subprocess.Popen(command, cwd=ROOT, env=surroundings())
    url = f"http://127.0.0.1:{port}"

    def is_up() -> bool:
        with suppress(httpx2.TransportError):
            return httpx2.get(f"{url}/healthz", trust_env=False, timeout=20).status_code == 200
        return False

    try:
        hold_on(is_up)
        yield url, process
    finally:
        process.kill()
        process.wait(30)


def seen_until_killed(
    behind: str, number: int = 1, *, once: Callable[[], bool] = lambda: True, **body: Any
) -> list[Frame]:
    """What a reader sees of a run whose server is killed behind the event of this kind and number, once that holds."""
    seen: list[Frame] = []
    bob = User.objects.get(email="bob@example.org")
    with (
        web_server() as (url, process),
        client_of(url, bob, "query", "read", "author") as client,
        suppress(httpx2.TransportError),
        chatting(client, plugin="cover", **body) as stream,
    ):
        for frame in stream:
            seen.append(frame)
            if [one.event for one in seen].count(behind) == number:
                hold_on(once)
                process.send_signal(signal.SIGKILL)
                process.wait(30)
    AgentRun.objects.update(leased_until=timezone.now())  # as if the time had passed after which it counts as dead
    return seen


@pytest.mark.parametrize("behind", ["step_start", "step_end"])
def test_a_run_survives_its_server(published: Plugin, bob: User, behind: str) -> None:
    seen = seen_until_killed(behind)
    run = AgentRun.objects.get()
    has_searched = run.events.filter(kind="step_end").exists()
    rows = Query.objects.count()
    with web_server() as (url, _), client_of(url, bob) as client:
        rest = followed(client, seen[0].data["runId"], after=seen[-1].id)
    whole = [*seen, *rest]
    kinds = [frame.event for frame in whole]
    assert [frame.data for frame in whole if frame.event == "error"] == []
    assert kinds == ["run", "agent_type", "step_start", "step_end", *["source", "content"] * 2, "done"]
    assert [frame.id for frame in whole] == sorted({frame.id or 0 for frame in whole})
    assert not has_searched or Query.objects.count() == rows, "the finished search was not made again"
    run.refresh_from_db()
    assert run.state == "done"
    assert has_searched or run.attempts >= 2


def test_a_review_that_ends_while_no_server_is_there_is_shown_and_not_made_again(published: Plugin, bob: User) -> None:
    nda = give(personal_knowledge_base(bob), NDA)
    asked = {"message": "Please review the attached agreement", "attachments": [{"documentId": str(nda.pk)}]}
    seen = seen_until_killed("step_start", 2, once=ContractReview.objects.exists, **asked)
    run_review(ContractReview.objects.get())
    with web_server() as (url, _), client_of(url, bob) as client:
        rest = followed(client, seen[0].data["runId"], after=seen[-1].id)
    steps = ["step_start", "step_end"]
    assert [frame.event for frame in [*seen, *rest]] == [
        *("run", "agent_type"),
        *(*steps, *steps),
        *("nda_result", "content", "done"),
    ]
    assert rest[0].data["result"]["reviewId"] == str(ContractReview.objects.get().pk)
    assert AgentRun.objects.get().attempts == 2
