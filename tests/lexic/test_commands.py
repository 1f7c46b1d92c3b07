from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError

from lexic.errors import LexicError
from lexic.management.lexic_command import LexicCommand


class Refused(LexicError):
    """No."""

    hint = "Ask something else."


class Refusing(LexicCommand):
    help = "First line.\nSecond line."
    epilog = "Examples:\n  manage.py refuse"

    def handle(self, *args: Any, **options: Any) -> None:
        raise Refused


def test_an_error_ends_a_command_with_a_sentence_and_what_to_do() -> None:
    with pytest.raises(CommandError, match=r"No\. Ask something else\."):
        call_command(Refusing())


def test_the_commands_own_options_come_first() -> None:
    class Choosing(Refusing):
        def add_arguments(self, parser: Any) -> None:
            parser.add_argument("--colour", help="of the answer")

    text = Choosing().create_parser("manage.py", "choose").format_help()
    options = text[text.index("options:") :]
    assert options.index("--colour") < options.index("--version")


def test_help_keeps_its_lines() -> None:
    text = Refusing().create_parser("manage.py", "refuse").format_help()
    assert "First line.\nSecond line." in text
    assert text.rstrip().endswith("Examples:\n  manage.py refuse")


def test_the_list_of_commands_is_that_of_django_and_loads_no_models() -> None:
    ours = (
        "import sys; sys.argv = ['manage.py', '--help']; import manage; manage.main(); "
        "sys.exit('knowledge.models' in sys.modules)"
    )
    listed = run_python(ours)
    django_lists = (
        "import sys, django, lexic; django.setup(); from django.core.management import ManagementUtility; "
        "print(ManagementUtility(['manage.py', '--help']).main_help_text())"
    )
    assert listed == run_python(django_lists)
    assert "    ingest\n" in listed


def run_python(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=settings.BASE_DIR,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "lexic.settings"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout
