"""`init`, `lookup`, `index`, `describe`: messages, files and exit codes."""

from __future__ import annotations

import pytest
from example_library import Library


def test_lb_006_008_init_makes_the_first_files(empty: Library) -> None:
    empty.write("pyproject.toml", '[tool.x]\nname = "wrong"\n\n[project]\nname = "right"\n')
    empty.write(".gitignore", "*.pyc")
    done = empty.lexictl("init", "--defaults")
    assert done.code == 0
    assert "Created .lexibrary/config.yaml" in done.out
    assert 'project_name: "right"' in empty.read(".lexibrary/config.yaml")
    assert empty.read(".gitignore") == "*.pyc\n**/.iwh\n.lexibrarian.log*\n"
    assert empty.read(".lexignore") == ""
    for path in ("concepts/.gitkeep", "stack/.gitkeep", ".gitignore"):
        assert empty.has(f".lexibrary/{path}")
    empty.git("init", "-q")
    empty.lexictl("update")
    empty.write(".lexibrary/.iwh", "x")
    untracked = empty.git("ls-files", "-o", "--exclude-standard").splitlines()
    assert not [
        path
        for path in untracked
        if path.endswith((".iwh", ".log", "index.db", ".config-checked", ".swept")) or ".locks" in path
    ]


def test_lb_115_init_twice_is_refused_and_points_to_setup(library: Library) -> None:
    before = library.everything()
    done = library.lexictl("init", "--defaults")
    assert done.code == 1
    assert "already initialised" in done.err
    assert "lexictl setup --update" in done.err
    assert library.everything() == before


@pytest.mark.parametrize(
    ("files", "name"),
    [({"package.json": '{"name": "web"}'}, "web"), ({"package.json": "[]"}, "shop"), ({}, "shop")],
)
def test_the_name_comes_from_the_project(empty: Library, files: dict[str, str], name: str) -> None:
    for path, text in files.items():
        empty.write(path, text)
    assert empty.lexictl("init", "--defaults", "--json").data["project"] == name


def test_lb_117_agents_are_detected_and_kept(empty: Library) -> None:
    empty.write("CLAUDE.md", "x")
    empty.write(".cursor/rules/a.mdc", "x")
    empty.lexictl("init", "--defaults")
    assert "agent_environment: [claude, cursor]" in empty.read(".lexibrary/config.yaml")


def test_lb_001_neither_command_shows_what_the_other_does(empty: Library) -> None:
    lexi, lexictl = empty.lexi("--help").out, empty.lexictl("--help").out
    assert "lookup" in lexi
    assert "update" in lexictl
    for word in ("init ", "update ", "validate "):
        assert f"\n  {word}" not in lexi
    for word in ("lookup ", "describe ", "index "):
        assert f"\n  {word}" not in lexictl


def test_lb_005_the_library_is_found_from_below(shop: Library, empty: Library) -> None:
    assert "Amounts of money." in shop.lexi("lookup", "money.py", cwd="src/shop").out
    (shop.root / ".lexibrary").rename(shop.root / "elsewhere")
    done = shop.lexi("lookup", "README.md")
    assert done.code == 1
    assert "No .lexibrary/" in done.err
    assert "lexictl init" in done.err


def test_lb_086_054_lookup_shows_everything_about_a_file(shop: Library) -> None:
    shop.edit(".lexibrary/src/.aindex", "(none)", "- Use UTC everywhere")
    shop.edit(".lexibrary/src/shop/.aindex", "(none)", "- Use `Decimal` for money")
    shop.edit(".lexibrary/.aindex", "(none)", "- Write English")
    done = shop.lexi("lookup", "src/shop/money.py")
    assert done.code == 0
    assert "Warning" not in done.out
    assert "## Imported by\n\n- src/shop/cart.py" in done.out
    places = [done.out.index(f"**From `{place}`:**") for place in ("src/shop/", "src/", "./")]
    assert places == sorted(places)
    shop.write(".lexibrary/config.yaml", "scope_root: src\n")
    assert "Write English" not in shop.lexi("lookup", "src/shop/money.py").out


def test_lb_048_138_a_stale_design_file_says_so(shop: Library) -> None:
    shop.edit("src/shop/money.py", "return amount", "return 1")
    done = shop.lexi("lookup", "src/shop/money.py")
    assert done.out.startswith("Warning: src/shop/money.py changed")
    assert "> ⚠️ This doc may be outdated. Source file changed since last update." in done.out
    assert shop.lexi("lookup", "src/shop/money.py", "--json").data["stale"] is True
    # Without an update in between.
    assert "src/shop/money.py" in shop.lexictl("validate", "--json").out
    assert shop.lexictl("status", "--json").data["files"]["stale"] == 1


def test_lb_026_a_signal_is_shown_and_stays(shop: Library) -> None:
    shop.write(
        ".lexibrary/src/shop/.iwh", "---\nauthor: a1\ncreated: 2026-02-22T14:30:00Z\nscope: blocked\n---\nHalf done.\n"
    )
    assert "Half done." in shop.lexi("lookup", "src/shop/money.py").out
    assert shop.has(".lexibrary/src/shop/.iwh")
    assert "Half done." not in shop.lexi("lookup", "README.md").out
    shop.write(".lexibrary/config.yaml", "iwh:\n  enabled: false\n")
    assert "Half done." not in shop.lexi("lookup", "src/shop/money.py").out


def test_lookup_keeps_a_budget_and_says_what_it_left_out(shop: Library) -> None:
    for number in range(60):
        shop.write(f"src/shop/user_{number}.py", "from shop import money\n")
    shop.lexictl("update")
    full, cut = (shop.lexi("lookup", "src/shop/money.py", *more) for more in ((), ("--budget", "200")))
    assert full.out.count("user_") == 60
    assert cut.out.count("user_") < 30
    assert "Left out to keep the budget:" in cut.out
    left = shop.lexi("lookup", "src/shop/money.py", "--budget", "200", "--json").data["left_out"]
    assert left["dependents"] + cut.out.count("user_") + cut.out.count("cart.py") == 61


def test_dependents_are_found_without_an_index(shop: Library) -> None:
    (shop.root / ".lexibrary/index.db").unlink()
    assert shop.lexi("lookup", "src/shop/money.py", "--json").data["dependents"] == ["src/shop/cart.py"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("lookup", "src/none.py"), "No design file found for src/none.py. Run `lexictl update src/none.py`"),
        (("lookup", "../x.py"), "outside the project root"),
        (("index", "nowhere"), "Directory not found: nowhere"),
        (("index", ".."), "outside the project root"),
        (("describe", "nowhere", "x"), "Directory not found"),
        (("lookup",), "Missing argument"),
        (("nonsense",), "No such command"),
        (("lookup", "README.md", "--budget", "0"), "--budget"),
    ],
)
def test_refusals_exit_with_one_and_are_valid_json(shop: Library, arguments: tuple[str, ...], words: str) -> None:
    done = shop.lexi(*arguments)
    assert done.code == 1
    assert words in done.err
    assert done.out == ""
    as_json = shop.lexi(*arguments, "--json")
    assert as_json.code == 1
    assert as_json.err == ""
    assert set(as_json.data["error"]) == {"code", "message", "hint"}


def test_lb_056_057_index_writes_and_says_where(shop: Library) -> None:
    shop.write("src/shop/deep/x.txt", "A text.\n")
    done = shop.lexi("index", "src/shop")
    assert done.out == "Wrote .lexibrary/src/shop/.aindex\n"
    assert not shop.has(".lexibrary/src/shop/deep/.aindex")
    done = shop.lexi("index", "-r", ".")
    assert "Indexing complete" in done.out
    assert "5 directories indexed" in done.out
    assert "| `deep/` | dir | Text: x. |" in shop.read(".lexibrary/src/shop/.aindex")


def test_lb_051_052_billboards_are_written_once(shop: Library) -> None:
    path = ".lexibrary/src/shop/.aindex"
    assert "\n\nSells things.\n\n" in shop.read(path)
    assert shop.lexi("describe", "src/shop", "All that is sold.").out == "Updated .lexibrary/src/shop/.aindex\n"
    shop.edit(path, "(none)", "- Mine")
    shop.write("src/shop/__init__.py", '"""Something else."""\n')
    shop.write("src/shop/more.txt", "one\ntwo\n")
    shop.lexi("index", "-r", ".")
    text = shop.read(path)
    assert "\n\nAll that is sold.\n\n" in text
    assert "- Mine" in text
    assert "| `more.txt` | file | Text, 2 lines. |" in text
    shop.lexictl("update")
    assert "All that is sold." in shop.read(".lexibrary/src/.aindex")


def test_describe_needs_an_index(library: Library) -> None:
    library.write("new/a.py", "x")
    done = library.lexi("describe", "new", "Words.")
    assert done.code == 1
    assert "No .aindex" in done.err
    assert "lexi index new" in done.err


def test_a_lookup_of_what_has_no_design_file_says_why(shop: Library) -> None:
    shop.write("logo.py", b"\0\1")
    assert "src is a directory. Run `lexi index src`" in shop.lexi("lookup", "src").err
    assert "No design file found for logo.py: binary file." in shop.lexi("lookup", "logo.py").err
    assert "Run `lexictl update src/new.py`" in shop.lexi("lookup", "src/new.py").err
