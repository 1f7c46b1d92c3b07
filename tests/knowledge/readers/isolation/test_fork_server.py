from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time
from contextlib import closing
from pathlib import Path

import pytest

from knowledge.readers.isolation import child_process, reader_process
from knowledge.readers.isolation.reader_process import read_pages
from knowledge.readers.types import DamagedDocument, OutOfMemory, PageText

ROOT = Path(__file__).resolve().parents[4]
CRASH = "os.kill(os.getpid(), signal.SIGSEGV)"
# Its pid, its parent, its session and its folder.
WHO = """
import json
about = f"{os.getpid()} {os.getppid()} {os.getsid(0)} {os.getcwd()}"
print(json.dumps(["header", None, 1, False, {"about": about}]))
print('["page",1,"text",null,[]]')
print('["end"]')
"""


@pytest.fixture(autouse=True)
def other_programs(tmp_path, monkeypatch):
    """The text of a document is the program that stands in the reader's place."""
    (tmp_path / "entry.py").write_text("import os, sys, signal, time\nexec(open(sys.argv[1]).read())\n")
    monkeypatch.setattr(reader_process, "_READER_ENTRY", tmp_path / "entry.py")


def read(tmp_path: Path, program: str) -> list:
    document = tmp_path / "document"
    document.write_text(textwrap.dedent(program))
    return list(read_pages(document, source_type="text"))


def about(tmp_path: Path) -> tuple[int, int, int, str]:
    child, server, session, folder = read(tmp_path, WHO)[0].metadata["about"].split(" ")
    return int(child), int(server), int(session), folder


def test_each_document_has_a_process_a_session_and_a_folder_of_its_own(tmp_path):
    first, second = about(tmp_path), about(tmp_path)
    assert first[1] == second[1] == child_process._servers.usable()._process.pid
    assert first[0] == first[2] != second[0] == second[2]
    assert first[3] != second[3]
    assert not Path(first[3]).exists()


def test_what_one_document_does_to_its_process_the_next_does_not_see(tmp_path):
    with pytest.raises(DamagedDocument):
        read(tmp_path, "sys.path.clear(); import builtins; builtins.open = None; os.environ['X'] = '1'; os.nice(5)")
    assert read(tmp_path, WHO)[1:] == [PageText(number=1, text="text")]


def test_a_document_that_crashes_its_process_fails_alone_and_the_next_has_a_new_server(tmp_path):
    server = about(tmp_path)[1]
    with pytest.raises(DamagedDocument):
        read(tmp_path, CRASH)
    assert about(tmp_path)[1] != server
    assert _ends(server)


def test_a_server_is_replaced_after_a_number_of_documents(tmp_path, monkeypatch):
    monkeypatch.setattr(child_process, "_CHILDREN_OF_ONE_SERVER", 2)
    child_process._servers.usable().retire()
    servers = [about(tmp_path)[1] for _ in range(4)]
    assert servers[0] == servers[1] != servers[2] == servers[3]


def test_a_document_whose_server_is_lost_is_read_by_a_process_without_one(tmp_path):
    program = """
        print('["header",null,2,true,{}]')
        print('["page",1,"one",null,[]]', flush=True)
        if os.getppid() != int(open("TEST").read()):
            os.kill(os.getppid(), signal.SIGKILL)
            time.sleep(600)
        print('["page",2,"two",null,[]]')
        print('["end"]')
        """
    (tmp_path / "us").write_text(str(os.getpid()))
    events = read(tmp_path, program.replace("TEST", str(tmp_path / "us")))
    assert [event.text for event in events[1:]] == ["one", "two"]
    assert about(tmp_path)[1] != os.getpid()


def test_a_child_that_is_killed_from_outside_is_no_lost_server(tmp_path):
    with pytest.raises(OutOfMemory):
        read(tmp_path, "os.kill(os.getpid(), signal.SIGKILL)")


def test_server_and_child_die_with_the_process_that_reads(tmp_path):
    (tmp_path / "document").write_text(
        f"open({str(tmp_path / 'pids')!r}, 'w').write(f'{{os.getpid()}} {{os.getppid()}}')\n"
        "print('[\"header\",null,1,false,{}]', flush=True)\ntime.sleep(600)"
    )
    program = f"""
        from pathlib import Path
        from knowledge.readers.isolation import reader_process
        reader_process._READER_ENTRY = Path({str(tmp_path / "entry.py")!r})
        events = reader_process.read_pages(Path({str(tmp_path / "document")!r}), source_type="text")
        print(next(events), flush=True)
        next(events)
        """
    parent = subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)], cwd=ROOT, stdout=subprocess.PIPE)
    parent.stdout.readline()
    parent.kill()
    parent.wait()
    parent.stdout.close()
    child, server = map(int, (tmp_path / "pids").read_text().split())
    assert _ends(child)
    assert _ends(server)


def test_a_process_that_was_forked_has_a_server_of_its_own(tmp_path):
    ours = about(tmp_path)[1]
    receiving, sending = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(sending, str(about(tmp_path)[1]).encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert int(os.read(receiving, 100)) != ours
    os.close(receiving)
    os.close(sending)
    assert about(tmp_path)[1] == ours


def test_several_are_read_at_once(tmp_path):
    (tmp_path / "slow").write_text("print('[\"header\",null,1,false,{}]', flush=True)\ntime.sleep(600)")
    with closing(read_pages(tmp_path / "slow", source_type="text")) as slow:
        next(slow)
        assert about(tmp_path)


def _ends(pid: int) -> bool:
    for _ in range(1200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.05)
    return False


def test_a_server_that_ends_before_it_answers_holds_up_nobody(tmp_path, monkeypatch):
    """It has the request, and goes without having read it."""
    mute = tmp_path / "mute_server.py"
    mute.write_text("import select, sys\nselect.select([int(sys.argv[1])], [], [])\n")
    monkeypatch.setattr(child_process, "_SERVER_PROGRAM", mute)
    child_process._servers.usable().retire()
    try:
        assert about(tmp_path)[1] == os.getpid()  # a child of our own
    finally:
        child_process._servers.usable().retire()
