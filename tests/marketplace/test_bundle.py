"""A plugin as one file: out, in, and out again."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.core.management import CommandError, call_command
from django.urls import reverse

from accounts.models import User
from evaluation.models import GoldenQuestion
from knowledge.documents.file_store import SourceFileMissing
from knowledge.documents.lifecycle import add_file
from knowledge.ingest import ingest
from knowledge.models import Document
from knowledge.plugin_knowledge_base import own_knowledge_base
from marketplace.bundle import export_plugin, import_plugin
from marketplace.bundle.columns import (
    DECIDED_ON_IMPORT,
    EXPORTED_COLUMNS,
    PLUGIN_COLUMNS,
    RELEASE_COLUMNS,
    UNSHARED_COLUMNS,
    BadBundle,
    exported_columns,
)
from plugins.models import Plugin
from plugins.slugs import SlugTaken
from tests.remembered import remembered
from tests.stored_files import stored_path
from trees.models import DecisionTree, TreeCase

pytestmark = pytest.mark.django_db

TREE = {
    "rootNodeId": "a",
    "nodes": {"a": {"id": "a", "type": "action", "label": "End", "action": {"recommendation": "Boots."}}},
}
RULES = b"# Rules\n\nSafety boots are worn on every site, \xe2\x80\x9calways\xe2\x80\x9d.\n"


@pytest.fixture
@remembered
def boots(alice: User) -> Plugin:
    """With everything that a plugin can have."""
    plugin = Plugin.objects.create(
        owner=alice,
        name="Boots “and” shoes",
        slug="boots",
        domain="safety",
        system_prompt="You are a safety engineer.\r\nBe brief.",
        audience="site engineers",
        tone="value first",
        limits="Never guess.\nNever promise.",
        disclaimer="Ask.",
        citation_mode="optional",
        top_k=5,
        threshold=0.25,
        evidence_threshold=0.5,
        synonyms=[["w/c", "water-cement ratio"]],
        tags=["boots", "sites"],
        golden_gate="block",
        golden_share=0.9,
        is_shared=True,
        public_chat=True,
    )
    base = own_knowledge_base(plugin)
    base.language = "german"
    base.save()
    said = {"doc_type": "rules", "tags": ["a"], "effective_from": "2026-01-01", "is_public": True, "own": {"x": 1}}
    add_file(knowledge_base=base, file_name="rules.md", stream=io.BytesIO(RULES), metadata=said, enqueue=False)
    add_file(knowledge_base=base, file_name="notes.txt", stream=io.BytesIO(b"Notes."), title="A", enqueue=False)
    Document.objects.create(knowledge_base=base, title="Web", url="https://example.org/rules", source_type="url")
    for order, name in enumerate(("Second", "First")):
        tree = DecisionTree.objects.create(
            plugin=plugin, name=name, description="When?", tree_data=TREE, order=1 - order, is_active=bool(order)
        )
        TreeCase.objects.create(tree=tree, name="Boots", facts={"place": "site"}, expected="a", position=order)
    for number in range(3):
        GoldenQuestion.objects.create(
            plugin=plugin,
            question=f"Question {number}?",
            facts={"place": "site"},
            must_cite=[["rules", 2], ["notes", None]],
            must_contain=["boots"],
            must_reach="a",
        )
    return plugin


def exported(plugin: Plugin) -> bytes:
    with export_plugin(plugin) as file:
        return file.read()


def imported(content: bytes, owner: User, **more: Any) -> Plugin:
    return import_plugin(io.BytesIO(content), owner=owner, **more).plugin


# --- Round trip ------------------------------------------------------------------------------------------------


def test_the_same_plugin_is_the_same_bytes(boots: Plugin) -> None:
    assert exported(boots) == exported(boots)


def test_out_in_and_out_again_is_the_same_bytes(boots: Plugin, bob: User) -> None:
    first = exported(boots)
    boots.delete()
    assert exported(imported(first, bob)) == first


def test_reading_the_documents_changes_nothing_of_it(boots: Plugin, bob: User) -> None:
    for document in Document.objects.filter(url=""):
        ingest(document.pk)
    first = exported(boots)
    boots.delete()
    copy = imported(first, bob)
    assert exported(copy) == first
    for document in Document.objects.filter(knowledge_base__plugin=copy, url=""):
        assert document.status == "queued"
        ingest(document.pk)
        document.refresh_from_db()
        assert document.status == "ready"
    assert exported(copy) == first


def test_it_arrives_as_a_draft_of_the_person_who_imports_it(boots: Plugin, bob: User) -> None:
    copy = imported(exported(boots), bob)
    assert (copy.owner, copy.is_published, copy.is_shared, copy.public_chat) == (bob, False, False, False)
    assert (copy.slug, copy.releases.count(), copy.editors.count()) == ("boots-1", 0, 0)
    assert copy.policy() == boots.policy()
    assert [tree.name for tree in copy.trees.all()] == ["First", "Second"]
    rules = Document.objects.get(knowledge_base__plugin=copy, file_name="rules.md")
    assert (rules.effective_from, rules.is_public, rules.metadata) == (date(2026, 1, 1), True, {"own": {"x": 1}})
    assert stored_path(rules.sha256).read_bytes() == RULES
    assert copy.knowledge_base.language == "german"


def test_apart_from_its_slug_a_second_copy_is_the_same(boots: Plugin, bob: User) -> None:
    manifests = [json.loads(_read(exported(plugin))) for plugin in (boots, imported(exported(boots), bob))]
    assert [manifest["plugin"].pop("slug") for manifest in manifests] == ["boots", "boots-1"]
    assert manifests[0] == manifests[1]


def test_every_column_of_a_plugin_is_decided_on() -> None:
    """Whoever adds a column says in `marketplace/bundle/columns.py` whether a file has it."""
    decided = Counter([*PLUGIN_COLUMNS, *UNSHARED_COLUMNS, *DECIDED_ON_IMPORT])
    assert decided == Counter(exported_columns(Plugin))
    assert set(PLUGIN_COLUMNS) - set(RELEASE_COLUMNS) == {"config"}


def test_every_column_that_a_person_writes_of_a_tree_or_a_golden_question_travels() -> None:
    for model in (DecisionTree, TreeCase, GoldenQuestion):
        assert set(EXPORTED_COLUMNS[model]) == set(exported_columns(model))


LIMITS: dict[str, Any] = {
    "legal_hold": "operator",
    "keep_questions_days": 1,
    "keep_chats_days": 2,
    "keep_files_days": 3,
    "spending_cap": "0.01",
    "embed_origins": ["https://evil.example.org"],
}


def with_columns(content: bytes, **columns: Any) -> bytes:
    """The file with other columns of the plugin in its manifest."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(target, "w") as archive:
        manifest = json.loads(source.read("manifest.json"))
        manifest["plugin"] |= columns
        archive.writestr("manifest.json", json.dumps(manifest))
        for name in source.namelist()[1:]:
            archive.writestr(name, source.read(name))
    return target.getvalue()


def test_the_limits_of_a_plugin_are_in_no_file(boots: Plugin) -> None:
    before = exported(boots)
    Plugin.objects.filter(pk=boots.pk).update(**LIMITS)
    assert exported(Plugin.objects.get(pk=boots.pk)) == before


def test_limits_and_a_hold_in_a_file_are_ignored(boots: Plugin, bob: User) -> None:
    """Files of earlier versions have them, and anybody can write them into one."""
    copy = imported(with_columns(exported(boots), **LIMITS), bob)
    assert {name: getattr(copy, name) for name in LIMITS} == {
        name: Plugin._meta.get_field(name).get_default() for name in LIMITS
    }
    copy.check_deletable()
    assert imported(with_columns(exported(boots), legal_hold={"by": "nobody"}), bob).legal_hold == ""


def test_a_config_that_the_api_would_refuse_is_refused_in_a_file(boots: Plugin, bob: User) -> None:
    longest = {"a": "x" * (Plugin.MAX_CONFIG_LENGTH - len('{"a": ""}'))}
    assert imported(with_columns(exported(boots), config=longest), bob).config == longest
    with pytest.raises(BadBundle, match="is longer than 16,000 characters of JSON") as refused:
        imported(with_columns(exported(boots), config={"a": longest["a"] + "x"}), bob)
    assert "Shorten it" in refused.value.hint
    assert Plugin.objects.filter(owner=bob).count() == 1


def test_an_empty_draft_travels_too(alice: User, bob: User) -> None:
    draft = Plugin.objects.create(owner=alice, name="Empty", domain="x", system_prompt="")
    first = exported(draft)
    draft.delete()
    assert exported(imported(first, bob)) == first


def test_it_holds_no_people_and_nothing_that_was_asked(boots: Plugin, bob: User) -> None:
    boots.editors.add(bob)
    manifest = _read(exported(boots))
    for secret in (boots.owner.email, bob.email, str(boots.pk), str(boots.owner.pk)):
        assert secret not in manifest


def test_a_document_whose_file_is_gone_is_named(boots: Plugin) -> None:
    gone = Document.objects.get(file_name="notes.txt")
    stored_path(gone.sha256).unlink()
    with pytest.raises(SourceFileMissing, match="A"):
        export_plugin(boots)


# --- By hand ---------------------------------------------------------------------------------------------------


def test_by_command(boots: Plugin, bob: User, tmp_path: Path, capsys) -> None:
    file = tmp_path / "boots.zip"
    call_command("export_plugin", "boots", "-o", str(file), "--json")
    assert json.loads(capsys.readouterr().out)["bytes"] == file.stat().st_size
    call_command("import_plugin", str(file), "--owner", "BOB@example.org", "--slug", "shoes", "--json")
    assert json.loads(capsys.readouterr().out)["documents"] == 3
    assert Plugin.objects.get(slug="shoes").owner == bob


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["export_plugin", "nothing"], "There is no plugin called"),
        (["import_plugin", "/nowhere.zip", "--owner", "bob@example.org"], "cannot be read"),
        (["import_plugin", "/nowhere.zip", "--owner", "nobody@example.org"], "There is no active account"),
        (["import_plugin", "/nowhere.zip"], "Say whose it will be"),
    ],
)
def test_a_command_says_what_is_wrong(bob: User, arguments: list[str], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        call_command(*arguments)


def test_a_slug_that_was_asked_for_and_is_taken_is_refused(boots: Plugin, bob: User) -> None:
    with pytest.raises(SlugTaken):
        imported(exported(boots), bob, slug="boots")
    assert Plugin.objects.count() == 1


async def _pieces(answer: Any) -> list[bytes]:
    return [piece async for piece in answer.streaming_content]


def test_in_the_builder(boots: Plugin, alice: User, bob: User, client) -> None:
    client.force_login(alice)
    answer = client.get(reverse("admin:builder_download", args=[boots.pk]))
    content = b"".join(async_to_sync(_pieces)(answer))
    assert content == exported(boots)
    assert answer.headers["Content-Disposition"] == 'attachment; filename="boots.lexic.zip"'
    client.force_login(bob)
    file = io.BytesIO(content)
    file.name = "boots.lexic.zip"
    answer = client.post(reverse("admin:builder_import"), {"file": file}, follow=True)
    assert "agents call it boots-1" in answer.content.decode()
    wrong = io.BytesIO(b"no zip")
    wrong.name = "wrong.zip"
    answer = client.post(reverse("admin:builder_import"), {"file": wrong})
    assert "This file is not a zip, or it is damaged. Nothing was imported." in answer.content.decode()
    assert Plugin.objects.count() == 2


def _read(content: bytes) -> str:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return archive.read("manifest.json").decode()


def test_the_names_in_it_are_hashes_of_what_they_hold(boots: Plugin) -> None:
    with zipfile.ZipFile(io.BytesIO(exported(boots))) as archive:
        for name in archive.namelist()[1:]:
            assert name == f"documents/{hashlib.sha256(archive.read(name)).hexdigest()}"
