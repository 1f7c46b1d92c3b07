"""The folders that settings name. One that is not absolute lies beside `manage.py`, wherever a command is given."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from environs import Env, ValidationError

BASE_DIR = Path(__file__).resolve().parents[2]
# One of these is in every data folder of a site that makes its own secrets or runs its own database.
_SIGNS_OF_A_SITE = ("secret_key.txt", "encryption_key.txt", "pg")


def read_data_folder(env: Env, variable: str, *, default: Path) -> Path:
    """As `read_folder`. Earlier versions took a folder that is not absolute from where the command was given: raises
    `ValidationError` where a site is there and none beside `manage.py`, instead of beginning an empty one."""
    return _read_folder(env, variable, default=default, holds=_is_site, what="the site is")


def read_files_folder(env: Env, variable: str, *, default: Path) -> Path:
    """As `read_data_folder`, of uploads."""
    return _read_folder(env, variable, default=default, holds=_holds_files, what="the files are")


def _read_folder(env: Env, variable: str, *, default: Path, holds: Callable[[Path], bool], what: str) -> Path:
    if given := env.str(variable, "").strip():
        refuse_former_folder(variable, given, holds=holds, what=what)
    return read_folder(env, variable, default=default)


def read_folder(env: Env, variable: str, *, default: Path) -> Path:
    """The default where the variable is not set, or empty as `.env.example` has it."""
    given = env.str(variable, "").strip()
    return resolve_folder(given) if given else default


def refuse_former_folder(variable: str, given: str, *, holds: Callable[[Path], bool], what: str) -> None:
    """Earlier versions took a folder that is not absolute from where the command was given. Raises `ValidationError`
    where `what` was kept there and not in the folder that is meant now."""
    folder, former = resolve_folder(given), _resolve_from_here(given)
    try:
        is_left_behind = former != folder and holds(former) and not holds(folder)
    except OSError:  # somebody else's, such as that of whoever gave the command by sudo
        return
    if is_left_behind:
        raise ValidationError(
            f'Environment variable "{variable}" invalid: “{given}” is {folder}, and {what} in {former}. '
            "Give the whole path of the one that is meant."
        )


def resolve_folder(given: str) -> Path:
    return (BASE_DIR / given).resolve()


def _resolve_from_here(given: str) -> Path:
    try:
        return Path(given).resolve()
    except OSError:  # the folder where the command is given is gone
        return resolve_folder(given)


def _is_site(folder: Path) -> bool:
    return any((folder / name).exists() for name in _SIGNS_OF_A_SITE)


def _holds_files(folder: Path) -> bool:
    """Files lie in folders by the first two digits of their hashes."""
    return next(folder.glob("[0-9a-f][0-9a-f]/*"), None) is not None
