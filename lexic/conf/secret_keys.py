"""The secrets of a site, from the environment or from files that are made once and kept beside the data."""

from __future__ import annotations

import secrets
from pathlib import Path

from environs import Env, ValidationError


def load_or_create_secret(env: Env, variable: str, *, folder: Path) -> str:
    """The variable, as it is given, or a random secret that is made once and kept in the folder.

    Raises `ValidationError` where the file is empty: with a new secret, what the former one has sealed is lost.
    """
    value: str = env.str(variable, "")
    if value.strip():
        return value  # with the line end that a mounted secret may have: what is sealed under it needs it as it was
    path = _file_of(variable, folder)
    if not path.exists():
        _create_secret(path)
    if secret := path.read_text().strip():
        return secret
    raise ValidationError(
        f"{variable} is empty: so is the file {path}. Put a copy of it there. Without one, "
        "delete it, and another one is made, which reads nothing that the former one has sealed or signed."
    )


def read_fallbacks(env: Env, variable: str, *, folder: Path) -> list[str]:
    """Earlier values, the newest first: of the variable, or of the file that `manage.py rotate_keys --begin` writes."""
    given: list[str] = env.list(f"{variable}_FALLBACKS", [])
    if given:
        return given
    path = folder / f"{variable.lower()}_fallbacks.txt"
    return path.read_text().split() if path.is_file() else []


def _file_of(variable: str, folder: Path) -> Path:
    return folder / f"{variable.lower()}.txt"


def _create_secret(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(f".{secrets.token_hex(4)}")
    new.touch(mode=0o600)
    # A hard link fails when another process was quicker; then its secret is the one that counts.
    try:
        new.write_text(secrets.token_urlsafe(48))
        path.hardlink_to(new)
    except FileExistsError:
        pass
    finally:
        new.unlink()
