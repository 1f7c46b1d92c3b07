"""The data of the first release, as it stands in `first_release.sql.gz`, is migrated and goes on answering."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.conf import global_settings
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.test import Client
from psycopg import sql

from accounts.models import ApiKey, User
from audit.chain import verify_chain
from backups.backup_store import BackupStore
from backups.create_backup import create_backup
from knowledge.documents.lifecycle import add_text
from knowledge.ingest import ingest
from knowledge.models import Document, Page
from lexic.migration_lint import RELEASED
from lexic.storage.folder import FolderStorage
from marketplace.publishing.publish import publish
from plugins.models import Plugin
from querying.models import Query
from tests.upgrades.make_first_release import DUMP, SAID, SECRETS

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]
COVER = "structural-engineering-concrete-cover"
DATABASE = "lexic_first_release"


@pytest.fixture(scope="module")
def migrated(django_db_setup: None, django_db_blocker: Any) -> Iterator[str]:
    """The name of a database with the old data, after all migrations."""
    server = {"host": connection.settings_dict["HOST"], "user": "lexic"}
    here = connection.settings_dict["NAME"]
    name = f"{DATABASE}_{here}"
    with psycopg.connect(**server, dbname="postgres", autocommit=True) as own:
        own.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    with psycopg.connect(**server, dbname=name, autocommit=True) as own:
        own.execute(gzip.decompress(DUMP.read_bytes()))
    with django_db_blocker.unblock():
        connection.close()
        connection.settings_dict["NAME"] = name
        call_command("migrate", verbosity=0)
        connection.close()
        connection.settings_dict["NAME"] = here
    yield name
    with psycopg.connect(**server, dbname="postgres", autocommit=True) as own:
        own.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture(autouse=True)
def first_release(migrated: str, transactional_db: None, settings: Any) -> Iterator[None]:
    """The site as somebody finds it after the upgrade, with the secrets that it had."""
    here = connection.settings_dict["NAME"]
    connection.close()
    connection.settings_dict["NAME"] = migrated
    settings.ENCRYPTION_KEY = SECRETS["ENCRYPTION_KEY"]
    settings.PASSWORD_HASHERS = global_settings.PASSWORD_HASHERS
    yield
    connection.close()
    connection.settings_dict["NAME"] = here


@pytest.fixture
def said() -> dict[str, Any]:
    """What it answered then, and its keys."""
    return json.loads(SAID.read_text())


def ask(secret: str, release: str, text: str) -> dict[str, Any]:
    response = Client().post(
        "/api/v1/query",
        {"plugin": release, "query": text},
        content_type="application/json",
        headers={"Authorization": f"Bearer {secret}"},
    )
    assert response.status_code == 200, response.content
    return response.json()


def test_every_migration_is_applied_and_none_of_then_was_taken_out() -> None:
    executor = MigrationExecutor(connection)
    assert not executor.migration_plan(executor.loader.graph.leaf_nodes())
    ours = {f"{app}.{name}" for app, name in executor.loader.applied_migrations}
    assert set(RELEASED.read_text().split()) <= ours


def test_the_same_questions_have_the_same_outcomes_out_of_the_same_pages(said: dict[str, Any]) -> None:
    """Each to the release that it was asked: what a release knows does not change."""
    for then in said["answers"][:-1]:
        now = ask(said["key"], then["release"], then["question"])
        expected = {"answered": {"answered"}, "refused": {"refused"}, "clarify": {"answered", "clarify"}}
        assert now["outcome"] in expected[then["outcome"]], then["question"]
        assert now["pluginVersion"] == then["pluginVersion"]
        if then["outcome"] == "answered":
            places = [{(one["document"], one.get("page")) for one in answer["citations"]} for answer in (then, now)]
            assert places[0] & places[1], then["question"]
        for citation in now["citations"]:
            texts = Page.objects.filter(document=citation["documentId"]).values_list("text", flat=True)
            assert citation["excerpt"] in {text[citation["start"] : citation["end"]] for text in texts}
    assert ask(said["key"], COVER, said["answers"][0]["question"])["answer"].count("45 mm")


def test_what_was_asked_then_can_still_be_proven(said: dict[str, Any]) -> None:
    for then in said["answers"]:
        row = Query.objects.get(pk=then["queryId"])
        assert (row.outcome, row.answer) == (then["outcome"], then["answer"])
        for citation in row.citations:
            texts = Page.objects.filter(document=citation["documentId"]).values_list("text", flat=True)
            assert citation["excerpt"] in {text[citation["start"] : citation["end"]] for text in texts}


def test_people_and_keys_are_who_they_were(said: dict[str, Any]) -> None:
    owner = User.objects.get(email="demo@lexic.example")
    assert owner.check_password("a password of the first release")
    key = ApiKey.objects.for_secret(said["key"])
    assert key is not None
    assert key.reveal() == said["key"]
    assert ApiKey.objects.for_secret(said["revoked"]) is None
    bob = User.objects.get(email="bob@lexic.example")
    assert [plugin.slug for plugin in Plugin.objects.editable_by(bob)] == ["ladders"]
    assert Plugin.objects.askable_by(owner).filter(slug="ladders").count() == 0
    page = Client()
    page.force_login(bob)
    assert page.get("/admin/plugins/plugin/").status_code == 200


def test_its_author_goes_on_with_it(said: dict[str, Any], tmp_path: Any) -> None:
    """A document is added, a release published and asked; the log begins, and a backup of it all can be made."""
    plugin = Plugin.objects.get(slug=COVER)
    fact = "# Anchors\n\nAnchors of stainless steel are pulled at 12 kN before they are loaded."
    added = add_text(knowledge_base=plugin.knowledge_base, title="Anchors", text=fact, enqueue=False).document
    ingest(added.pk)
    assert Document.objects.get(pk=added.pk).status == "ready"
    release = publish(plugin, by=plugin.owner).release
    assert release.version == "1.3.0"
    text = "At which force are anchors of stainless steel pulled?"
    assert "12 kN" in ask(said["key"], f"{COVER}@1.3.0", text)["answer"]
    assert ask(said["key"], f"{COVER}@1.2.0", text)["outcome"] == "refused"
    assert verify_chain().entries
    made = create_backup(BackupStore(FolderStorage(tmp_path / "store")))
    assert {"accounts.0001_initial", "knowledge.0016_files_of_repositories"} <= set(made.migrations)
