"""docs/operations.md speaks of settings and commands that there are."""

from __future__ import annotations

import re

from django.core.management import get_commands

from tests.docs.pages import DOCS

TEXT = (DOCS / "operations.md").read_text()


def test_every_setting_it_names_can_be_set() -> None:
    known = (DOCS.parent / ".env.example").read_text()
    named = set(re.findall(r"`((?:LEXIC_)?[A-Z]+(?:_[A-Z]+)+)`", TEXT))
    assert {name for name in named if f"# {name}=" not in known} == {"SHARED_DATABASE_URL", "NEXTAUTH_URL"}, "no others"
    assert len(named) > 15


def test_every_command_it_names_is_there() -> None:
    named = set(re.findall(r"manage\.py (\w+)", TEXT))
    assert named - set(get_commands()) == set()
    table = set(re.findall(r"^\| `manage\.py (\w+)`(?:, `(\w+)`)?", TEXT, re.MULTILINE))
    assert len(table) > 10


def test_every_program_of_ours_is_in_its_table() -> None:
    ours = {name for name, app in get_commands().items() if isinstance(app, str) and (DOCS.parent / app).is_dir()}
    assert {name for name in ours if f"`manage.py {name}`" not in TEXT and f"`{name}`" not in TEXT} == set()
