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
from knowledge.embedders import EmbedderUnavailable
from knowledge.models import Document, KnowledgeBase
from knowledge.versions import publish_version
from plugins.models import Plugin
from tests.knowledge.bases import CountingEmbedder, Crash, alive, check_sound, pdf, registered

# The command may build an index, which no transaction may contain.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def embedder(settings: Any) -> Iterator[CountingEmbedder]:
    settings.LEXIC_EMBEDDER = "counting"
    embedder = CountingEmbedder()
    with registered(embedder):
        yield embedder


@pytest.fixture
def plugin() -> Plugin:
    owner = User.objects.create_user("alice@example.org")
    return Plugin.objects.create(owner=owner, name="Pumps", domain="water", system_prompt="You answer.")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "b").mkdir()
    (tmp_path / ".hidden").mkdir()
    (tmp_path / "README.md").write_text("Wear boots.")
    (tmp_path / "b" / "README.md").write_text("Wear gloves.")
    (tmp_path / "b" / "manual.pdf").write_bytes(pdf(["The valve opens at nine bar."]))
    (tmp_path / "b" / "picture.gif").write_bytes(b"GIF89a")
    (tmp_path / ".hidden" / "secret.md").write_text("Not this.")
    return tmp_path


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("ingest", *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def test_a_folder_is_read_in_order_into_the_plugins_own_base(plugin: Plugin, folder: Path) -> None:
    assert run("pumps", str(folder)).splitlines() == [
        "ready   README.md: 1 chunk",
        "ready   b/README.md: 1 chunk",
        "ready   b/manual.pdf: 1 chunk",
    ]
    base = KnowledgeBase.objects.get(plugin=plugin)
    assert (base.owner, base.embedder, base.revision) == (plugin.owner, "counting", 2)
    names = base.documents.order_by("file_name").values_list("file_name", flat=True)
    assert list(names) == ["README.md", "b/README.md", "b/manual.pdf"]


def test_running_it_twice_changes_nothing(plugin: Plugin, folder: Path, embedder: CountingEmbedder) -> None:
    assert run("pumps", str(folder)) == run("pumps", str(folder))
    assert KnowledgeBase.objects.get().revision == 2
    assert len(embedder.texts) == 3


def test_one_json_object_says_it_all(plugin: Plugin, folder: Path) -> None:
    said = json.loads(run("pumps", str(folder / "README.md"), str(folder / "b" / "manual.pdf"), "--json"))
    assert (said["plugin"], said["failed"]) == ("pumps", 0)
    assert [(one["source"], one["status"], one["pages"], one["isNew"]) for one in said["documents"]] == [
        ("README.md", "ready", None, True),
        ("manual.pdf", "ready", 1, True),
    ]


def test_what_cannot_be_read_is_named_and_the_rest_is_read(plugin: Plugin, folder: Path) -> None:
    (folder / "a.pdf").write_bytes(b"%PDF-1.7\nnothing more")
    (folder / "empty.md").write_bytes(b"")
    out = StringIO()
    with pytest.raises(CommandError, match=r"2 of 5 could not be read\."):
        call_command("ingest", "pumps", str(folder), stdout=out, stderr=StringIO())
    lines = out.getvalue().splitlines()
    assert [line.split()[:2] for line in lines] == [
        ["ready", "README.md:"],
        ["failed", "a.pdf:"],
        ["ready", "b/README.md:"],
        ["ready", "b/manual.pdf:"],
        ["failed", "empty.md:"],
    ]
    assert Document.objects.filter(status="ready").count() == 3


def test_small_files_are_read_in_one_run_of_the_model(
    plugin: Plugin, tmp_path: Path, embedder: CountingEmbedder
) -> None:
    for number in range(40):
        (tmp_path / f"{number:02}.md").write_text(f"Rule {number}: wear boots of size {number}.")
    (tmp_path / "07.md").write_bytes(b"")  # cannot be read
    batches: list[int] = []
    embedder.trouble = lambda: batches.append(1)
    out = StringIO()
    with pytest.raises(CommandError, match=r"1 of 40"):
        call_command("ingest", "pumps", str(tmp_path), stdout=out, stderr=StringIO())
    outcomes = [line.split()[0] for line in out.getvalue().splitlines()]
    assert outcomes == ["ready"] * 7 + ["failed"] + ["ready"] * 32, "in the order of the files"
    base = KnowledgeBase.objects.get()
    assert (len(batches), base.revision) == (2, 2), "32 files at most are read together"
    check_sound(base)


def test_a_killed_command_is_ended_by_the_next(plugin: Plugin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(4):
        (tmp_path / f"{number}.md").write_text(f"Rule {number}: wear boots.")

    def killed(*_: object, **__: object) -> None:
        raise Crash

    with monkeypatch.context() as patch:
        patch.setattr(publish_version, "publish_new", killed)
        with pytest.raises(Crash):
            run("pumps", str(tmp_path))
    base = KnowledgeBase.objects.get()
    assert alive(base) == []
    assert [line.split()[0] for line in run("pumps", str(tmp_path)).splitlines()] == ["ready"] * 4
    assert sorted(alive(base)) == [f"Rule {number}: wear boots." for number in range(4)]
    check_sound(base)


def test_an_embedder_that_is_away_is_named_for_each_file(
    plugin: Plugin, folder: Path, embedder: CountingEmbedder
) -> None:
    def away() -> None:
        raise EmbedderUnavailable

    embedder.trouble = away
    with pytest.raises(CommandError, match=r"3 of 3"):
        run("pumps", str(folder))
    assert set(Document.objects.values_list("error_code", flat=True)) == {"provider_unavailable"}
    embedder.trouble = lambda: None
    assert [line.split()[0] for line in run("pumps", str(folder)).splitlines()] == ["ready"] * 3


def test_an_unknown_plugin_is_named() -> None:
    with pytest.raises(CommandError, match="There is no plugin called 'nobody'"):
        run("nobody", "x.md")


def test_a_path_that_is_not_there_is_named(plugin: Plugin) -> None:
    with pytest.raises(CommandError, match="There is no file or folder '/nowhere'"):
        run("pumps", "/nowhere")


def test_a_refused_address_is_a_failure(plugin: Plugin) -> None:
    with pytest.raises(CommandError, match=r"1 of 1"):
        run("pumps", "http://127.0.0.1:9/")


def test_help_shows_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        call_command("ingest", "--help")
    assert "manage.py ingest structural-engineering standards/ notes.md" in capsys.readouterr().out
