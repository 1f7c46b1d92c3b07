"""Thirty-five bad requests at every interface, over real HTTP: none is a failure of ours, and each interface has one
form of error.

The form is `{"error", "code", "hint"}`; inside the envelope of the protocol where an interface speaks one (OpenAI,
JSON-RPC, OAuth, SCIM).
"""

from __future__ import annotations

import gzip
import json
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest

from accounts.models import ApiKey, User
from organisations.models import DirectoryToken, Organisation
from plugins.models import Plugin
from tests.servers import asgi_server

pytestmark = pytest.mark.django_db(transaction=True)


@dataclass(frozen=True, kw_only=True)
class Interface:
    """`text` and `number`: where in the good body a text and a number stand, or would stand."""

    path: str
    body: Any
    text: tuple[str, ...]
    number: tuple[str, ...]
    form: str = "rest"
    content_type: str = "application/json"


_CALL = {"name": "ask_expert", "arguments": {"plugin": "cover", "question": "x"}}
_MESSAGE = {"messageId": "1", "role": "ROLE_USER", "parts": [{"text": "x"}]}
_MESSAGES = [{"role": "user", "content": "x"}]
INTERFACES = {
    "query": Interface(
        path="/api/v1/query",
        body={"plugin": "cover", "query": "x", "options": {}},
        text=("query",),
        number=("options", "maxSources"),
    ),
    "authoring": Interface(path="/api/plugins", body={"name": "x"}, text=("name",), number=("public_chat_per_day",)),
    "webhooks": Interface(
        path="/api/plugins/cover/webhooks",
        body={"url": "https://hooks.example.org", "events": ["document.ready"]},
        text=("url",),
        number=("events",),
    ),
    "public chat": Interface(
        path="/api/public/cover/chat", body={"message": "x"}, text=("message",), number=("messages",)
    ),
    "batch": Interface(
        path="/api/v1/batch",
        body={"id": "1", "plugin": "cover", "query": "x"},
        text=("query",),
        number=("options",),
        content_type="application/x-ndjson",
    ),
    "chat": Interface(
        path="/v1/chat/completions",
        body={"model": "cover", "messages": _MESSAGES},
        text=("model",),
        number=("messages",),
        form="openai",
    ),
    "responses": Interface(
        path="/v1/responses", body={"model": "cover", "input": "x"}, text=("input",), number=("input",), form="openai"
    ),
    "mcp": Interface(
        path="/mcp",
        body={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": _CALL},
        text=("params", "arguments", "question"),
        number=("params", "arguments", "context"),
        form="jsonrpc",
    ),
    "a2a": Interface(
        path="/a2a/cover",
        body={"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": _MESSAGE}},
        text=("params", "message", "role"),
        number=("params", "message", "parts"),
        form="jsonrpc",
    ),
    "registration": Interface(
        path="/oauth/register",
        body={"client_name": "x", "redirect_uris": ["https://assistant.example.com/callback"]},
        text=("client_name",),
        number=("redirect_uris",),
        form="oauth",
    ),
    "tokens": Interface(
        path="/oauth/token",
        body={"grant_type": "authorization_code", "code": "x"},
        text=("code",),
        number=("code",),
        form="oauth",
        content_type="application/x-www-form-urlencoded",
    ),
    "directory": Interface(
        path="/scim/v2/Users",
        body={"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": "x@example.org"},
        text=("userName",),
        number=("emails",),
        form="scim",
        content_type="application/scim+json",
    ),
}


def put(body: Any, place: tuple[str, ...], value: Any) -> Any:
    """The body with this value at that place."""
    name, *rest = place
    return {**body, name: put(body.get(name, {}), tuple(rest), value) if rest else value}


def encoded(interface: Interface, place: tuple[str, ...], value: Any) -> bytes:
    return json.dumps(put(interface.body, place, value)).encode()


def good(interface: Interface) -> bytes:
    return json.dumps(interface.body).encode()


def with_raw(interface: Interface, raw: str) -> bytes:
    """The good body with JSON that Python would not write in place of the text."""
    return encoded(interface, interface.text, "RAW").replace(b'"RAW"', raw.encode())


Sent = tuple[bytes, dict[str, str]]
BODIES: dict[str, Callable[[Interface], bytes]] = {
    "nothing": lambda interface: b"",
    "half of JSON": lambda interface: good(interface)[:-1],
    "null": lambda interface: b"null",
    "a number": lambda interface: b"7",
    "a list of lists": lambda interface: b"[[]]",
    "an empty object": lambda interface: b"{}",
    "lists in lists without end": lambda interface: b"[" * 100_000,
    "objects nested deeply": lambda interface: b'{"a":' * 500 + b"1" + b"}" * 500,
    "depth in a field": lambda interface: with_raw(interface, "[" * 200 + "]" * 200),
    "infinity": lambda interface: with_raw(interface, "1e999"),
    "not a number": lambda interface: with_raw(interface, "NaN"),
    "a number of 5,000 digits": lambda interface: with_raw(interface, "9" * 5000),
    "a null character": lambda interface: with_raw(interface, '"a\\u0000b"'),
    "half a character": lambda interface: with_raw(interface, '"a\\ud800b"'),
    "bytes that are no UTF-8": lambda interface: encoded(interface, interface.text, "RAW").replace(b"RAW", b"\xff\xfe"),
    "UTF-16": lambda interface: json.dumps(interface.body).encode("utf-16"),
    "a number for a text": lambda interface: encoded(interface, interface.text, 7),
    "a list for a text": lambda interface: encoded(interface, interface.text, ["x", {"y": []}]),
    "an object for a text": lambda interface: encoded(interface, interface.text, {"$ne": ""}),
    "a negative number": lambda interface: encoded(interface, interface.number, -1),
    "six million characters": lambda interface: encoded(interface, interface.text, "x" * 6_000_000),
    "a thousand unknown names": lambda interface: json.dumps({f"n{n}": n for n in range(1000)}).encode(),
    "gzip that was not announced": lambda interface: gzip.compress(good(interface)),
}
HEADERS: dict[str, Callable[[Interface], Sent]] = {
    "a bomb of gzip": lambda interface: (gzip.compress(b" " * 50_000_000), {"Content-Encoding": "gzip"}),
    "a charset that is none": lambda interface: (b"{", {"Content-Type": f"{interface.content_type}; charset=bogus"}),
    "a codec for a charset": lambda interface: (
        b"\x78\x9c",
        {"Content-Type": f"{interface.content_type}; charset=zlib"},
    ),
    "a charset in an encoding that is none": lambda interface: (
        b"{",
        {"Content-Type": f"{interface.content_type}; charset*=bogus''x"},
    ),
    "a charset of half a character": lambda interface: (
        b"{",
        {"Content-Type": f"{interface.content_type}; charset*=utf-7''+2AA-"},
    ),
    "another content type": lambda interface: (b"<x/>", {"Content-Type": "application/xml"}),
    "a form without a boundary": lambda interface: (b"--x", {"Content-Type": "multipart/form-data"}),
    "a content type that is none": lambda interface: (b"x", {"Content-Type": "///;;;=,"}),
}
METHODS = {"a method of other interfaces": "PUT", "a method that is none": "BREW"}
RAW = {
    "two lengths": "Content-Length: 2\r\nContent-Length: 30",
    "a length and chunks": "Content-Length: 2\r\nTransfer-Encoding: chunked",
}


def test_there_are_thirty_five() -> None:
    assert len(BODIES) + len(HEADERS) + len(METHODS) + len(RAW) == 35


@pytest.fixture
def site(published: Plugin, alice: User) -> Any:
    """A server, and what opens each interface. Nothing runs out on the way."""
    published.public_chat = True
    published.save()
    rights = ["query", "read", "author"]
    key = ApiKey.objects.issue(owner=alice, name="all", capabilities=rights, per_minute=10**6, per_day=10**6)[1]
    clinic = Organisation.objects.create_with_owner(name="Clinic", owner=alice)
    with asgi_server() as url:
        yield url, key, DirectoryToken.objects.issue(clinic, by=alice)


def is_error_of(form: str, body: Any) -> bool:
    """Whether the body is an error as this interface writes it."""
    if form == "openai":
        return set(body) == {"error"} and {"message", "type", "code", "param"} <= body["error"].keys()
    if form == "scim":
        return body.get("schemas") == ["urn:ietf:params:scim:api:messages:2.0:Error"] and bool(body["detail"])
    if form == "oauth":
        return isinstance(body.get("error"), str) and bool(body["error"])
    if form == "jsonrpc":
        refused = body.get("error") or body.get("result", {}).get("_meta", {}).get("lexic/error")
        return bool(refused) and ("message" in refused or "error" in refused)
    return {"error", "code", "hint"} <= body.keys() and all(isinstance(body[name], str) for name in ("error", "code"))


def last_message(response: httpx2.Response) -> Any:
    """The JSON of an answer, or of the last event of a stream."""
    if response.headers["content-type"].startswith("text/event-stream"):
        return json.loads([line[6:] for line in response.text.splitlines() if line.startswith("data: {")][-1])
    return response.json()


@pytest.mark.parametrize("name", INTERFACES)
def test_each_is_refused_in_the_form_of_its_door(site: tuple[str, str, str], name: str) -> None:
    url, key, directory = site
    interface, wrong = INTERFACES[name], []
    token = directory if interface.form == "scim" else key
    accept = "application/json, text/event-stream" if name == "mcp" else "*/*"
    given = {"Authorization": f"Bearer {token}", "Content-Type": interface.content_type, "Accept": accept}
    sent: dict[str, tuple[str, Sent]] = {what: ("POST", (make(interface), {})) for what, make in BODIES.items()}
    sent |= {what: ("POST", make(interface)) for what, make in HEADERS.items()}
    sent |= {what: (method, (good(interface), {})) for what, method in METHODS.items()}
    with httpx2.Client(trust_env=False, timeout=120, headers=given) as client:
        for what, (method, (content, headers)) in sent.items():
            response = client.request(method, url + interface.path, content=content, headers=headers)
            answered = last_message(response) if response.content else {}
            if response.status_code >= 500 or not is_error_of(interface.form, answered):
                wrong.append((what, response.status_code, response.text[:200]))
    assert wrong == []


@pytest.mark.parametrize("headers", RAW.values(), ids=list(RAW))
def test_conflicting_lengths_reach_no_door(site: tuple[str, str, str], headers: str) -> None:
    url, key, _ = site
    at = urlsplit(url)
    for interface in INTERFACES.values():
        head = f"POST {interface.path} HTTP/1.1\r\nHost: {at.netloc}\r\nAuthorization: Bearer {key}\r\n"
        head += f"Content-Type: {interface.content_type}\r\nConnection: close\r\n{headers}\r\n\r\n"
        with socket.create_connection((at.hostname, at.port), timeout=60) as connection:
            connection.sendall(head.encode() + b"0\r\n\r\n")
            answer = b"".join(iter(lambda: connection.recv(65536), b""))
        assert 400 <= int(answer.split()[1]) < 500, answer[:300]
