"""Where backups go, whether they are encrypted, and how many are kept."""

from __future__ import annotations

from typing import Any

from environs import Env, ValidationError, validate

from lexic.conf.storage import read_storage

_LEAST_KEY_LENGTH = 16


def read_backups(env: Env) -> dict[str, Any]:
    """`to` is a folder, or `s3://BUCKET/PREFIX`; empty where the timetable makes no backups. `key` is empty where they
    are not encrypted. `s3` is how the bucket is reached: as that of uploads, where nothing else is said."""
    uploads = read_storage(env)
    endpoint_url = env.str("LEXIC_BACKUP_S3_ENDPOINT_URL", "").rstrip("/") or uploads["endpoint_url"]
    return {
        "to": env.str("LEXIC_BACKUP_TO", ""),
        "key": env.str("LEXIC_BACKUP_KEY", "", validate=_validate_key),
        "keep": env.int("LEXIC_BACKUP_KEEP", 14, validate=validate.Range(min=1)),
        "s3": {
            "endpoint_url": endpoint_url,
            "region": env.str("LEXIC_BACKUP_S3_REGION", "") or uploads["region"],
            "access_key_id": env.str("LEXIC_BACKUP_S3_ACCESS_KEY_ID", "") or uploads["access_key_id"],
            "secret_access_key": env.str("LEXIC_BACKUP_S3_SECRET_ACCESS_KEY", "") or uploads["secret_access_key"],
            "path_style": env.bool("LEXIC_S3_PATH_STYLE", bool(endpoint_url)),
        },
    }


def _validate_key(key: str) -> None:
    if key and len(key) < _LEAST_KEY_LENGTH:
        raise ValidationError(f"It has at least {_LEAST_KEY_LENGTH} characters.")
