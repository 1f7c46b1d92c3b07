"""`lexictl setup --update`: rules between markers, and nothing else touched."""

from __future__ import annotations

import json

import pytest
from example_library import Library

from lexibrarian.setup.rules import BEGIN, END

FILES = {"claude": "CLAUDE.md", "cursor": ".cursor/rules/lexibrarian.mdc", "codex": "AGENTS.md", "agents": "AGENTS.md"}


@pytest.mark.parametrize("environment", FILES)
def test_lb_118_119_each_environment_has_its_files(library: Library, environment: str) -> None:
    done = library.lexictl("setup", "--update", "--env", environment)
    assert done.code == 0
    assert "Setup complete. " in done.out
    assert "file(s) written" in done.out
    text = library.read(FILES[environment])
    text_in_a_line = " ".join(text.split())
    for word in (
        "START_HERE.md",
        "lexi iwh read",
        "lexi lookup <file>",
        "updated_by: agent",
        "lexi concepts <topic>",
        "lexi concept new",
        "Decision Log",
        "lexi stack search",
        "lexi stack post",
        "lexi iwh write",
        "Never run `lexictl update`, `lexictl validate` or `lexictl status`",
    ):
        assert word in text_in_a_line
    assert text.startswith("---\n") is (environment == "cursor")


def test_lb_112_121_rules_forbid_upkeep_and_say_how_much_to_read(library: Library) -> None:
    library.lexictl("setup", "--update", "--env", "codex")
    text = " ".join(library.read("AGENTS.md").split())
    assert "Never run `lexictl update`, `lexictl validate` or `lexictl status`" in text
    assert "4,000 to 8,000 tokens" in text


@pytest.mark.parametrize("old", ["Mine.", "Mine.\n", "\ufeffMine.\r\n\r\nMore.\r\n", "# Caf\udce9\n"])
def test_lb_116_117_text_outside_the_markers_stays_and_a_second_run_changes_nothing(library: Library, old: str) -> None:
    before = old.encode("utf-8", "surrogateescape")
    library.write("AGENTS.md", before)
    library.lexictl("setup", "--update", "--env", "codex")
    first = (library.root / "AGENTS.md").read_bytes()
    assert first.startswith(before)
    assert (b"\r\n" in before) == (first.count(b"\n") == first.count(b"\r\n"))
    changed = first.replace(END.encode(), b"- an old rule\n" + END.encode()) + b"\nBehind.\n"
    library.write("AGENTS.md", changed)
    library.lexictl("setup", "--update", "--env", "codex")
    assert (library.root / "AGENTS.md").read_bytes() == first + b"\nBehind.\n"
    done = library.lexictl("setup", "--update", "--env", "codex")
    assert "AGENTS.md: unchanged" in done.out
    assert "0 file(s) written" in done.out
    assert (library.root / "AGENTS.md").read_bytes() == first + b"\nBehind.\n"


def test_lb_117_the_configured_environments_are_renewed(library: Library) -> None:
    none = library.lexictl("setup", "--update")
    assert none.code == 1
    assert "No agent environments configured" in none.err
    library.write(".lexibrary/config.yaml", "agent_environment: [claude, codex]\n")
    done = library.lexictl("setup", "--update", "--json")
    assert {"CLAUDE.md", "AGENTS.md"} <= {each["path"] for each in done.data["rules"]}
    assert done.data["written"] == len(done.data["rules"])


def test_a_file_that_is_a_link_to_another_is_written_once(library: Library) -> None:
    library.write("AGENTS.md", "Ours.\n")
    (library.root / "CLAUDE.md").symlink_to("AGENTS.md")
    done = library.lexictl("setup", "--update", "--env", "claude", "--env", "codex")
    assert (library.root / "CLAUDE.md").is_symlink()
    assert library.read("AGENTS.md").count(BEGIN) == 1
    assert library.read("AGENTS.md").startswith("Ours.\n")
    assert "AGENTS.md: the same file as CLAUDE.md" in done.out


def test_a_file_that_takes_another_in_is_left_alone(library: Library) -> None:
    library.write("CLAUDE.md", "@AGENTS.md\n")
    library.lexictl("setup", "--update", "--env", "claude", "--env", "agents")
    assert library.read("CLAUDE.md") == "@AGENTS.md\n"
    assert library.read("AGENTS.md").count(BEGIN) == 1


def test_a_link_out_of_the_project_is_not_followed(library: Library) -> None:
    outside = library.root.parent / "shared.md"
    outside.write_text("Theirs.\n")
    (library.root / "AGENTS.md").symlink_to(outside)
    done = library.lexictl("setup", "--update", "--env", "codex")
    assert "left alone" in done.out
    assert outside.read_text() == "Theirs.\n"


def test_markers_that_do_not_match_are_refused_before_anything_is_written(library: Library) -> None:
    library.write("AGENTS.md", f"Text.\n{BEGIN}\nno end\n")
    done = library.lexictl("setup", "--update", "--env", "claude", "--env", "codex")
    assert done.code == 1
    assert "AGENTS.md has markers" in done.err
    assert not library.has("CLAUDE.md")


def test_a_session_begins_with_the_health_of_the_library(library: Library) -> None:
    library.lexictl("setup", "--update", "--env", "claude")
    settings = json.loads(library.read(".claude/settings.json"))
    (hook,) = settings["hooks"]["SessionStart"][0]["hooks"]
    assert hook["command"].startswith("lexictl status --quiet")
    assert "START_HERE" in library.read(".claude/commands/lexi-orient.md")
    assert "$ARGUMENTS" in library.read(".claude/commands/lexi-search.md")
    mine = '{"permissions": {}}'
    library.write(".claude/settings.json", mine)
    assert "left alone" in library.lexictl("setup", "--update", "--env", "claude").out
    assert library.read(".claude/settings.json") == mine


def test_wrong_use_is_refused(library: Library) -> None:
    done = library.lexictl("setup", "--update", "--env", "notepad")
    assert done.code == 1
    assert "Unsupported environment: notepad" in done.err
    assert library.lexictl("setup", "--env", "claude").code == 1
    plain = library.lexictl("setup")
    assert plain.code == 0
    assert "Usage: lexictl setup" in plain.out
