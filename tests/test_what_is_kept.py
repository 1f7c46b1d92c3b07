"""What a test process keeps to be quick shows in no test: each begins with the tables as they were migrated, and what
has not been seen is read and embedded."""

from __future__ import annotations

import gc
import json
import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.test import TransactionTestCase

from accounts.models import User
from knowledge import ingest
from knowledge.embedders import LocalEmbedder, get_embedder
from knowledge.readers.types import PageText, UnreadableDocument
from plugins.models import Plugin
from tests import embedding, emptying, prepared
from tests.cover import plugin, published

__all__ = ["plugin", "published"]

MIGRATED = {"auth_permission", "django_content_type", "django_migrations"}


@pytest.mark.django_db(transaction=True)
def test_a_test_that_commits_leaves_the_tables_as_they_were_migrated(published: Plugin) -> None:
    before = set(ContentType.objects.values_list()), set(Permission.objects.values_list())
    TransactionTestCase()._fixture_teardown()
    assert (set(ContentType.objects.values_list()), set(Permission.objects.values_list())) == before
    assert emptying.filled().keys() == MIGRATED
    assert not User.objects.exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("too_many", ["rows", "types"])
def test_so_does_one_that_leaves_much_or_changes_what_was_made(
    published: Plugin, too_many: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if too_many == "rows":
        monkeypatch.setattr(emptying, "MANY", 1)
    else:
        ContentType.objects.create(app_label="sixth", model="wheel")
    TransactionTestCase()._fixture_teardown()
    assert emptying.filled().keys() == MIGRATED


@pytest.mark.django_db(transaction=True)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_what_a_thread_that_is_no_more_has_locked_is_not_waited_for(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its connection stays open until garbage is looked for, and longer where that warns."""
    monkeypatch.setattr(emptying, "PATIENCE", "1s")

    def leave_locked() -> None:
        connection.set_autocommit(False)
        User.objects.select_for_update().get()

    thread = threading.Thread(target=leave_locked)
    thread.start()
    thread.join()
    TransactionTestCase()._fixture_teardown()
    assert emptying.filled().keys() == MIGRATED
    gc.collect()  # so that the warning is this test's


def test_another_text_under_the_same_name_is_read(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    for text in ("Spacers are made of mortar.", "Spacers are made of plastic.", "Spacers are made of mortar."):
        path.write_text(text)
        assert [event.text for event in _read(path, "text") if isinstance(event, PageText)] == [text]


def test_what_cannot_be_read_fails_each_time(tmp_path: Path) -> None:
    path = tmp_path / "damaged.pdf"
    path.write_bytes(b"%PDF-1.7 nothing")
    for _ in range(2):
        with pytest.raises(UnreadableDocument):
            _read(path, "pdf")


def _read(path: Path, source_type: str) -> list[Any]:
    return list(ingest.read_pages(path, source_type=source_type))


def test_other_texts_have_other_vectors() -> None:
    embedder = get_embedder("local")
    mortar, plastic = embedder.embed(["Spacers of mortar.", "Spacers of plastic."])
    assert (embedder.embed(["Spacers of mortar.", "Spacers of plastic."])[1] == plastic).all()
    assert (mortar != plastic).any()


def test_vectors_that_another_process_has_made_are_as_those_of_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["Spacers of mortar.", "Spacers stand at most one metre apart."]
    first = get_embedder("local").embed_batch(texts)
    monkeypatch.setattr(embedding, "_known", {})
    monkeypatch.setattr(embedding, "really_embed_batch", None)
    kept = LocalEmbedder().embed_batch(texts)
    monkeypatch.undo()
    assert (np.asarray(first) == kept).all()
    assert np.allclose(embedding.really_embed_batch(LocalEmbedder(), texts), kept, atol=1e-3)


def test_other_code_has_other_vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepared, "ROOT", tmp_path)
    names = set()
    for code in ("a", "b", "b"):
        (tmp_path / "model.py").write_text(code)
        names.add(prepared.fingerprint(["*.py"]))
    assert len(names) == 2


def test_of_older_folders_the_newest_are_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepared, "KEPT", tmp_path)
    for at, name in enumerate(["vectors-now", "vectors-1", "vectors-2", "vectors-3", "pg-1"]):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (at, at))
    prepared.remove_older("vectors-*", but=tmp_path / "vectors-now")
    assert {path.name for path in tmp_path.iterdir()} == {"vectors-now", "vectors-2", "vectors-3", "pg-1"}


def test_tables_are_made_from_those_that_lack_only_new_migrations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prepared, "ROOT", tmp_path)
    monkeypatch.setattr(prepared, "KEPT", tmp_path)
    migrations, tables = tmp_path / "boots" / "migrations", tmp_path / "pg-1"
    for folder in (migrations, tables):
        folder.mkdir(parents=True)
    (migrations / "0001_initial.py").write_text("a")
    assert prepared.older_tables() is None
    (tables / prepared._APPLIED_FILE).write_text(json.dumps(prepared.applied_files()))
    (migrations / "0002_laces.py").write_text("b")
    assert prepared.older_tables() == tables
    (migrations / "0001_initial.py").write_text("changed")
    assert prepared.older_tables() is None
    (migrations / "0001_initial.py").unlink()
    assert prepared.older_tables() is None
