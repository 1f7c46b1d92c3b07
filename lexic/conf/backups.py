"""The settings of backups: their place, encryption, and how many are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from environs import Env, ValidationError, validate

from lexic.conf.folders import refuse_former_folder, resolve_folder
from lexic.conf.storage import read_s3_store

_PREFIX = "LEXIC_BACKUP_S3_"
_LEAST_KEY_LENGTH = 16
_SIGNS_OF_BACKUPS = ("lexic-backups.json", "manifests")


def read_backups(env: Env, *, uploads: dict[str, Any]) -> dict[str, Any]:
    """`to` is a folder, or `s3://BUCKET/PREFIX`; empty where the timetable makes no backups. `key` is empty where they
    are not encrypted. `s3` is how the bucket is reached: as that of `uploads`, where nothing else is said.

    Raises `ValidationError`, naming the variable.
    """
    return {
        "to": _read_place(env.str("LEXIC_BACKUP_TO", "").strip()),
        "key": env.str("LEXIC_BACKUP_KEY", "", validate=_validate_key),
        "keep": env.int("LEXIC_BACKUP_KEEP", 14, validate=validate.Range(min=1)),
        "s3": _read_store(env, uploads),
    }


def _read_place(given: str) -> str:
    if not given or given.startswith("s3://"):
        return given
    folder = str(Path(given).expanduser())
    refuse_former_folder("LEXIC_BACKUP_TO", folder, holds=_holds_backups, what="the backups are")
    return str(resolve_folder(folder))


def _holds_backups(folder: Path) -> bool:
    return any((folder / name).exists() for name in _SIGNS_OF_BACKUPS)


def _read_store(env: Env, uploads: dict[str, Any]) -> dict[str, Any]:
    """The address with its style, the region, and the pair of keys: each whole from the one place or the other."""
    own = read_s3_store(env, prefix=_PREFIX)
    by_address, by_keys = own if own["endpoint_url"] else uploads, own if own["access_key_id"] else uploads
    return {
        "endpoint_url": by_address["endpoint_url"],
        "path_style": env.bool(f"{_PREFIX}PATH_STYLE", by_address["path_style"]),
        "region": own["region"] or uploads["region"],
        "access_key_id": by_keys["access_key_id"],
        "secret_access_key": by_keys["secret_access_key"],
    }


def _validate_key(key: str) -> None:
    if key and len(key) < _LEAST_KEY_LENGTH:
        raise ValidationError(f"It has at least {_LEAST_KEY_LENGTH} characters.")
