from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import textwrap
import time
from contextlib import closing
from pathlib import Path

import pytest

from knowledge.readers.isolation import reader_process
from knowledge.readers.isolation.reader_process import read_pages
from knowledge.readers.types import (
    MEGABYTE,
    DamagedDocument,
    DocumentHeader,
    EmptyDocument,
    EncryptedDocument,
    Limits,
    NoText,
    OutOfMemory,
    PageText,
    ReadingPoint,
    ReadingTimedOut,
    TooLarge,
    TooManyPages,
    UnreadableDocument,
    UnsupportedDocument,
)
from tests.knowledge.readers.made import lines, pdf, read_here, ruled_table
from tests.shared_data import shared

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def impostor(tmp_path, monkeypatch):
    """Puts another program in the reader's place, to see what the parent makes of it."""

    def use(program: str) -> Path:
        entry = tmp_path / "entry.py"
        entry.write_text("import os, sys, time, resource, signal, socket\n" + textwrap.dedent(program))
        monkeypatch.setattr(reader_process, "_READER_ENTRY", entry)
        document = tmp_path / "document"
        document.write_bytes(b"x")
        return document

    return use


def test_the_sandbox_reads_what_the_reader_reads(tmp_path):
    path = pdf(tmp_path / "a.pdf", ruled_table(), lines("26.4.2 Nominal cover", "Second “page” ≥ 1."))
    assert list(read_pages(path, source_type="pdf")) == [read_here(path, "pdf")[0], *read_here(path, "pdf")[1]]


def test_pages_come_while_the_rest_is_still_unread(tmp_path):
    path = pdf(tmp_path / "a.pdf", *[lines(f"Page {number} of the document.") for number in range(400)])
    events = read_pages(path, source_type="pdf")
    assert isinstance(next(events), DocumentHeader)
    assert next(events).number == 1
    events.close()


def test_closing_the_iterator_ends_the_child(tmp_path, impostor):
    document = impostor(
        f"""
        open({str(tmp_path / "pid")!r}, "w").write(str(os.getpid()))
        print('["header",null,1,false,{{}}]', flush=True)
        time.sleep(600)
        """
    )
    with closing(read_pages(document, source_type="text")) as events:
        next(events)
    assert not _is_alive(int((tmp_path / "pid").read_text()))


def test_the_child_dies_with_its_parent(tmp_path):
    fifo = tmp_path / "never-written"
    os.mkfifo(fifo)
    # The reader's size check passes over a pipe: it waits for ever in `open`, so only a signal can end it.
    parent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import os; from pathlib import Path; from knowledge.readers.types import Limits;"
            "from knowledge.readers.isolation.reader_process import ReaderProcess;"
            f"child = ReaderProcess(Path({str(fifo)!r}), 'text', Limits(), {str(tmp_path)!r});"
            "print(child._process.pid, flush=True); os.wait()",
        ],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert _ends(child)


def test_a_program_without_an_end_is_killed_after_its_time(impostor):
    document = impostor("while True: time.sleep(1)")
    with pytest.raises(ReadingTimedOut):
        list(read_pages(document, source_type="text", limits=Limits(stall_seconds=0.3)))


def test_a_program_that_goes_on_giving_pages_has_all_the_time_it_needs(impostor):
    document = impostor(
        """
        print('["header",null,8,true,{}]', flush=True)
        for number in range(1, 9):
            time.sleep(0.25)
            print('["page",%d,"text",null,[]]' % number, flush=True)
        print('["end"]')
        """
    )
    events = list(read_pages(document, source_type="pdf", limits=Limits(stall_seconds=1.5)))
    assert len(events) == 9


def test_pieces_of_a_page_are_no_page(impostor):
    document = impostor("while True:\n    time.sleep(0.05)\n    print('x', end='', flush=True)")
    with pytest.raises(ReadingTimedOut):
        list(read_pages(document, source_type="text", limits=Limits(stall_seconds=0.5)))


def test_a_reading_goes_on_after_a_page_as_if_it_had_never_stopped(tmp_path):
    heads = [lines(f"26.{number} Rules of part {number}", "Body text of some length here.") for number in range(1, 7)]
    path = pdf(tmp_path / "a.pdf", lines("CHAPTER OF RULES", size=20), *heads, ruled_table())
    whole = list(read_pages(path, source_type="pdf"))
    for page in whole[1:-1]:
        rest = read_pages(path, source_type="pdf", resume=ReadingPoint(page=page.number, state=page.state))
        assert list(rest) == [whole[0], *whole[page.number + 1 :]]


@pytest.mark.parametrize("state", [{}, {"counts": [1], "headings": {}, "pictures": 1}, {"counts": "x"}])
def test_a_state_that_is_none_is_refused(tmp_path, state):
    path = pdf(tmp_path / "a.pdf", lines("One."), lines("Two."))
    with pytest.raises(DamagedDocument):
        list(read_pages(path, source_type="pdf", resume=ReadingPoint(page=1, state=state)))


def test_the_callers_own_time_does_not_count(tmp_path):
    (tmp_path / "a.txt").write_text("Some words.")
    events = read_pages(tmp_path / "a.txt", source_type="text", limits=Limits(stall_seconds=5))
    with closing(events):
        next(events)
        time.sleep(0.1)
        assert next(events).text == "Some words."


def test_a_busy_program_runs_out_of_processor_time(impostor):
    document = impostor("resource.setrlimit(resource.RLIMIT_CPU, (1, 5))\nwhile True: pass")
    with pytest.raises(ReadingTimedOut):
        list(read_pages(document, source_type="text", limits=Limits(cpu_seconds=1)))


@pytest.mark.parametrize(
    ("program", "error"),
    [
        ("pass", DamagedDocument),
        ("sys.exit(3)", DamagedDocument),
        ("os.kill(os.getpid(), signal.SIGSEGV)", DamagedDocument),
        ("os.kill(os.getpid(), signal.SIGKILL)", OutOfMemory),
        ("raise MemoryError", OutOfMemory),
        ("print('not json')", DamagedDocument),
        ("print('[' * 100000)", DamagedDocument),
        ("print('{\"a\": 1}')", DamagedDocument),
        ('print(\'["page", 2, "starts late", null, []]\')', DamagedDocument),
        ('print(\'["page", 1, "x", [[0, 99, 1, 1, 1, 1]], []]\')', DamagedDocument),
        ('print(\'["page", 1, "nul \\\\u0000", null, []]\')', DamagedDocument),
        ('print(\'["error", "no_text", "m", "h"]\')', NoText),
        ('print(\'["error", "unheard_of", "m", "h"]\')', DamagedDocument),
    ],
)
def test_whatever_becomes_of_the_child_the_parent_gets_an_error_it_knows(impostor, program, error):
    with pytest.raises(error) as caught:
        list(read_pages(impostor(program), source_type="text", limits=Limits(memory_bytes=200 * MEGABYTE)))
    assert type(caught.value) is error


def test_a_crash_of_a_child_that_had_grown_large_is_one_of_memory(impostor):
    ours = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    document = impostor(f"x = b'x' * {ours + 50 * MEGABYTE}; os.kill(os.getpid(), signal.SIGABRT)")
    with pytest.raises(OutOfMemory):
        list(read_pages(document, source_type="text", limits=Limits(memory_bytes=ours)))


def test_a_flood_is_cut_off(impostor, monkeypatch):
    monkeypatch.setattr(reader_process, "MAX_LINE_BYTES", 1_000_000)
    document = impostor("while True: sys.stdout.write('x' * 100000)")
    with pytest.raises(TooLarge):
        list(read_pages(document, source_type="text"))


def test_a_long_line_costs_the_parent_a_moment(impostor):
    document = impostor(
        """
        text = 'x' * 40_000_000
        print('["header",null,1,false,{}]')
        print('["page",1,"%s",null,[]]' % text)
        print('["end"]')
        """
    )
    before = time.process_time()
    _, page = read_pages(document, source_type="text")
    assert len(page.text) == 40_000_000
    assert time.process_time() - before < 10


def test_a_talkative_child_does_not_block(impostor):
    document = impostor(
        """
        sys.stderr.write("x" * 1_000_000)
        print('["header",null,1,false,{}]')
        print('["page",1,"text",null,[]]')
        print('["end"]')
        """
    )
    assert [type(event) for event in read_pages(document, source_type="text")] == [DocumentHeader, PageText]


def test_the_child_sees_nothing_of_our_environment(impostor, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    document = impostor(
        """
        import json
        print(json.dumps(["header", None, 1, False, dict(os.environ)]))
        print('["end"]')
        """
    )
    [header] = read_pages(document, source_type="text")
    assert set(header.metadata) - {"LC_CTYPE"} == {
        "PATH",
        "LANG",
        "MALLOC_ARENA_MAX",
        "PYTHONPATH",
        "PYTHONHASHSEED",
        "PYTHONDONTWRITEBYTECODE",
    }


def test_the_child_has_given_up_its_powers_before_it_reads(tmp_path):
    program = textwrap.dedent(
        f"""
        import runpy, socket, os, sys
        entry = runpy.run_path({str(reader_process._READER_ENTRY)!r})
        entry["limit_resources"](memory_bytes=500 << 20, cpu_seconds=60)
        entry["disable_network"]()
        def fails(action):
            try:
                action()
            except (OSError, MemoryError) as error:
                return type(error).__name__
        print(fails(lambda: socket.create_connection(("127.0.0.1", 9))))
        print(fails(lambda: socket.getaddrinfo("localhost", 80)))
        print(fails(lambda: open({str(tmp_path / "x")!r}, "wb", buffering=0).write(b"x")))
        print(fails(lambda: bytearray(600 << 20)))
        """
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["PermissionError", "PermissionError", "OSError", "MemoryError"]


def test_memory_is_limited(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"x " * 20_000_000)
    limits = Limits(memory_bytes=100 * MEGABYTE, max_unpaged_characters=10**9)
    with pytest.raises(OutOfMemory):
        list(read_pages(tmp_path / "a.txt", source_type="text", limits=limits))


@pytest.mark.parametrize(
    ("content", "source_type", "error"), [(b"", "text", EmptyDocument), (b"x", "exe", UnsupportedDocument)]
)
def test_errors_of_readers_come_through(tmp_path, content, source_type, error):
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(error) as caught:
        list(read_pages(tmp_path / "a", source_type=source_type))
    assert caught.value.message == error().message
    assert caught.value.hint == error.hint


HOSTILE = {
    "password": EncryptedDocument,
    "no-text": NoText,
    "broken": UnreadableDocument,
    # A crash can only be called "out of memory" by a parent that is itself small; a test run may not be.
    "bomb": (OutOfMemory, ReadingTimedOut, TooManyPages, DamagedDocument),
}


@pytest.mark.parametrize("expect", ["password", "readable", "no-text", "broken", "bomb"])
def test_hostile_documents_end_as_expected(expect):
    """F4, F5, F6: bombs, loops, locked and empty documents."""
    folder = shared("hostile-pdfs")
    manifest = [json.loads(line) for line in (folder / "manifest.jsonl").read_text().splitlines()]
    for entry in (entry for entry in manifest if entry["expect"] == expect):
        path = folder / "documents" / entry["document"]
        if expect in ("readable", "broken"):
            _reads_or_says_why(path, entry)
        else:
            with pytest.raises(HOSTILE[expect]):
                list(read_pages(path, source_type="pdf"))


def _reads_or_says_why(path: Path, entry: dict) -> None:
    try:
        _, *pages = read_pages(path, source_type="pdf")
    except UnreadableDocument:
        assert entry["expect"] == "broken", path.name
        return
    text = " ".join(" ".join(page.text.split()) for page in pages)
    assert [words for words in entry.get("contains", []) if words not in text] == [], path.name
    assert [words for words in entry.get("must_not_answer_with", []) if words in text] == [], path.name


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def _ends(pid: int) -> bool:
    for _ in range(200):
        if not _is_alive(pid):
            return True
        time.sleep(0.05)
    return False
