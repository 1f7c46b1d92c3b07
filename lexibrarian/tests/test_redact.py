"""What takes secrets out of texts by itself, and what detect-secrets adds before a text leaves the machine."""

from __future__ import annotations

import pytest
from detect_secrets.settings import default_settings, get_plugins

from lexibrarian.archivist.redact import REDACTED, redact, redact_thoroughly

RANDOM = "q7Bf2mXw9LkTz4RvNc8JpYs1HdGe6Ua3Ki0o"
# The path of a text, the text with `{}` where the secret stands, and the secret.
MISSED = [
    ("a.txt", "-----BEGIN RSA PRIVATE KEY-----\nMIIEvQIBADANBg\n{}\n-----END RSA PRIVATE KEY-----", "k3yb0ard"),
    ("a.py", "# Call it with {}.", f"ghp_{RANDOM}"),
    ("a.py", "# Call it with {}.", f"github_pat_11ABCDEFG0_{RANDOM}"),
    ("a.py", "# Call it with {}.", "sk_test_4eC39HqLyjWDarjtT1zdp7dc"),
    ("a.py", "# Call it with {}.", "sk-proj-Ab3d_Ef6hIjKlMn0pQrSt"),
    ("a.py", "# Call it with {}.", f"sk-ant-api03-{RANDOM}"),
    ("a.py", "# Call it with {}.", "AIzaSyA1234567890abcdefghijklmnopqrstu"),
    ("a.py", "# Call it with {}.", f"npm_{RANDOM}"),
    ("a.py", "# Call it with {}.", "glpat-AbCdEfGh1234567890ij"),
    ("a.py", "# Call it with {}.", f"hf_{RANDOM}"),
    ("a.py", "# Call it with {}.", f"SG.{RANDOM[:22]}.{RANDOM}"),
    ("a.py", "# Call it with {}.", f"whsec_{RANDOM}"),
    ("a.py", "# Call it with {}.", "xoxe-1234567890-abcdefABCDEF"),
    ("a.py", "# Call it with eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.{}", "k3yb0ard"),
    ("a.yaml", "url: redis://:{}@localhost/0", "k3yb0ard"),
    ("a.py", 'def login(password: str = "{}") -> None: ...', "k3yb0ard"),
    ("a.js", 'const settings = {{ token: "{}" }}', "k3yb0ard"),
    ("a.sh", "export API_TOKEN={}", "k3yb0ard"),
    ("a.sh", "SALT={}", RANDOM),
]
FOUND_TOO = [
    ("a.py", "# Call it with {}.", "AKIAQ3EGUWYJ5BKHCVLM"),
    ("a.py", "# Call it with {}.", f"pypi-AgEIcHlwaS5vcmc{RANDOM}{RANDOM}"),
    ("a.py", "# Call it with {}.", "xoxb-123456789012-abcdefABCDEF"),
    ("a.py", "# Call it with {}.", "sk_live_4eC39HqLyjWDarjtT1zdp7dc"),
    ("a.py", 'URL = "postgres://lexic:{}@localhost/db"', "k3yb0ard"),
    ("a.go", 'password := "{}"', "k3yb0ard"),
    ("a.json", '{{"apiKey": "{}"}}', "k3yb0ard"),
    ("a.yaml", "client_secret: {}", "k3yb0ard"),
    ("a.py", 'SALT = "{}"', RANDOM),
]


def found_by_detect_secrets(path: str, text: str) -> set[str]:
    """The values that detect-secrets finds in a text, with its own settings."""
    with default_settings():
        return {
            str(secret.secret_value)
            for plugin in get_plugins()
            for at, line in enumerate(text.split("\n"), 1)
            for secret in plugin.analyze_line(filename=path, line=line, line_number=at)
        }


@pytest.mark.parametrize(("path", "text", "secret"), MISSED)
def test_the_patterns_find_what_detect_secrets_misses(path: str, text: str, secret: str) -> None:
    whole = text.format(secret)
    # A pattern whose last case fails here is no longer needed for texts that leave the machine.
    assert not any(secret in value for value in found_by_detect_secrets(path, whole))
    assert secret not in redact(whole)
    assert secret not in redact_thoroughly(whole, path)


@pytest.mark.parametrize(("path", "text", "secret"), FOUND_TOO)
def test_without_the_extra_no_secret_that_it_would_find_is_stored(path: str, text: str, secret: str) -> None:
    whole = text.format(secret)
    assert any(secret in value for value in found_by_detect_secrets(path, whole))
    assert REDACTED in redact(whole)
    assert secret not in redact(whole)


def test_detect_secrets_adds_what_no_pattern_knows() -> None:
    text = "# bot MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs answers"
    assert redact(text) == text
    assert "ZnCjm1XVW7vRze4b7Cq4se7kKWs" not in redact_thoroughly(text, "a.txt")
