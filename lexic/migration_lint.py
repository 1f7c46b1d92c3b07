"""Finds migrations that would break the version of Lexic that still runs while they are applied.

Machines are replaced one after the other, so for some minutes the version before works on the new tables: it must find
every column it reads, and its rows must go in. A long lock on a table with many rows stops everybody.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import sqlparse
from django.apps import apps
from django.conf import settings
from django.contrib.postgres.operations import AddConstraintNotValid, AddIndexConcurrently
from django.db import connection, models
from django.db.migrations import Migration, operations
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.models.fields import NOT_PROVIDED, Field

RELEASED = Path(__file__).parent / "released_migrations.txt"
# An attribute of a migration: by the code of a finding, why it does no harm there.
ACCEPTED = "accepted_risks"
# Those that grow with documents, questions, messages and what is done.
BIG_TABLES = frozenset(
    {
        "agents.agentevent",
        "agents.agentrun",
        "audit.auditentry",
        "contracts.finding",
        "knowledge.chunk",
        "knowledge.chunkterms",
        "knowledge.document",
        "knowledge.embedding",
        "knowledge.page",
        "knowledge.revision",
        "knowledge.term",
        "knowledge.termcount",
        "conversations.chatmessage",
        "querying.query",
        "webhooks.delivery",
    }
)
# What a statement of SQL says, word by word.
_SQL_RISKS = {
    ("DROP", "TABLE"): "drops_table",
    ("DROP", "COLUMN"): "drops_column",
    ("RENAME",): "renames",
    ("SET", "NOT NULL"): "not_null",
}
_TABLE_CONSTRAINTS = frozenset({"CONSTRAINT", "CHECK", "UNIQUE", "PRIMARY", "FOREIGN", "EXCLUDE"})
_EXPLANATIONS = {
    "drops_table": "drops a table that the version before may read",
    "drops_column": "drops a column that the version before may read",
    "renames": "renames what the version before knows by its old name",
    "not_null": "needs a value that the version before does not write; give the field a db_default, or let it be null",
    "changes_type": "changes the type of a column, which writes the whole table anew",
    "runs_code": "runs code that is not looked at here: say what it writes, which rows it locks, and for how long",
    "locks_big_table": "locks a big table while all rows are read: use AddIndexConcurrently, or AddConstraintNotValid",
    "without_reason": "accepts a risk without saying why",
    "accepts_nothing": "accepts a risk that it does not have",
}


@dataclass(frozen=True, kw_only=True)
class MigrationRisk:
    """`migration` as `app.name`; `code` is what `accepted_risks` names."""

    migration: str
    code: str
    place: str

    def __str__(self) -> str:
        return f"{self.migration}: {self.place} {_EXPLANATIONS[self.code]} [{self.code}]"


def lint_new_migrations() -> list[MigrationRisk]:
    """The risks of all migrations of ours that no released version has, and that they do not accept."""
    released = set(RELEASED.read_text().split())
    loader = MigrationLoader(None)
    return [
        risk
        for name, migration in sorted(own_migrations(loader).items())
        if name not in released
        for risk in unaccepted_risks(migration, _state_before(loader, migration))
    ]


def own_migrations(loader: MigrationLoader) -> dict[str, Migration]:
    """The migrations of the apps in this repository, by `app.name`."""
    ours = {config.label for config in apps.get_app_configs() if Path(config.path).parent == settings.BASE_DIR}
    found = loader.disk_migrations or {}
    return {f"{app}.{name}": migration for (app, name), migration in found.items() if app in ours}


def unaccepted_risks(migration: Migration, state: ProjectState) -> Iterator[MigrationRisk]:
    """The risks of this migration after that state, without those that it accepts, and what is wrong with accepting."""
    accepted: Mapping[str, str] = getattr(migration, ACCEPTED, {})
    name, found = f"{migration.app_label}.{migration.name}", set()
    for code, place in _Linter(migration.app_label, state).risks(migration.operations):
        found.add(code)
        if code not in accepted:
            yield MigrationRisk(migration=name, code=code, place=place)
    for code, reason in accepted.items():
        if not reason.strip():
            yield MigrationRisk(migration=name, code="without_reason", place=code)
        if code not in found:
            yield MigrationRisk(migration=name, code="accepts_nothing", place=code)


def _state_before(loader: MigrationLoader, migration: Migration) -> ProjectState:
    state: ProjectState = loader.project_state((migration.app_label, migration.name), at_end=False)
    return state


class _Linter:
    """Checks one migration. What the migration itself creates is new: it has no readers yet, and no rows."""

    def __init__(self, app_label: str, state: ProjectState) -> None:
        self._app = app_label
        self._state = state
        self._new: set[str] = set()

    def risks(self, of: Iterable[Operation]) -> Iterator[tuple[str, str]]:
        """The code of each risk, and where it is."""
        for operation in of:
            if isinstance(operation, operations.SeparateDatabaseAndState):
                for part in operation.database_operations:
                    yield from self._risks_of(part)
            else:
                yield from self._risks_of(operation)
            operation.state_forwards(self._app, self._state)

    def _risks_of(self, operation: Operation) -> Iterator[tuple[str, str]]:
        if isinstance(operation, operations.CreateModel):
            self._new.add(operation.name_lower)
        elif isinstance(operation, operations.RunSQL):
            yield from _sql_risks(operation.sql)
        elif isinstance(operation, operations.RunPython):
            if operation.code is not operations.RunPython.noop:
                yield "runs_code", f"“{getattr(operation.code, '__name__', operation.code)}”"
        else:
            yield from self._risks_of_change(operation)

    def _risks_of_change(self, operation: Operation) -> Iterator[tuple[str, str]]:
        """The risks of the changes of a model."""
        model = str(getattr(operation, "model_name_lower", None) or getattr(operation, "name_lower", ""))
        if model in self._new:
            return
        place = operation.describe()
        if isinstance(operation, operations.DeleteModel):
            yield "drops_table", place
        elif isinstance(operation, (operations.RenameModel, operations.RenameField, operations.AlterModelTable)):
            yield "renames", place
        elif isinstance(operation, operations.RemoveField):
            field = self._field(model, operation.name)
            yield ("drops_table" if field.many_to_many else "drops_column"), place
        elif isinstance(operation, operations.AddField):
            yield from ((code, place) for code in self._added(model, operation.field))
        elif isinstance(operation, operations.AlterField):
            yield from ((code, place) for code in self._altered(model, operation.name, operation.field))
        elif self._is_big(model) and self._locks(operation):
            yield "locks_big_table", place

    def _added(self, model: str, field: Field) -> Iterator[str]:
        has_column = not field.many_to_many and not field.generated
        if has_column and not field.null and field.db_default is NOT_PROVIDED:
            yield "not_null"
        if self._is_big(model) and (_is_indexed(field) or field.generated):
            yield "locks_big_table"

    def _altered(self, model: str, name: str, field: Field) -> Iterator[str]:
        before = self._field(model, name)
        if (before.db_column or name) != (field.db_column or name):
            yield "renames"
        if before.null and not field.null:
            yield "not_null"
        if not field.many_to_many and not _fits_type(before, field):
            yield "changes_type"
        if self._is_big(model) and _is_indexed(field) and not _is_indexed(before):
            yield "locks_big_table"

    def _field(self, model: str, name: str) -> Field:
        return self._state.models[self._app, model].fields[name]

    def _is_big(self, model: str) -> bool:
        return f"{self._app}.{model}" in BIG_TABLES

    @staticmethod
    def _locks(operation: Operation) -> bool:
        if isinstance(operation, (AddIndexConcurrently, AddConstraintNotValid)):
            return False
        return isinstance(operation, (operations.AddIndex, operations.AddConstraint, operations.AlterUniqueTogether))


def _is_indexed(field: Field) -> bool:
    # Fields that several rows may share have no `db_index`.
    return bool(field.unique or getattr(field, "db_index", False))


def _fits_type(before: Field, after: Field) -> bool:
    """Whether the column stays as it is: PostgreSQL only notes that a text may be longer."""
    if isinstance(before, models.ForeignKey) and isinstance(after, models.ForeignKey):
        return True  # of rows with the same kind of key; what they refer to is not in this state
    if isinstance(before, models.CharField) and isinstance(after, (models.CharField, models.TextField)):
        return after.max_length is None or (before.max_length or 0) <= after.max_length
    return bool(before.db_type(connection) == after.db_type(connection))


def _sql_risks(sql: object) -> Iterator[tuple[str, str]]:
    for text in _statements(sql):
        for statement in sqlparse.parse(text):
            tokens: Iterable[sqlparse.sql.Token] = statement.flatten()  # type: ignore[no-untyped-call]
            words = [token.normalized.upper() for token in tokens if _is_word(token)]
            place = f"“{' '.join(words)[:80]}”"
            for risk, code in _SQL_RISKS.items():
                if any(tuple(words[at : at + len(risk)]) == risk for at in range(len(words))):
                    yield code, place
            if words[:1] == ["CREATE"] and "INDEX" in words[1:3] and "CONCURRENTLY" not in words:
                yield "locks_big_table", place
            if words[:2] == ["ALTER", "TABLE"]:
                yield from ((code, place) for action in _table_actions(words) for code in _action_risks(action))


def _table_actions(words: list[str]) -> Iterator[list[str]]:
    """What an ALTER TABLE does, one thing after the other, without what is in parentheses."""
    action: list[str] = []
    depth = 0
    for word in words[2:]:
        depth += (word == "(") - (word == ")")
        if depth or word in (")", ";", "COLUMN", "IF EXISTS", "IF NOT EXISTS"):
            continue
        if word == ",":
            yield action
            action = []
        elif action or word in ("ADD", "ALTER"):  # the name of the table comes before
            action.append(word)
    yield action


def _action_risks(action: list[str]) -> Iterator[str]:
    if action[:1] == ["ALTER"] and (action[2:3] == ["TYPE"] or action[2:5] == ["SET", "DATA", "TYPE"]):
        yield "changes_type"
    if action[:1] != ["ADD"]:
        return
    if action[1] in _TABLE_CONSTRAINTS:
        # Made of an index that is there, or looked at only when it is validated, it reads no rows now.
        if action[-2:] != ["NOT", "VALID"] and "USING" not in action:
            yield "locks_big_table"
    elif "NOT NULL" in action and not {"DEFAULT", "GENERATED"} & set(action):
        yield "not_null"


def _statements(sql: object) -> list[str]:
    """The texts of a `RunSQL`: one, or a list of texts and of pairs with their parameters."""
    if isinstance(sql, (list, tuple)):
        return [str(one[0] if isinstance(one, (list, tuple)) else one) for one in sql]
    return [str(sql)]


def _is_word(token: sqlparse.sql.Token) -> bool:
    return not token.is_whitespace and token.ttype not in sqlparse.tokens.Comment
