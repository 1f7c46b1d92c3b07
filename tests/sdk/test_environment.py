from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_lx_104_what_the_specification_sets_by_environment_is_set_by_environment():
    named = set(re.findall(r"^# ?([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    assert {"DATABASE_URL", "OPENAI_API_KEY", "ENCRYPTION_KEY", "LEXIC_PUBLIC_URL"} <= named


def test_the_projects_own_runs_cover_the_sdk():
    settings = (ROOT / "pyproject.toml").read_text()
    assert 'testpaths = ["tests", "sdk/tests", "lexibrarian/tests"]' in settings
    assert "cd sdk &&" in (ROOT / "Makefile").read_text()
