import platform
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="of glibc alone")

# Large buffers and small ones that stay, in turns; prints by how many megabytes the process has grown at the end.
PROGRAM = """
from pathlib import Path
{begin}

def resident():
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("RssAnon")).split()[1]) // 1024

def fill(size):
    # What is kept lies behind each buffer, as a result lies behind what it was made from.
    kept, buffers = [], []
    for _ in range(64):
        buffers.append(bytearray(b"x") * size)
        kept.append(bytearray(b"x") * 2000)
    return kept

before, kept = resident(), []
for size in (1 << 20, 1 << 20, 1 << 20):
    kept += fill(size)
print(resident() - before)
"""


def growth(begin: str) -> int:
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(begin=begin)], capture_output=True, text=True, check=True, timeout=60
    )
    return int(ran.stdout)


@pytest.mark.parametrize(
    "begin",
    [
        "from local.process_memory import return_memory_early; return_memory_early()",
        "import lexic.asgi",
        "from celery.signals import worker_init; import lexic.celery; worker_init.send(lexic.celery.app)",
    ],
    ids=["by itself", "a web process", "a worker"],
)
def test_buffers_that_were_freed_are_given_back(begin):
    assert growth(begin) < 16


def test_without_it_they_are_kept():
    assert growth("") > 32
