"""The package by itself: what it imports, how it starts, and that it installs from its wheel."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCES = ROOT / "src" / "lexibrarian"
ALLOWED = {"click", "yaml", "pydantic", "tree_sitter", "lexibrarian"}
EXTRAS = {"mcp", "httpx", "detect_secrets", "watchdog"}


def test_lb_002_003_004_it_imports_its_dependencies_and_nothing_of_the_platform() -> None:
    used = set()
    for path in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                used |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                used.add((node.module or "").partition(".")[0])
    assert used - set(sys.stdlib_module_names) == ALLOWED | EXTRAS


def test_commands_start_without_what_they_do_not_need(tmp_path: Path) -> None:
    program = (
        "import sys; from lexibrarian.cli.lexi import lexi; from lexibrarian.cli.lexictl import lexictl\n"
        "import lexibrarian.lookup\n"
        "print(sorted({'pydantic', 'tree_sitter', 'sqlite3', 'logging'} & set(sys.modules)))"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_lb_122_the_wheel_has_both_commands(tmp_path: Path) -> None:
    build = [
        sys.executable,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "wheel",
        "-q",
        "--no-deps",
        "--no-build-isolation",
    ]
    subprocess.run([*build, "-w", str(tmp_path), str(ROOT)], check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name.endswith("-py3-none-any.whl")
    installed = tmp_path / "installed"
    install = [
        sys.executable,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "install",
        "-q",
        "--no-deps",
        "--no-index",
        "--target",
    ]
    subprocess.run([*install, str(installed), str(wheel)], check=True, capture_output=True)
    project = tmp_path / "project"
    project.mkdir()
    (project / "a.py").write_text('"""An example."""\n')
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    for command in (["lexictl", "init", "--defaults"], ["lexictl", "update"], ["lexi", "lookup", "a.py"]):
        done = subprocess.run(
            [sys.executable, str(installed / "bin" / command[0]), *command[1:]],
            cwd=project,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    assert 'description: "An example."' in done.stdout
