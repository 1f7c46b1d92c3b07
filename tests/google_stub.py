"""Google's OAuth and Drive on a real port, as far as Lexic speaks with them. Tests say how it misbehaves."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import pytest

from lexic import egress
from lexic.egress import EgressPolicy

SCOPE = "https://www.googleapis.com/auth/drive.readonly"
REFRESH_TOKEN = "1//refresh-xyzzy-secret"


@dataclass
class Google:
    """`files` by id, each with `name`, `mimeType` and `content`. `answers` are given instead of its own: by path, a
    status, headers and a body, until they are taken back. `asked` are the requests in order: path and what came along.
    """

    url: str = ""
    port: int = 0
    files: dict[str, dict[str, Any]] = field(default_factory=dict)
    answers: dict[str, tuple[int, dict[str, str], bytes]] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    scope: str = SCOPE
    email: str = "ada@gmail.example"
    accepted: set[str] = field(default_factory=set)
    refreshable: set[str] = field(default_factory=lambda: {REFRESH_TOKEN})
    revoked: list[str] = field(default_factory=list)
    challenge: str = ""
    made: int = 0

    def add(self, file_id: str, name: str, content: bytes, media_type: str = "text/plain", **more: Any) -> str:
        self.files[file_id] = {"name": name, "mimeType": media_type, "content": content, **more}
        return file_id

    def said(self, path: str) -> list[dict[str, str]]:
        """What came along with the requests for this path."""
        return [came for asked, came in self.asked if asked == path]

    def settings(self) -> dict[str, str]:
        return {
            "client_id": "lexic-client",
            "secret": "client-secret",
            "authorize_url": f"{self.url}/authorize",
            "token_url": f"{self.url}/token",
            "revoke_url": f"{self.url}/revoke",
            "drive_url": f"{self.url}/drive",
        }

    def problem(self, status: int, reason: str) -> tuple[int, dict[str, str], bytes]:
        return status, {}, json.dumps({"error": {"code": status, "errors": [{"reason": reason}]}}).encode()


@contextmanager
def google_running() -> Iterator[Google]:
    google = Google()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"google": google}))
    server.daemon_threads = True
    google.port = server.server_address[1]
    google.url = f"http://127.0.0.1:{google.port}"
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield google
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def google(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Google]:
    """Google on this machine, to which the egress policy makes one exception."""
    with google_running() as stub:
        settings.GOOGLE_DRIVE = stub.settings()
        policy = EgressPolicy(exempt=frozenset({("127.0.0.1", stub.port)}))
        monkeypatch.setattr(egress, "get", partial(egress.get, policy=policy))
        monkeypatch.setattr(egress, "post", partial(egress.post, policy=policy))
        yield stub


class _Handler(BaseHTTPRequestHandler):
    google: Google

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        path, query = urlsplit(self.path).path, dict(parse_qsl(urlsplit(self.path).query))
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        self.google.asked.append((path, {**query, "token": token}))
        if path in self.google.answers:
            return self._send(*self.google.answers[path])
        if token not in self.google.accepted:
            return self._json({"error": {"code": 401}}, status=401)
        parts = path.strip("/").split("/")
        if parts == ["drive", "about"]:
            return self._json({"user": {"emailAddress": self.google.email}})
        if parts == ["drive", "files"]:
            return self._list(query)
        found = self.google.files.get(parts[2]) if len(parts) > 2 else None
        if found is None:
            return self._json({"error": {"code": 404}}, status=404)
        if parts[3:] == ["export"] or query.get("alt") == "media":
            return self._send(200, {}, found["content"])
        return self._json(_described(parts[2], found))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        path, fields = urlsplit(self.path).path, {name: values[0] for name, values in parse_qs(body).items()}
        self.google.asked.append((path, fields))
        if path in self.google.answers:
            return self._send(*self.google.answers[path])
        if path == "/revoke":
            self.google.revoked.append(fields["token"])
            self.google.refreshable.discard(fields["token"])
            return self._json({})
        return self._token(fields)

    def _token(self, fields: dict[str, str]) -> None:
        google = self.google
        if fields["client_secret"] != "client-secret":
            return self._json({"error": "invalid_client"}, status=401)
        if fields["grant_type"] == "authorization_code":
            digest = hashlib.sha256(fields["code_verifier"].encode()).digest()
            if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != google.challenge:
                return self._json({"error": "invalid_grant"}, status=400)
        elif fields["refresh_token"] not in google.refreshable:
            return self._json({"error": "invalid_grant"}, status=400)
        google.made += 1
        token = f"access-{google.made}"
        google.accepted = {token}
        said = {"access_token": token, "expires_in": 3599, "scope": google.scope, "token_type": "Bearer"}
        if fields["grant_type"] == "authorization_code":
            google.refreshable.add(REFRESH_TOKEN)
            said["refresh_token"] = REFRESH_TOKEN
        return self._json(said)

    def _list(self, query: dict[str, str]) -> None:
        ids, size = sorted(self.google.files), int(query["pageSize"])
        start = int(query.get("pageToken", "0"))
        page = [_described(one, self.google.files[one]) for one in ids[start : start + size]]
        following = {"nextPageToken": str(start + size)} if start + size < len(ids) else {}
        return self._json({"files": page, **following})

    def _json(self, content: Any, *, status: int = 200) -> None:
        self._send(status, {"Content-Type": "application/json"}, json.dumps(content).encode())

    def _send(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _described(file_id: str, file: dict[str, Any]) -> dict[str, Any]:
    size = {} if "google-apps" in file["mimeType"] else {"size": str(file.get("size", len(file["content"])))}
    return {
        "id": file_id,
        "name": file["name"],
        "mimeType": file["mimeType"],
        "modifiedTime": "2026-11-03T10:15:00.000Z",
        **size,
    }
