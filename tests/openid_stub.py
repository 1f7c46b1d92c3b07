"""A provider that people sign in with, on a real port: OpenID Connect, and what Google and GitHub say in their ways.

Whoever comes is sent back at once as `person`. Tests change what it says of them.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT_ID, SECRET = "lexic", "shared with the provider"
_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
GINA = {
    "sub": "g-1",
    "email": "gina@example.org",
    "email_verified": True,
    "given_name": "Gina",
    "family_name": "Green",
}


@dataclass
class Stub:
    """`person` is what it says of whoever comes. `asked` are the addresses that were asked for, in order, with what
    came along; `issuer` is who it says it is, `refusal` what it sends people back with instead of a code."""

    url: str = ""
    person: dict[str, Any] = field(default_factory=lambda: dict(GINA))
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    issuer: str = ""
    refusal: str = ""

    def id_token(self) -> str:
        now = int(time.time())
        claims = {"iss": self.issuer or self.url, "aud": CLIENT_ID, "iat": now, "exp": now + 600, **self.person}
        return jwt.encode(claims, _KEY, algorithm="RS256", headers={"kid": "stub"})

    def settings(self) -> dict[str, Any]:
        """`SOCIALACCOUNT_PROVIDERS` that lead here."""
        app = {"client_id": CLIENT_ID, "secret": SECRET, "key": ""}
        corporate = {**app, "provider_id": "sso", "name": "Example Works", "settings": {"server_url": self.url}}
        return {
            "openid_connect": {"APPS": [corporate], "OAUTH_PKCE_ENABLED": True},
            "google": {"APPS": [app], "SCOPE": ["profile", "email"], "OAUTH_PKCE_ENABLED": True},
            "github": {"APPS": [app], "SCOPE": ["user:email"]},
        }


@contextmanager
def openid_provider() -> Iterator[Stub]:
    stub = Stub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"stub": stub}))
    server.daemon_threads = True
    stub.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    stub: Stub

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        path, query = urlsplit(self.path).path, dict(parse_qsl(urlsplit(self.path).query))
        self.stub.asked.append((path, query))
        if path == "/authorize":
            return self._back(query)
        answers = {
            "/.well-known/openid-configuration": self._configuration,
            "/keys": lambda: {"keys": [_public_key()]},
            "/userinfo": lambda: self.stub.person,
            "/github/user": lambda: {"id": 77, "login": "octo", "name": "Octo Cat", "email": None},
            "/github/user/emails": self._addresses,
        }
        return self._json(answers[path]()) if path in answers else self._json({"error": path}, status=404)

    def do_POST(self) -> None:
        body = dict(parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
        self.stub.asked.append((urlsplit(self.path).path, body))
        token = {"access_token": "t", "token_type": "Bearer", "expires_in": 600}
        self._json({**token, "id_token": self.stub.id_token()})

    def _back(self, query: dict[str, str]) -> None:
        said = {"error": self.stub.refusal} if self.stub.refusal else {"code": "c0de"}
        self.send_response(302)
        self.send_header("Location", f"{query['redirect_uri']}?{urlencode({**said, 'state': query['state']})}")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _configuration(self) -> dict[str, Any]:
        url = self.stub.url
        return {
            "issuer": url,
            "authorization_endpoint": f"{url}/authorize",
            "token_endpoint": f"{url}/token",
            "userinfo_endpoint": f"{url}/userinfo",
            "jwks_uri": f"{url}/keys",
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
        }

    def _addresses(self) -> list[dict[str, Any]]:
        person = self.stub.person
        return [{"email": person["email"], "primary": True, "verified": person["email_verified"]}]

    def _json(self, content: Any, *, status: int = 200) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _public_key() -> dict[str, Any]:
    return {**json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(_KEY.public_key())), "kid": "stub"}
