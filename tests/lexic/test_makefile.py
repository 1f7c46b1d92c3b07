from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGETS = {"help", "demo", "run", "test", "lint", "components", "bench", "soak"}


def make(*arguments: str) -> str:
    done = subprocess.run(["make", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout


def test_make_alone_prints_every_target() -> None:
    printed = set(re.findall(r"^  make (\w+) +\S", make(), re.MULTILINE))
    assert printed == TARGETS
    assert make("help") == make()


def test_what_is_installed_depends_on_the_content_of_the_lock_files() -> None:
    install = make("--dry-run", "--always-make", "demo")
    assert "--require-hashes --no-deps -r requirements.lock" in install
    assert "requirements-dev.lock" not in install
    assert "-r requirements-dev.lock" in make("--dry-run", "--always-make", "lint")


def test_ci_runs_what_people_run_and_may_not_skip_the_browser() -> None:
    script = (ROOT / ".ci" / "run").read_text()
    assert script.splitlines()[-4:] == ["make lint", "make components", ".ci/cold_start", "make test"]
    assert "make demo" in (ROOT / ".ci" / "cold_start").read_text()
    assert "-p tests.browser_required" in make("--dry-run", "test", "CI=true")
    assert "browser_required" not in make("--dry-run", "test", "CI=")


def test_no_lock_file_names_a_host() -> None:
    for lock in ROOT.glob("requirements*.lock"):
        assert "://" not in lock.read_text()
