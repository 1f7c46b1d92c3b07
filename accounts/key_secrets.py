"""API key secrets: how they are made, recognised, hashed and kept for revealing.

A secret is `lx_` and 32 random bytes in URL-safe base64 (43 characters). It is looked up by its SHA-256: with
256 bits of entropy a slow hash would add nothing. The copy for revealing is AES-256-GCM under ENCRYPTION_KEY; what was
sealed under one of ENCRYPTION_KEY_FALLBACKS is still read (`privacy.key_rotation` seals it anew).
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

MAX_NAME_LENGTH = 100
PREFIX_LENGTH = 11  # `lx_` and eight characters: enough to tell keys apart, useless to an attacker
_NONCE_BYTES = 12
_SECRET_PATTERN = re.compile(r"lx_[A-Za-z0-9_-]{43}")
_ACCESS_TOKEN_PATTERN = re.compile(r"lxa_[A-Za-z0-9_-]{43}")
_ANY_SECRET_PATTERN = re.compile(r"lx[ar]?_[A-Za-z0-9_-]{43}")


def generate_secret() -> str:
    return "lx_" + secrets.token_urlsafe(32)


def generate_access_token(request: object = None) -> str:
    """A secret of an OAuth client that works for some minutes. `request` is what the authorization server passes."""
    return "lxa_" + secrets.token_urlsafe(32)


def generate_refresh_token(request: object = None) -> str:
    return "lxr_" + secrets.token_urlsafe(32)


def looks_like_access_token(secret: str) -> bool:
    return _ACCESS_TOKEN_PATTERN.fullmatch(secret) is not None


def looks_like_key(secret: str) -> bool:
    return _SECRET_PATTERN.fullmatch(secret) is not None


def contains_key(text: str) -> bool:
    """Whether a secret stands somewhere in this text."""
    return _ANY_SECRET_PATTERN.search(text) is not None


def validate_key_name(name: str) -> None:
    """A validator of form fields, Django's and the REST framework's. Raises `ValidationError` for a secret."""
    if contains_key(name):
        raise ValidationError("This looks like a key. A name is shown to others, so choose another one.")


def hash_secret(secret: str) -> str:
    """What is kept of a random secret, such as a key or the token of an invitation, so that it can be recognised."""
    return hashlib.sha256(secret.encode()).hexdigest()


def encrypt(secret: str) -> str:
    nonce = secrets.token_bytes(_NONCE_BYTES)
    sealed = AESGCM(_derive(settings.ENCRYPTION_KEY)).encrypt(nonce, secret.encode(), None)
    return base64.b64encode(nonce + sealed).decode()


def decrypt(sealed: str) -> str | None:
    """The secret, or None when it was sealed under a key that is not known any more, or the copy is damaged."""
    keys = (settings.ENCRYPTION_KEY, *settings.ENCRYPTION_KEY_FALLBACKS)
    return next((opened for key in keys if (opened := _open(sealed, key)) is not None), None)


def is_current(sealed: str) -> bool:
    """Whether it was sealed under the present ENCRYPTION_KEY."""
    return _open(sealed, settings.ENCRYPTION_KEY) is not None


def _open(sealed: str, key: str) -> str | None:
    try:
        raw = base64.b64decode(sealed)
        return AESGCM(_derive(key)).decrypt(raw[:_NONCE_BYTES], raw[_NONCE_BYTES:], None).decode()
    except (InvalidTag, ValueError):
        return None


def _derive(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()
