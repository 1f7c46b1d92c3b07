"""docs/api.md: what it shows runs as it stands, against the real server."""

from __future__ import annotations

import ast
import json
import re
import socket
import threading
from datetime import UTC, datetime
from typing import Any

import httpx2
import pytest

from api.schema.views import get_schema
from tests.docs.pages import DOCS, blocks
from tests.docs.running import ANSWER, environment, run_program
from tests.our_modules import modules
from trees.validation.tree_problems import find_problems
from webhooks import signing
from webhooks.models import TEST_EVENT, Event

__all__ = ["environment"]


# What each block prints, or parts of it; None: it is not a program.
EXPECTED: list[tuple[str, str, list[str] | None]] = [
    ("Before you start", "text", None),
    ("Before you start", "bash", ['"capabilities":["author","query"]', "structural-engineering-concrete-cover"]),
    (
        "Sign in instead of a key",
        "bash",
        ['/mcp", "authorization_servers"', '"registration_endpoint"', '"code_challenge_methods_supported": ["S256"]'],
    ),
    ("Ask", "bash", ['"outcome":"answered"', ANSWER, '"id":"src_1"']),
    ("Send it again", "bash", ["1\n"]),
    (
        "Stream",
        "bash",
        ['data: {"type": "status", "status": "planning"', '"type": "delta"', '"type": "done"', ANSWER],
    ),
    ("Many at once", "bash", ['"id": "beam"', ANSWER, '"outcome": "refused"']),
    ("Several plugins at once", "text", None),
    ("Collaborations", "text", None),
    (
        "Review a text",
        "bash",
        ['"severity":"error","category":"number"', "45 mm", '"overallCompliance":"non-compliant"'],
    ),
    ("When it asks back", "python", ["clarify How is the member exposed? ['mild', 'severe']\n", ANSWER]),
    ("OpenAI clients", "python", ["['structural-engineering-concrete-cover']", ANSWER, "answered", "citations"]),
    ("Responses", "python", ["How is the member exposed?", "clarify", ANSWER, "/source/", "True"]),
    ("Structured answers", "python", ["cover_mm=45.0 footing_cover_mm=50.0 inspected_by=None", "['src_1']", ANSWER]),
    ("MCP", "json", None),
    ("MCP", "python", [ANSWER, "Cover handbook"]),
    ("A2A", "bash", ['"supportedInterfaces":', "TASK_STATE_COMPLETED", ANSWER, '"document": "Cover handbook"']),
    ("Python", "python", [ANSWER, "Cover handbook"]),
    ("LangChain", "python", ['"answer": ', ANSWER]),
    ("Write a plugin", "bash", ['"isReady":true', '"version":"1.0.0"', '"outcome":"answered"', "steel cap"]),
    ("A tree as JSON", "json", None),
    ("Webhooks", "python", []),
    ("Webhooks", "json", None),
    ("From a browser", "html", None),
]
PROGRAMS = [(number, heading) for number, (heading, _, expected) in enumerate(EXPECTED) if expected is not None]


def test_every_block_of_the_page_is_known() -> None:
    assert [one[:2] for one in blocks("api.md")] == [one[:2] for one in EXPECTED]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("number", "heading"), PROGRAMS, ids=[heading for _, heading in PROGRAMS])
def test_each_program_runs_and_prints_what_it_should(environment: dict[str, str], number: int, heading: str) -> None:
    _, language, code = blocks("api.md")[number]
    printed = run_program(language, code, environment)
    assert [text for text in EXPECTED[number][2] or [] if text not in printed] == [], printed


def test_the_tree_of_the_page_has_no_problems() -> None:
    (shown,) = (json.loads(code) for heading, _, code in blocks("api.md") if heading == "A tree as JSON")
    assert find_problems(shown["treeData"]) == []


def test_what_is_not_a_program_is_at_least_json() -> None:
    shown = [json.loads(code) for _, language, code in blocks("api.md") if language == "json"]
    assert shown


def test_the_check_of_a_webhook_knows_our_signature_from_another() -> None:
    code = next(code for heading, _, code in blocks("api.md") if heading == "Webhooks")
    known: dict[str, Any] = {}
    exec(code, known)
    secret, body = signing.generate_webhook_secret(), b'{"type":"webhook.test"}'
    headers = signing.signature_headers(event_id="evt_1", at=datetime.now(UTC), body=body, valid=[secret])
    late = signing.signature_headers(event_id="evt_1", at=datetime(2020, 1, 1, tzinfo=UTC), body=body, valid=[secret])
    is_ours = known["is_from_lexic"]
    assert is_ours(body, headers, secret)
    assert not is_ours(body + b" ", headers, secret)
    assert not is_ours(body, headers, signing.generate_webhook_secret())
    assert not is_ours(body, late, secret)


def test_the_receiver_of_webhooks_prints_our_events_and_refuses_others(capsys: pytest.CaptureFixture[str]) -> None:
    known: dict[str, Any] = {}
    exec(next(code for heading, _, code in blocks("api.md") if heading == "Webhooks"), known)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    secret, body = signing.generate_webhook_secret(), b'{"type":"webhook.test"}'
    threading.Thread(target=known["receive"], args=[secret, port], daemon=True).start()
    headers = signing.signature_headers(event_id="evt_1", at=datetime.now(UTC), body=body, valid=[secret])
    with httpx2.Client(trust_env=False, transport=httpx2.HTTPTransport(retries=5)) as client:
        statuses = [
            client.post(f"http://127.0.0.1:{port}/", content=body, headers=sent).status_code
            for sent in (headers, {**headers, "webhook-id": "evt_2"})
        ]
    assert statuses == [204, 401]
    assert capsys.readouterr().out == f"{body.decode()}\n"


@pytest.mark.parametrize("kind", [*Event.values, TEST_EVENT])
def test_what_each_event_says_is_written_down(kind: str) -> None:
    page = (DOCS / "api.md").read_text()
    assert f"| `{kind}` | " in page


def test_the_page_names_only_routes_that_there_are() -> None:
    text = (DOCS / "api.md").read_text()
    named = set(re.findall(r"/(?:api|v1)/[a-z0-9/{}A-Z_-]+", text))
    shown = {re.sub(r"\{\w+\}", "{}", path) for path in get_schema()["paths"]} | {"/api/docs"}
    assert {re.sub(r"\{\w+\}", "{}", path).rstrip("/") for path in named} <= shown


def test_the_page_names_only_codes_that_there_are() -> None:
    rows = re.findall(r"^\| [0-9, ]+ \| (`.+) \|", (DOCS / "api.md").read_text(), re.MULTILINE)
    named = {code for row in rows for code in re.findall(r"`(\w+)`", row.split("|")[0])}
    written = {node.value for _, tree in modules(*named) for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    assert len(named) > 30
    assert named <= written


def test_the_links_of_the_page_lead_to_its_headings() -> None:
    text = (DOCS / "api.md").read_text()
    headings = {heading.lower().replace(" ", "-") for heading in re.findall(r"^## (.+)$", text, re.MULTILINE)}
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= headings
