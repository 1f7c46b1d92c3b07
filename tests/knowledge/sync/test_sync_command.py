from __future__ import annotations

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from accounts.models import User
from knowledge.models import Document, KnowledgeBase, Source
from knowledge.sync.runner import get_or_create_source, run_sync
from knowledge.tasks import sync_sources
from lexic import egress
from lexic.egress import FetchedDocument, FetchFailed
from plugins.models import Planner, Plugin, PluginKind
from tests.knowledge.bases import CountingEmbedder, registered
from tests.knowledge.sync.folders import write
from tests.knowledge.sync.library_commands import write_file

# The command may build an index, which no transaction may contain.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def counting(settings: Any) -> Iterator[CountingEmbedder]:
    settings.LEXIC_EMBEDDER = "counting"
    embedder = CountingEmbedder()
    with registered(embedder):
        yield embedder


@pytest.fixture
def plugin() -> Plugin:
    owner = User.objects.create_user("alice@example.org")
    return Plugin.objects.create(owner=owner, name="Notes", domain="life", system_prompt="You answer.")


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    write(folder, "a.md", "Text of A.", public="true")
    write(folder, "b/c.md", "Text of C.")
    return folder


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("sync", *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def test_it_says_what_it_did(plugin: Plugin, vault: Path) -> None:
    assert run("notes", str(vault)).splitlines() == [
        "+ a.md",
        "+ b/c.md",
        "2 added; 0 unchanged; 2 texts embedded.",
    ]
    assert run("notes", str(vault)) == "nothing changed; 2 unchanged; 0 texts embedded.\n"


def test_a_dry_run_leaves_no_trace(plugin: Plugin, vault: Path) -> None:
    assert run("notes", str(vault), "--dry-run").splitlines()[-1] == "2 added; 0 unchanged."
    counts = [rows.count() for rows in (KnowledgeBase.objects, Source.objects, Document.objects)]
    assert counts == [0, 0, 0]


def test_one_json_object_says_it_all_and_problems_fail_the_command(plugin: Plugin, vault: Path) -> None:
    write(vault, "d.md", "Text of D.", date="soon")
    out = StringIO()
    with pytest.raises(CommandError, match=r"^1 problem found\.$"):
        call_command("sync", "notes", str(vault), "--json", "--public-only", stdout=out, stderr=StringIO())
    said = json.loads(out.getvalue())
    assert said == {
        "plugin": "notes",
        "source": str(vault),
        "dryRun": False,
        "added": ["a.md"],
        "changed": [],
        "described": [],
        "renamed": [],
        "removed": [],
        "closed": [],
        "leftOut": [{"path": "b/c.md", "reason": "not public"}, {"path": "d.md", "reason": "not public"}],
        "skipped": [],
        "kept": [],
        "held": "",
        "partly": "",
        "problems": [{"path": "d.md", "line": 2, "message": "“date” is no date: write it as 2026-03-31."}],
        "unchanged": 0,
        "others": 0,
        "embedded": 1,
        "revision": 1,
        "commit": None,
    }


@pytest.mark.parametrize(("slug", "said"), [("other", "no plugin called 'other'"), ("notes", "no folder or file")])
def test_what_is_not_there_is_named(plugin: Plugin, slug: str, said: str) -> None:
    with pytest.raises(CommandError, match=said):
        run(slug, "/nowhere/at/all")


# --- A library ------------------------------------------------------------------------------------------------


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    write_file(root, "a.py", "def first() -> int:\n    return 1\n")
    write_file(root, ".lexibrary/a.py.md", "# a.py\n\nCounts.\n\n<!-- lexibrarian:meta\nsource: a.py\n-->\n")
    return root


def test_the_plugin_of_a_library_is_made_once(repository: Path) -> None:
    User.objects.create_user("ruth@example.org")
    created = run("shop-code", str(repository), "--create", "--owner", "ruth@example.org")
    assert created.splitlines() == ["+ .lexibrary/a.py.md", "+ a.py", "2 added; 0 unchanged; 2 texts embedded."]
    plugin = Plugin.objects.get()
    assert (plugin.slug, plugin.name, plugin.owner.email) == ("shop-code", "shop", "ruth@example.org")
    assert (plugin.kind, plugin.planner) == (PluginKind.LIBRARY, Planner.OFF)
    assert run("shop-code", str(repository), "--create").endswith("2 unchanged; 0 texts embedded.\n")
    assert (
        run("shop-code", str(repository), "--public").splitlines()[-1] == "2 described; 0 unchanged; 0 texts embedded."
    )
    assert Source.objects.get().is_public


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--create", "--owner", "nobody@example.org"], "no active account"),
        (["--create"], "Say whose it will be"),
        (["--create", "--dry-run"], "a dry run changes nothing"),
        ([], "no plugin called 'shop-code'"),
    ],
)
def test_no_plugin_is_made_where_something_is_wrong(repository: Path, arguments: list[str], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        run("shop-code", str(repository), *arguments)
    assert not Plugin.objects.exists()


def test_what_is_for_libraries_alone_is_refused_for_notes(plugin: Plugin, vault: Path) -> None:
    for arguments in (["notes", str(vault), "--public"], ["other", str(vault), "--create"]):
        with pytest.raises(CommandError, match="library"):
            run(*arguments)
    assert Plugin.objects.count() == 1


# --- Addresses ------------------------------------------------------------------------------------------------


def test_a_file_of_addresses_is_a_source(plugin: Plugin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = {"https://example.org/a": "# A\n\nFirst.", "https://example.org/b": "# B\n\nSecond."}

    def fetch(url: str, **_: Any) -> FetchedDocument:
        if url not in pages:
            raise FetchFailed
        return FetchedDocument(url=url, content_type="text/markdown", body=pages[url].encode())

    monkeypatch.setattr(egress, "fetch", fetch)
    listed = tmp_path / "addresses.txt"
    listed.write_text("# pages\nhttps://example.org/a\n\nhttps://example.org/b\n")
    assert run("notes", str(listed), "--dry-run").splitlines()[-1] == "2 added; 0 unchanged."
    assert run("notes", str(listed)).splitlines()[-1] == "2 added; 0 unchanged."
    assert run("notes", str(listed)) == "nothing changed; 2 unchanged.\n"
    pages["https://example.org/a"] = "# A\n\nOther."
    listed.write_text("https://example.org/a\nhttps://example.org/gone\nftp://example.org/c\n")
    out = StringIO()
    with pytest.raises(CommandError, match=r"^2 problems found\.$"):
        call_command("sync", "notes", str(listed), stdout=out, stderr=StringIO())
    lines = out.getvalue().splitlines()
    assert lines[:2] == ["~ https://example.org/a", "- https://example.org/b"]
    assert [line.split(": ")[0] for line in lines[2:4]] == [f"! {listed}:2", f"! {listed}:3"]
    present = Document.objects.present().order_by("url").values_list("url", "status")
    assert list(present) == [("https://example.org/a", "ready"), ("https://example.org/gone", "failed")]


# --- The timetable --------------------------------------------------------------------------------------------


def test_only_what_lies_under_the_operators_folders_is_synced_by_itself(
    plugin: Plugin, vault: Path, tmp_path: Path, settings: Any
) -> None:
    run("notes", str(vault))
    write(vault, "new.md", "Text that is new.")
    for roots, count in ([], 0), ([str(tmp_path / "other")], 0), ([str(vault) + "x"], 0), ([str(tmp_path)], 1):
        settings.LEXIC_SYNC_ROOTS = roots
        assert sync_sources() == count
    assert Document.objects.present().count() == 3


def test_a_source_that_became_a_link_out_of_the_folders_is_not_read(
    plugin: Plugin, vault: Path, tmp_path: Path, settings: Any
) -> None:
    run("notes", str(vault))
    write(tmp_path, "secret/s.md", "Secret text.")
    vault.rename(tmp_path / "old")
    vault.symlink_to(tmp_path / "secret")
    settings.LEXIC_SYNC_ROOTS = [str(tmp_path)]
    assert sync_sources() == 0
    assert Document.objects.present().count() == 2


def test_a_source_that_fails_stops_no_other(plugin: Plugin, vault: Path, tmp_path: Path, settings: Any) -> None:
    other = tmp_path / "a-first"
    write(other, "z.md", "Text of Z.")
    base = KnowledgeBase.objects.create(owner=plugin.owner, plugin=plugin, name="notes", embedder="counting")
    for folder in (other, vault):
        run_sync(get_or_create_source(base, folder))
    (other / "z.md").unlink()
    write(vault, "new.md", "Text that is new.")
    settings.LEXIC_SYNC_ROOTS = [str(tmp_path)]
    assert sync_sources() == 1


def test_the_first_folder_of_notes_turns_planning_on_and_later_syncs_leave_it(plugin: Plugin, tmp_path: Path) -> None:
    write(tmp_path, "a.md", "# A\n\nThe first note.\n")
    call_command("sync", plugin.slug, str(tmp_path), "--dry-run", stdout=StringIO())
    plugin.refresh_from_db()
    assert plugin.planner == Planner.OFF
    call_command("sync", plugin.slug, str(tmp_path), stdout=StringIO())
    plugin.refresh_from_db()
    assert plugin.planner == Planner.RULES
    Plugin.objects.update(planner=Planner.OFF)
    call_command("sync", plugin.slug, str(tmp_path), stdout=StringIO())
    plugin.refresh_from_db()
    assert plugin.planner == Planner.OFF
