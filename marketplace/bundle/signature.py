"""The files of releases are signed with the Ed25519 key of the site that made them.

The signature covers the manifest, which holds the hashes of everything else in the file. The key is derived from the
secret of the site, so that there is nothing more to keep; `/.well-known/lexic-site-key` says its public half.
"""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from lexic.errors import InvalidInput
from lexic.http.strict_json import read_json
from marketplace.bundle.columns import BadBundle

_CONTEXT = b"lexic release 2\n"
_KEY_BYTES, _MAX_SITE_LENGTH = 32, 300


@dataclass(frozen=True, kw_only=True)
class Signature:
    """Who signed a file, as far as its signature is right. `is_known`: the key is ours, or an operator named it."""

    site: str
    key: str
    is_known: bool


def site_key() -> str:
    """The public key of this site, in base64."""
    return base64.b64encode(_private_key(settings.SECRET_KEY).public_key().public_bytes_raw()).decode()


def sign_manifest(manifest: bytes) -> bytes:
    """The content of `signature.json` for this manifest. The same bytes for the same manifest."""
    signed = _private_key(settings.SECRET_KEY).sign(_signed_bytes(settings.PUBLIC_URL, manifest))
    said = {"site": settings.PUBLIC_URL, "key": site_key(), "signature": base64.b64encode(signed).decode()}
    return json.dumps(said, sort_keys=True).encode()


def check_signature(body: bytes | None, *, manifest: bytes) -> Signature | None:
    """The signer of the manifest; None if it is not signed. Raises `BadBundle` for an invalid signature, and for one
    with another key than an operator has named for the site."""
    if body is None:
        return None
    site, key, signature = _parse_signature(body)
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, _signed_bytes(site, manifest))
    except (InvalidSignature, ValueError):
        raise BadBundle("Its signature is not that of its contents.") from None
    encoded = base64.b64encode(key).decode()
    known = settings.LEXIC_TRUSTED_SITES | {settings.PUBLIC_URL: site_key()}
    if known.get(site, encoded) != encoded:
        raise BadBundle(f"It is signed with another key than this site knows of {site}.")
    return Signature(site=site, key=encoded, is_known=site in known)


def _parse_signature(body: bytes) -> tuple[str, bytes, bytes]:
    try:
        said: Any = read_json(body)
        site = said["site"]
        key, signature = (base64.b64decode(said[name], validate=True) for name in ("key", "signature"))
    except (InvalidInput, KeyError, TypeError, ValueError, binascii.Error):
        raise BadBundle("Its signature.json is not what it should be.") from None
    if not isinstance(site, str) or not 0 < len(site) <= _MAX_SITE_LENGTH or len(key) != _KEY_BYTES:
        raise BadBundle("Its signature.json is not what it should be.")
    return site, key, signature


def _signed_bytes(site: str, manifest: bytes) -> bytes:
    return _CONTEXT + site.encode() + b"\n" + manifest


@cache
def _private_key(secret: str) -> Ed25519PrivateKey:
    derived = HKDF(algorithm=hashes.SHA256(), length=_KEY_BYTES, salt=None, info=_CONTEXT).derive(secret.encode())
    return Ed25519PrivateKey.from_private_bytes(derived)
