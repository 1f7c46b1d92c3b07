"""The folders that settings name. One that is not absolute lies beside `manage.py`, wherever a command is given."""

from __future__ import annotations

from pathlib import Path

from environs import Env, ValidationError

BASE_DIR = Path(__file__).resolve().parents[2]
# One of these is in every data folder of a site that makes its own secrets or runs its own database.
_SIGNS_OF_A_SITE = ("secret_key.txt", "encryption_key.txt", "pg")


def read_data_folder(env: Env, variable: str, *, default: Path) -> Path:
    """As `read_folder`. Earlier versions took a folder that is not absolute from where the command was given: raises
    `ValidationError` where a site is there and none beside `manage.py`, instead of beginning an empty one."""
    folder = read_folder(env, variable, default=default)
    given = env.str(variable, "").strip()
    former = _resolve_from_here(given) if given else folder
    if former != folder and _is_site(former) and not _is_site(folder):
        raise ValidationError(
            f'Environment variable "{variable}" invalid: “{given}” is {folder}, and the site is in {former}. '
            "Give the whole path of the one that is meant."
        )
    return folder


def read_folder(env: Env, variable: str, *, default: Path) -> Path:
    """The default where the variable is not set, or empty as `.env.example` has it."""
    given = env.str(variable, "").strip()
    return resolve_folder(given) if given else default


def resolve_folder(given: str) -> Path:
    return (BASE_DIR / given).resolve()


def _resolve_from_here(given: str) -> Path:
    try:
        return Path(given).resolve()
    except OSError:  # the folder where the command is given is gone
        return resolve_folder(given)


def _is_site(folder: Path) -> bool:
    try:
        return any((folder / name).exists() for name in _SIGNS_OF_A_SITE)
    except OSError:  # somebody else's, such as that of whoever gave the command by sudo
        return False
