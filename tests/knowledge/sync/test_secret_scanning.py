"""What counts as a secret in a repository, by its name and by its values."""

from __future__ import annotations

import hashlib

import pytest
from django.core.cache import cache

from knowledge.sync import secret_scanning
from tests.linear_time import grows_linearly

AWS = "AKIA" + "Q7ZN4RW2PLKM3XCV"
RANDOM = hashlib.sha256(b"a key").hexdigest()


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("id.txt", "-----BEGIN RSA PRIVATE KEY-----"),
        ("a.py", f"client = connect({AWS!r})"),
        ("a.go", "token = ghp_" + "a1B2" * 9),
        ("a.py", "url = 'postgres://alice:s3cretw0rd@db.example.org/shop'"),
        ("a.py", 'aws_secret_access_key = "' + "wJal9XUtn3FEMI/K7MDENG/bPx" + 'RfiCYzzEXKEY"'),
        ("a.json", '"client_secret": "8f2a-77bc-41de"'),
        ("a.py", "password = 'hunter2'"),
        ("a.ts", 'const password = "correcthorsebatterystaple";'),
        ("a.py", "KEY = 'sk-ant-api03-" + "q7Bf2mXw9L" * 4 + "'"),
        ("a.js", "maps('AIza" + "SyD3x9Q" * 5 + "')"),
        ("deploy.sh", "export DB_PASSWORD=tr0ub4dor"),
        ("Dockerfile", "ENV API_KEY=9f8e7d6c5b4a"),
        ("config/app.yaml", "password: tr0ub4dor"),
        ("README.md", "Set SECRET_KEY=k3yb0ard-cat first."),
        ("a.py", f"SESSION = '{RANDOM}'"),
        ("long.js", "x" * 590 + f"('{AWS}')" + "y" * 50_000),
    ],
)
def test_values_that_look_secret(path: str, text: str) -> None:
    assert secret_scanning.reason_by_values(path, f"first\n{text}\n") == "line 2 looks like a secret"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "password: str"),
        ("a.py", "password = settings.DATABASE2"),
        ("a.py", "api_key = get_key(1)"),
        ("a.py", "token = 'changeme123'"),
        ("a.py", "secret = None"),
        ("a.py", "password = 'a long walk home'"),
        ("a.py", "SECRET_PREFIX = 'whsec_'"),
        ("a.env.example", "postgresql://user:password@host/name"),
        ("a.yaml", "password: ${DATABASE_PASSWORD_1}"),
        ("lock.json", f'"sha256": "{RANDOM}"'),
        ("a.py", "def weighs_less_than_150_kb_and_fetches_two_fonts(page): ..."),
        ("a.rs", "let password = read_password1;"),
    ],
)
def test_values_that_do_not(path: str, text: str) -> None:
    assert secret_scanning.reason_by_values(path, text) == ""


@pytest.mark.parametrize(
    ("path", "is_secret"),
    [
        ("a/.env", True),
        ("id_rsa", True),
        ("tls/site.pem", True),
        (".env.example", False),
        ("accounts/key_secrets.py", False),
        (".lexibrary/secrets.py.md", False),
    ],
)
def test_names_that_look_secret(path: str, is_secret: bool) -> None:
    assert bool(secret_scanning.reason_by_name(path)) == is_secret


def test_what_is_remembered_of_a_text_is_a_line_number(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[str, int] = {}
    monkeypatch.setattr(cache, "set", lambda key, value, _: kept.update({key: value}))
    secret_scanning.reason_by_values("a.py", f"key = {AWS!r}")
    assert [*kept.values()] == [1]
    assert AWS not in str(kept)


@pytest.mark.parametrize(
    "piece", ["password=", "postgres://a:", "eyJaaaaaaaaaaa.", "-----BEGIN A ", "sk-a", "a1b2c3", "secret ", "'ab+/' "]
)
def test_looking_for_secrets_takes_linear_time(piece: str) -> None:
    assert grows_linearly(lambda text: secret_scanning.reason_by_values("notes", text), piece, scale=10)
