"""What the Procfile runs, for those who run the same in other ways."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def processes() -> dict[str, list[str]]:
    """The words of each process of the Procfile, without variables, priorities and what follows `&&`."""
    lines = (line.partition(": ") for line in (ROOT / "Procfile").read_text().splitlines())
    return {name: _words(command.partition(" && ")[0]) for name, _, command in lines}


def options(words: list[str]) -> set[str]:
    """A command's program and options, each option with its value, in whatever order and form."""
    joined = re.sub(r" (--?[a-zA-Z][\w-]*)[ =](?!-)", r" \1=", " ".join(words))
    return set(joined.split(" "))


def known_settings() -> set[str]:
    """The names of all settings, from .env.example."""
    return set(re.findall(r"^# ([A-Z][A-Z0-9_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))


def _words(command: str) -> list[str]:
    without_defaults = re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", command)
    words = shlex.split(re.sub(r"\bnice -n \d+ ", "", without_defaults))
    while re.fullmatch(r"[A-Z_]+=.*", words[0]):
        words.pop(0)
    return words
