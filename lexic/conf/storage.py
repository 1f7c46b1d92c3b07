"""Where uploaded files are kept: in a folder, or in a bucket of any store that speaks the protocol of S3."""

from __future__ import annotations

from typing import Any

from environs import Env, ValidationError

_PREFIX = "LEXIC_S3_"


def read_storage(env: Env) -> dict[str, Any]:
    """`bucket` is empty where files are kept in a folder. `path_style`: the bucket is named in the path of an address,
    as servers of one's own want it, and not in its host.

    Raises `ValidationError`, naming the variable, for a setting of a store that has no bucket and for half a pair of
    keys.
    """
    endpoint_url = env.str("LEXIC_S3_ENDPOINT_URL", "").rstrip("/")
    storage = {
        "bucket": env.str("LEXIC_S3_BUCKET", ""),
        "endpoint_url": endpoint_url,
        "region": env.str("LEXIC_S3_REGION", "") or "us-east-1",
        "prefix": env.str("LEXIC_S3_PREFIX", "").strip("/"),
        "access_key_id": env.str("LEXIC_S3_ACCESS_KEY_ID", ""),
        "secret_access_key": env.str("LEXIC_S3_SECRET_ACCESS_KEY", ""),
        "path_style": env.bool("LEXIC_S3_PATH_STYLE", bool(endpoint_url)),
    }
    if endpoint_url and not endpoint_url.startswith(("https://", "http://")):
        raise ValidationError(f'Environment variable "{_PREFIX}ENDPOINT_URL" invalid: begin it with https://.')
    if endpoint_url and not storage["bucket"]:
        raise ValidationError(f'Environment variable "{_PREFIX}BUCKET" not set, but {_PREFIX}ENDPOINT_URL is.')
    if bool(storage["access_key_id"]) != bool(storage["secret_access_key"]):
        raise ValidationError(f"Set both {_PREFIX}ACCESS_KEY_ID and {_PREFIX}SECRET_ACCESS_KEY, or neither of them.")
    return storage
