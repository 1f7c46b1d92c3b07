"""`lexictl init` on a terminal: eight questions, each with a default."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from example_library import Library

SOURCES = Path(__file__).parent.parent / "src"
PROGRAM = "from lexibrarian.cli.lexictl import main; main()"


def answered(project: Library, *answers: str, **environment: str) -> tuple[int, str]:
    """Run the wizard on a terminal of its own, and type the answers."""
    controller, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "init"],
        cwd=project.root,
        env={**os.environ, "PYTHONPATH": str(SOURCES), **environment},
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    os.write(controller, "".join(f"{answer}\n" for answer in answers).encode())
    out, _ = process.communicate(timeout=60)
    os.close(controller)
    os.close(terminal)
    return process.returncode, out


@pytest.fixture
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("no_keys")
def test_lb_113_114_defaults_are_taken_by_pressing_enter(empty: Library) -> None:
    empty.write("AGENTS.md", "Ours.\n")
    code, out = answered(empty, *[""] * 8)
    assert code == 0, out
    assert [f"{number}/8" in out for number in range(1, 9)] == [True] * 8
    config = empty.read(".lexibrary/config.yaml")
    assert config == 'project_name: "shop"\nscope_root: .\nagent_environment: [codex]\niwh:\n  enabled: true\n'
    assert empty.read("AGENTS.md").startswith("Ours.\n")
    assert "lexi lookup" in empty.read("AGENTS.md")


@pytest.mark.usefixtures("no_keys")
def test_lb_013_116_142_answers_are_kept_and_keys_are_not(empty: Library) -> None:
    for directory in ("src", "lib"):
        empty.write(f"{directory}/a.py", "x = 1\n")
    answers = ["My Shop", "src, nowhere", "src, lib", "claude, codex", "n", "openai", "*.gen.py", "n"]
    answers += ["900", "", "", "", "", "n", "y"]
    code, out = answered(empty, *answers, OPENAI_API_KEY="sk-planted-1234567890")
    assert code == 0, out
    assert "There is no directory nowhere." in out
    assert "never stored, logged or transmitted" in out
    assert "leaves this machine" in out
    assert "scope_root" in out
    config = empty.read(".lexibrary/config.yaml")
    assert 'project_name: "My Shop"\nscope_root: [src, lib]\nagent_environment: [codex]\n' in config
    assert "iwh:\n  enabled: false\n" in config
    assert "provider: openai" in config
    assert "api_key_env: OPENAI_API_KEY" in config
    assert "start_here_tokens: 900" in config
    assert "design_file_tokens" not in config
    assert empty.read(".lexignore") == "*.gen.py\n"
    assert not empty.has("CLAUDE.md")
    assert "sk-planted" not in out + "".join(path.read_text() for path in empty.root.rglob("*") if path.is_file())
    assert empty.lexictl("status").code in (0, 2)


@pytest.mark.usefixtures("no_keys")
def test_lb_114_the_provider_whose_key_is_there_is_suggested(empty: Library) -> None:
    code, out = answered(empty, *[""] * 7, "n", ANTHROPIC_API_KEY="x")
    assert "[anthropic]" in out
    assert code == 1
    assert "Nothing was written." in out
    assert not empty.has(".lexibrary")


def test_without_a_terminal_nothing_is_asked(empty: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    with Path(os.devnull).open() as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        done = empty.lexictl("init")
    assert done.code == 1
    assert "lexictl init --defaults" in done.err
    assert not empty.has(".lexibrary")


def test_lb_006_114_defaults_choose_no_model(empty: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    done = empty.lexictl("init", "--defaults")
    assert "Created .lexibrary/START_HERE.md" in done.out
    assert "llm" not in empty.read(".lexibrary/config.yaml")
    assert "## Navigation Protocol" in empty.read(".lexibrary/START_HERE.md")
