"""The storage of uploaded files: a folder, or a bucket of any store that speaks the S3 protocol."""

from __future__ import annotations

from typing import Any

from environs import Env, ValidationError

_PREFIX = "LEXIC_S3_"
_LEAST_KEY_LENGTH = 32


def read_storage(env: Env) -> dict[str, Any]:
    """`bucket` is empty where files are kept in a folder; the rest is that of `read_s3_store`.

    Raises `ValidationError`, naming the variable, for a setting of a store that has no bucket, and as `read_s3_store`.
    """
    store = read_s3_store(env, prefix=_PREFIX)
    bucket = env.str(f"{_PREFIX}BUCKET", "")
    if store["endpoint_url"] and not bucket:
        raise ValidationError(f'Environment variable "{_PREFIX}BUCKET" not set, but {_PREFIX}ENDPOINT_URL is.')
    region, prefix = store["region"] or "us-east-1", env.str(f"{_PREFIX}PREFIX", "").strip("/")
    return {**store, "bucket": bucket, "region": region, "prefix": prefix}


def read_s3_store(env: Env, *, prefix: str) -> dict[str, Any]:
    """How the store is reached that the variables with this prefix name. `path_style`: the bucket is named in the path
    of an address, as servers of one's own want it, and not in its host.

    Raises `ValidationError`, naming the variable, for an address that is none and for half a pair of keys.
    """
    endpoint_url = env.str(f"{prefix}ENDPOINT_URL", "").rstrip("/")
    if endpoint_url and not endpoint_url.startswith(("https://", "http://")):
        raise ValidationError(f'Environment variable "{prefix}ENDPOINT_URL" invalid: begin it with https://.')
    key_id, secret = env.str(f"{prefix}ACCESS_KEY_ID", ""), env.str(f"{prefix}SECRET_ACCESS_KEY", "")
    if bool(key_id) != bool(secret):
        raise ValidationError(f"Set both {prefix}ACCESS_KEY_ID and {prefix}SECRET_ACCESS_KEY, or neither of them.")
    return {
        "endpoint_url": endpoint_url,
        "region": env.str(f"{prefix}REGION", ""),
        "access_key_id": key_id,
        "secret_access_key": secret,
        "path_style": env.bool(f"{prefix}PATH_STYLE", bool(endpoint_url)),
    }


def read_files_keys(env: Env) -> list[str]:
    """The keys of stored files, the present one first; empty where files are kept as they are.

    Raises `ValidationError` for a key that is short, and for earlier keys without a present one.
    """
    key = env.str("LEXIC_FILES_KEY", "")
    earlier: list[str] = env.list("LEXIC_FILES_KEY_FALLBACKS", [])
    if earlier and not key:
        raise ValidationError('Environment variable "LEXIC_FILES_KEY" not set, but LEXIC_FILES_KEY_FALLBACKS is.')
    keys = [key, *earlier] if key else []
    if any(len(one) < _LEAST_KEY_LENGTH for one in keys):
        raise ValidationError(f"LEXIC_FILES_KEY has at least {_LEAST_KEY_LENGTH} characters.")
    return keys
