"""API key secrets: how they are made, recognised, hashed and kept for revealing.

A secret is `lx_` and 32 random bytes in URL-safe base64 (43 characters). It is looked up by its SHA-256: with
256 bits of entropy a slow hash would add nothing. The copy for revealing is AES-256-GCM under ENCRYPTION_KEY.
"""

from __future__ import annotations

import base64
import hashlib
import re
import secrets

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings
from django.core.exceptions import ValidationError

PREFIX_LENGTH = 11  # `lx_` and eight characters: enough to tell keys apart, useless to an attacker
_NONCE_BYTES = 12
_SECRET_PATTERN = re.compile(r"lx_[A-Za-z0-9_-]{43}")


def generate_secret() -> str:
    return "lx_" + secrets.token_urlsafe(32)


def looks_like_key(secret: str) -> bool:
    return _SECRET_PATTERN.fullmatch(secret) is not None


def contains_key(text: str) -> bool:
    """Whether a secret stands somewhere in this text."""
    return _SECRET_PATTERN.search(text) is not None


def validate_key_name(name: str) -> None:
    """A validator of form fields, Django's and the REST framework's. Raises `ValidationError` for a secret."""
    if contains_key(name):
        raise ValidationError("This looks like a key. A name is shown to others, so choose another one.")


def hash_secret(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def encrypt(secret: str) -> str:
    nonce = secrets.token_bytes(_NONCE_BYTES)
    sealed = AESGCM(_encryption_key()).encrypt(nonce, secret.encode(), None)
    return base64.b64encode(nonce + sealed).decode()


def decrypt(sealed: str) -> str | None:
    """The secret, or None when ENCRYPTION_KEY has changed since it was sealed, or the copy is damaged."""
    try:
        raw = base64.b64decode(sealed)
        return AESGCM(_encryption_key()).decrypt(raw[:_NONCE_BYTES], raw[_NONCE_BYTES:], None).decode()
    except (InvalidTag, ValueError):
        return None


def _encryption_key() -> bytes:
    return hashlib.sha256(settings.ENCRYPTION_KEY.encode()).digest()
