from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import lexic_sdk

FOLDER = Path(lexic_sdk.__file__).parent

PROGRAM = """
import sys
import lexic_sdk, lexic_sdk.autogpt, lexic_sdk.openai_tools
loaded = {name.partition(".")[0] for name in sys.modules}
print(sorted(loaded & {"django", "rest_framework", "lexic", "langchain_core", "openai", "pydantic"}))
"""


def test_lx_107_agents_need_neither_the_server_nor_the_frameworks_that_there_are_adapters_for():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd="/",
        env={"PYTHONPATH": str(FOLDER.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_what_is_exported_is_there_and_the_package_says_it_is_typed():
    assert all(hasattr(lexic_sdk, name) for name in lexic_sdk.__all__)
    assert (FOLDER / "py.typed").exists()


def test_lx_103_there_is_a_suite_of_at_least_as_many_tests_as_the_specification_counts():
    suite = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))
    assert suite.count("\ndef test_") >= 69
