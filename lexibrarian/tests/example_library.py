"""A project in a directory of its own, and both commands run in it."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest


@dataclass
class Done:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)


class Library:
    """A project; paths are relative to its root."""

    def __init__(self, root: Path, patch: pytest.MonkeyPatch) -> None:
        self.root = root
        self.patch = patch

    def write(self, path: str, text: str | bytes) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    def read(self, path: str) -> str:
        return (self.root / path).read_bytes().decode()

    def has(self, path: str) -> bool:
        return (self.root / path).exists()

    def design(self, source: str) -> str:
        return self.read(f".lexibrary/{source}.md")

    def edit(self, path: str, old: str, new: str) -> None:
        text = self.read(path)
        assert old in text
        self.write(path, text.replace(old, new, 1))

    def git(self, *arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=self.root, capture_output=True, check=True)
        return done.stdout.decode("utf-8", "surrogateescape")

    def everything(self) -> dict[str, bytes]:
        """All bytes of the library, but for what is derived and ignored."""
        library = self.root / ".lexibrary"
        return {
            path.relative_to(library).as_posix(): path.read_bytes()
            for path in sorted(library.rglob("*"))
            if path.is_file()
            and ".locks" not in path.parts
            and path.name not in ("index.db", ".config-checked", ".swept")
        }

    def lexi(self, *arguments: str, cwd: str = ".") -> Done:
        from lexibrarian.cli.lexi import main

        return self._run(main, "lexi", arguments, cwd)

    def lexictl(self, *arguments: str, cwd: str = ".") -> Done:
        from lexibrarian.cli.lexictl import main

        return self._run(main, "lexictl", arguments, cwd)

    def _run(self, main: Any, name: str, arguments: tuple[str, ...], cwd: str) -> Done:
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
        self.patch.chdir(self.root / cwd)
        self.patch.setattr(sys, "argv", [name, *arguments])
        code = 0
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                main()
            except SystemExit as stopped:
                code = int(stopped.code or 0)
        texts = []
        for stream in (out, err):
            stream.flush()
            stream.seek(0)
            texts.append(stream.read())
        return Done(code, *texts)


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Neither the user's configuration nor git's is read."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "Alice")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "alice@example.com")
    return home


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    """A directory without a library."""
    root = tmp_path / "shop"
    root.mkdir()
    return Library(root, monkeypatch)


@pytest.fixture
def library(empty: Library) -> Iterator[Library]:
    """A library that was just made, over nothing."""
    assert empty.lexictl("init", "--defaults").code == 0
    return empty


@pytest.fixture
def shop(library: Library) -> Library:
    """Two modules, one of which imports the other, a test and a text; the library is up to date."""
    library.write("src/shop/__init__.py", '"""Sells things."""\n')
    library.write(
        "src/shop/money.py",
        '"""Amounts of money. In cents."""\n\ndef rounded(amount: int) -> int:\n    return amount\n',
    )
    library.write(
        "src/shop/cart.py",
        "from shop.money import rounded\n\n\nclass Cart:\n    def total(self) -> int:\n        return rounded(1)\n",
    )
    library.write("tests/test_money.py", "def test_rounded(): ...\n")
    library.write("README.md", "# Shop\n\nSells things to people.\n")
    assert library.lexictl("update").code == 0
    return library
