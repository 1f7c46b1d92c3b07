"""Names, arguments and texts that are no UTF-8, or would steer a terminal, harm neither files nor readers."""

from __future__ import annotations

import json
import os

import pytest
from example_library import Library

from lexibrarian.safe_text import in_json, is_nameable, on_one_line, visible

STRAY = os.fsdecode(b"caf\xe9")
ODD = f"{STRAY} \x1b[31m"


def test_what_is_shown() -> None:
    assert visible("a\tb\r\nc\n") == "a\tb\r\nc\n"
    assert visible(f"{ODD}\r\x9b\x7f\ud800") == "caf\\xe9 \\x1b[31m\\x0d\\x9b\\x7f\\ud800"
    assert on_one_line("a\nb\u2028") == "a\\x0ab\\u2028"
    assert json.loads(in_json(json.dumps({"a": ODD}, ensure_ascii=False))) == {"a": "caf\\xe9 \x1b[31m"}
    assert [path for path in ("a b.py", "ä/é.py", "a\nb", "a-->b", STRAY, "\x7f") if is_nameable(path)] == [
        "a b.py",
        "ä/é.py",
    ]


def test_files_whose_names_no_text_can_hold_are_listed_only(library: Library) -> None:
    odd = [f"{STRAY}.py", "new\nline.py", "-->.py", f"dir\n{STRAY}/a.py", "esc\x1b.py"]
    try:
        for path in odd:
            library.write(path, "import os\n")
    except OSError:
        pytest.skip("The file system takes UTF-8 only.")
    library.write("surrogate.py", '"""One \\ud800 alone."""\n')
    done = library.lexictl("update", "--json")
    assert done.code == 0
    assert set(done.data["without_design_file"].values()) == {"name that the library cannot mirror"}
    assert sorted(done.data["without_design_file"]) == sorted(path.replace("\udce9", "\\xe9") for path in odd)
    (library.root / ".lexibrary/index.db").unlink()
    before = library.everything()
    assert library.lexictl("update").code == 0
    assert library.everything() == before
    assert library.lexictl("validate", "--severity", "error").out == "No validation issues found.\n"
    assert all(content.decode() for content in before.values() if content)
    assert "`caf\\xe9.py` | file | Name that" in library.read(".lexibrary/.aindex")
    assert library.lexi("lookup", odd[0]).err.startswith("Error: No design file found for caf\\xe9.py: name that")
    assert library.lexi("stack", "post", "--title", "T", "--tag", "t", "--file", odd[0]).code == 1


def test_arguments_that_are_no_utf_8_leave_files_that_everything_reads(
    shop: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEXI_AUTHOR", ODD)
    for command in (
        ("stack", "post", "--title", ODD, "--tag", ODD, "--problem", ODD, "--evidence", ODD),
        ("stack", "answer", "1", "--body", ODD),
        ("stack", "vote", "1", "down", "--comment", ODD),
        ("concept", "new", ODD, "--alias", ODD, "--tag", ODD),
        ("describe", "src", f"## {ODD} <!-- lexibrarian:meta -->"),
        ("iwh", "write", "src", ODD),
    ):
        assert shop.lexi(*command).code == 0
    assert shop.lexictl("update").code == 0
    assert all(content.decode() for content in shop.everything().values() if content)
    assert shop.lexi("stack", "list", "--json").data["posts"][0]["title"] == "caf\ufffd \x1b[31m"
    assert "\x1b" not in shop.lexi("stack", "view", "1").out
    assert shop.lexictl("validate", "--severity", "error").out == "No validation issues found.\n"
    assert shop.read(".lexibrary/src/.aindex").count("## ") == 2


def test_the_log_has_one_line_a_record(shop: Library) -> None:
    (shop.root / ".lexibrarian.log").unlink()
    from lexibrarian.log import logged, logger
    from lexibrarian.project import Project

    with logged(Project(shop.root)):
        logger.info("%s", f"{STRAY}\nsecond\x1b")
    assert shop.read(".lexibrarian.log") == "caf\\xe9\\x0asecond\\x1b\n"


def test_a_name_that_no_file_can_have_is_refused(library: Library) -> None:
    done = library.lexi("concept", "new", "a" * 300)
    assert done.code == 1
    assert "too long" in done.err
