"""The version of Lexic: the number in pyproject.toml, because Lexic runs from its folder and need not be installed."""

from __future__ import annotations

import tomllib
from functools import cache

from django.conf import settings


@cache
def version() -> str:
    return str(tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text())["project"]["version"])
