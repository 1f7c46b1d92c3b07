"""Migrations that the version before would not survive are found, and those that it does not notice are not."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.postgres.operations import AddConstraintNotValid, AddIndexConcurrently
from django.core.management import CommandError, call_command
from django.db import models
from django.db.migrations import Migration, operations
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

from lexic import migration_lint
from lexic.migration_lint import lint_new_migrations, own_migrations, unaccepted_risks

POSITIVE = models.CheckConstraint(condition=models.Q(size__gte=0), name="positive")
BY_SIZE = models.Index(fields=["size"], name="by_size")


def state() -> ProjectState:
    """A small table, and a big one."""
    before = ProjectState()
    for name in ("Note", "Chunk"):
        fields = [
            ("id", models.BigAutoField(primary_key=True)),
            ("title", models.CharField(max_length=100)),
            ("size", models.IntegerField(null=True)),
            ("others", models.ManyToManyField("knowledge.Note")),
        ]
        operations.CreateModel(name, fields).state_forwards("knowledge", before)
    return before


def write_titles(apps: object, editor: object) -> None:
    """What a data migration calls."""


def found(*of: Operation, accepted: dict[str, str] | None = None) -> list[str]:
    migration = Migration("0099_new", "knowledge")
    migration.operations = list(of)
    migration.accepted_risks = accepted or {}
    return [risk.code for risk in unaccepted_risks(migration, state())]


def added(field: models.Field[Any, Any], model: str = "note") -> Operation:
    return operations.AddField(model, "new", field)


def _name(value: object) -> str:
    """The same in every process: a function is shown with its address."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(value))


@pytest.mark.parametrize(
    ("operation", "code"),
    [
        (operations.DeleteModel("Note"), "drops_table"),
        (operations.RemoveField("note", "title"), "drops_column"),
        (operations.RemoveField("note", "others"), "drops_table"),
        (operations.RenameField("note", "title", "name"), "renames"),
        (operations.RenameModel("Note", "Remark"), "renames"),
        (operations.AlterModelTable("note", "remarks"), "renames"),
        (operations.AlterField("note", "title", models.CharField(max_length=100, db_column="name")), "renames"),
        (added(models.CharField(max_length=9)), "not_null"),
        (added(models.IntegerField(default=0)), "not_null"),
        (operations.AlterField("note", "size", models.IntegerField(default=0)), "not_null"),
        (operations.AlterField("note", "size", models.BigIntegerField(null=True)), "changes_type"),
        (operations.AlterField("note", "title", models.CharField(max_length=50)), "changes_type"),
        (operations.AddIndex("chunk", BY_SIZE), "locks_big_table"),
        (operations.AddConstraint("chunk", POSITIVE), "locks_big_table"),
        (added(models.IntegerField(null=True, db_index=True), "chunk"), "locks_big_table"),
        (added(models.ForeignKey("knowledge.Note", models.CASCADE, null=True), "chunk"), "locks_big_table"),
        (
            operations.AlterField("chunk", "size", models.IntegerField(null=True, db_index=True)),
            "locks_big_table",
        ),
        (operations.RunSQL("ALTER TABLE knowledge_note DROP COLUMN title"), "drops_column"),
        (operations.RunSQL("drop  /* at last */ table knowledge_note"), "drops_table"),
        (operations.RunSQL("ALTER TABLE knowledge_note RENAME TO remark"), "renames"),
        (operations.RunSQL([("ALTER TABLE a ALTER b SET NOT NULL", None)]), "not_null"),
        (operations.RunSQL("CREATE UNIQUE INDEX one ON knowledge_chunk (size)"), "locks_big_table"),
        (operations.RunSQL("ALTER TABLE a ALTER COLUMN b TYPE bigint USING b::bigint"), "changes_type"),
        (operations.RunSQL('ALTER TABLE ONLY x."a" DROP CONSTRAINT c, ALTER b SET DATA TYPE text'), "changes_type"),
        (operations.RunSQL("ALTER TABLE IF EXISTS a ADD COLUMN IF NOT EXISTS b numeric(3, 2) NOT NULL"), "not_null"),
        (operations.RunSQL("ALTER TABLE a ADD b int NOT NULL, ADD c int DEFAULT 0"), "not_null"),
        (operations.RunSQL("ALTER TABLE a ADD CONSTRAINT c CHECK (b IS NOT NULL)"), "locks_big_table"),
        (operations.RunSQL("ALTER TABLE a ADD FOREIGN KEY (b) REFERENCES c (id)"), "locks_big_table"),
        (operations.RunPython(write_titles), "runs_code"),
    ],
    ids=_name,
)
def test_what_the_version_before_would_not_survive_is_found(operation: Operation, code: str) -> None:
    assert found(operation) == [code]
    assert found(operations.SeparateDatabaseAndState(database_operations=[operation])) == [code]


@pytest.mark.parametrize(
    "operation",
    [
        added(models.IntegerField(null=True)),
        added(models.IntegerField(db_default=0)),
        added(models.ManyToManyField("knowledge.Note")),
        added(models.IntegerField(null=True, db_index=True)),
        operations.AlterField("note", "title", models.CharField(max_length=200)),
        operations.AlterField("note", "title", models.TextField()),
        operations.AlterField("note", "title", models.CharField(max_length=100, help_text="Its name.")),
        operations.AddIndex("note", BY_SIZE),
        operations.AddConstraint("note", POSITIVE),
        AddIndexConcurrently("chunk", BY_SIZE),
        AddConstraintNotValid("chunk", POSITIVE),
        operations.RunSQL("CREATE INDEX CONCURRENTLY one ON knowledge_chunk (size)"),
        operations.RunSQL("ALTER TABLE a ADD COLUMN type text, ADD b int NOT NULL DEFAULT 0"),
        operations.RunSQL("ALTER TABLE a ALTER type SET DEFAULT 'new', ALTER COLUMN b DROP NOT NULL"),
        operations.RunSQL("ALTER TABLE a ADD CONSTRAINT c CHECK (b IS NOT NULL) NOT VALID"),
        operations.RunSQL("ALTER TABLE a ADD CONSTRAINT c UNIQUE USING INDEX d; ALTER TABLE a VALIDATE CONSTRAINT e"),
        operations.RunSQL("UPDATE knowledge_note SET title = 'drop table' -- RENAME"),
        operations.RunPython(operations.RunPython.noop),
        operations.SeparateDatabaseAndState(state_operations=[operations.RemoveField("note", "title")]),
    ],
    ids=_name,
)
def test_what_it_does_not_notice_is_fine(operation: Operation) -> None:
    assert found(operation) == []


def test_a_table_of_the_same_migration_has_no_rows_yet() -> None:
    new = operations.CreateModel(
        "Word", [("id", models.BigAutoField(primary_key=True)), ("size", models.IntegerField())]
    )
    assert (
        found(new, operations.AddField("word", "text", models.TextField()), operations.AddIndex("word", BY_SIZE)) == []
    )


def test_a_risk_is_accepted_with_a_reason_and_only_where_there_is_one() -> None:
    drop = operations.RemoveField("note", "title")
    assert found(drop, accepted={"drops_column": "No version since 0.3 reads it."}) == []
    assert found(drop, accepted={"drops_column": " "}) == ["without_reason"]
    assert found(drop, accepted={"drops_column": "Unused.", "renames": "Unused."}) == ["accepts_nothing"]


def test_no_migration_of_ours_that_is_new_has_a_risk_and_the_released_ones_are_there() -> None:
    assert [str(risk) for risk in lint_new_migrations()] == []
    assert set(migration_lint.RELEASED.read_text().split()) <= own_migrations(MigrationLoader(None)).keys()


def test_every_big_table_is_one_of_ours() -> None:
    models_of_ours = MigrationLoader(None).project_state().models.keys()
    assert {tuple(name.split(".")) for name in migration_lint.BIG_TABLES} <= models_of_ours


def test_the_command_names_what_is_wrong_and_writes_down_what_is_released(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(migration_lint, "RELEASED", tmp_path / "released")
    (tmp_path / "released").write_text("")
    with pytest.raises(CommandError, match="risks for the version that still runs"):
        call_command("lint_migrations")
    line = (
        "knowledge.0009_a_base_has_the_owner_of_its_plugin: Remove field attached_to from knowledgebase drops a table"
    )
    assert line in capsys.readouterr().out
    call_command("lint_migrations", "--release")
    call_command("lint_migrations")
