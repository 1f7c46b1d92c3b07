"""The folders that settings name. One that is not absolute lies beside `manage.py`, wherever a command is given."""

from __future__ import annotations

from pathlib import Path

from environs import Env

BASE_DIR = Path(__file__).resolve().parents[2]


def read_folder(env: Env, variable: str, *, default: Path) -> Path:
    """The default where the variable is not set, or empty as `.env.example` has it."""
    given = env.str(variable, "").strip()
    return resolve_folder(given) if given else default


def resolve_folder(given: str) -> Path:
    return (BASE_DIR / given).resolve()
