"""The secrets that Lexic makes for itself and keeps beside the data: a new one, and the earlier ones for a while."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from django.conf import settings

from lexic.errors import Conflict
from local import running_server

VARIABLES = ("SECRET_KEY", "ENCRYPTION_KEY")


class SecretElsewhere(Conflict):
    """This secret comes from the environment, and is changed there."""

    code = "secret_in_environment"


class RestartFirst(Conflict):
    """Lexic was started before this secret was changed, and still uses the earlier one."""

    code = "restart_first"
    hint = "Restart it, give “manage.py rotate_keys” again, and then end the rotation."


def begin_rotation(variable: str) -> None:
    """Makes a new secret, and keeps the one before as a fallback. Counts from the next start on.

    Raises `SecretElsewhere` where the environment sets it.
    """
    path, fallbacks = _paths(variable)
    if not path.is_file() or path.read_text().strip() != getattr(settings, variable):
        hint = f"Set {variable} to the new value and {variable}_FALLBACKS to the one before, and restart everything."
        raise SecretElsewhere(hint=hint)
    earlier = [path.read_text().strip(), *(fallbacks.read_text().split() if fallbacks.is_file() else [])]
    # The fallback first: broken off in between, nothing is lost.
    _replace_file(fallbacks, "\n".join(earlier))
    _replace_file(path, secrets.token_urlsafe(48))


def end_rotation(variable: str) -> bool:
    """Throws the earlier secrets away that are kept here. Whether there were any.

    Raises `RestartFirst` where a server still seals and signs under the earlier one: nobody could read that later.
    """
    path, fallbacks = _paths(variable)
    was_there = fallbacks.is_file()
    if was_there and path.is_file() and running_server.started_before(settings.VAR_DIR, path.stat().st_mtime):
        raise RestartFirst
    fallbacks.unlink(missing_ok=True)
    return was_there


def _paths(variable: str) -> tuple[Path, Path]:
    name = variable.lower()
    return settings.VAR_DIR / f"{name}.txt", settings.VAR_DIR / f"{name}_fallbacks.txt"


def _replace_file(path: Path, text: str) -> None:
    new = path.with_suffix(f".{secrets.token_hex(4)}")
    new.touch(mode=0o600)
    new.write_text(text)
    os.replace(new, path)  # noqa: PTH105 -- in one step
