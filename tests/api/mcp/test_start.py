"""The library of the protocol takes longer to load than all the rest: only who speaks it waits for that."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.api.mcp.clients import ROOT


@pytest.mark.parametrize("what", ["lexic.asgi", "lexic.urls", "api.management.commands.mcp"])
def test_nothing_loads_the_library_before_it_is_needed(what: str):
    program = f"import sys, django; django.setup(); import {what}; sys.exit('mcp' in sys.modules)"
    ended = subprocess.run([sys.executable, "-c", program], cwd=ROOT, timeout=60, check=False)
    assert ended.returncode == 0
