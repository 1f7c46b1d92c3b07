"""Brings a backup back into an empty installation of the same version or of a later one."""

from __future__ import annotations

from collections.abc import Iterable

from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from psycopg import sql

from backups.backup_errors import DamagedBackup, NewerBackup, NotEmpty, NotMigrated
from backups.backup_store import BackupStore
from backups.manifest import FileCopy, Manifest, TableCopy
from backups.snapshot import TABLES
from knowledge.models import KnowledgeBase
from knowledge.search import vector_index
from lexic.storage import Storage, site_storage

# A table with a row in it shows that somebody uses the installation. Migrations leave all of these empty.
_IN_USE = ("accounts_user", "plugins_plugin", "knowledge_document", "audit_auditentry")
_FUNCTIONS = """
SELECT oid::regprocedure::text FROM pg_proc
WHERE pronamespace = current_schema()::regnamespace AND pg_get_userbyid(proowner) = current_user
    AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')
"""


def restore_backup(store: BackupStore, manifest: Manifest, *, rows_only: bool = False) -> None:
    """Files first, then the database in one transaction, then the migrations that are newer than the backup.

    With `rows_only` neither files nor vector indexes: enough to ask questions of a copy that is thrown away. What ends
    it before the rows are there, it can be begun again. Raises `NotEmpty`, `NewerBackup`, `DamagedBackup`,
    `NotMigrated`.
    """
    check_restorable(manifest)
    storage = site_storage()
    for file in () if rows_only else manifest.files:
        _restore_file(store, storage, file)
    _make_tables(manifest.migrations)
    with transaction.atomic():
        _load_tables(store, manifest)
    try:
        call_command("migrate", interactive=False, verbosity=0)
    except (CommandError, DatabaseError) as error:
        raise NotMigrated(hint=f"{NotMigrated.hint} It said: {error}") from error
    for base in () if rows_only else KnowledgeBase.objects.all():
        vector_index.ensure_index(base)


def check_restorable(manifest: Manifest) -> None:
    """Raises `NewerBackup` where this version does not know the tables, and `NotEmpty` where the installation is in
    use."""
    known = {f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations}
    if unknown := set(manifest.migrations) - known:
        raise NewerBackup(f"{NewerBackup.__doc__} It has {min(unknown)}, which is not known here.")
    with connection.cursor() as cursor:
        cursor.execute(TABLES)
        present = {name for name, *_ in cursor.fetchall()}
        ours = {*connection.introspection.django_table_names(), "django_migrations"}
        ours |= {table.name for table in manifest.tables}
        if strange := present - ours:
            raise NotEmpty(f"The database has a table that is not of Lexic: {min(strange)}.")
        for table in present.intersection(_IN_USE):
            cursor.execute(sql.SQL("SELECT EXISTS (SELECT FROM {})").format(sql.Identifier(table)))
            if cursor.fetchone()[0]:
                raise NotEmpty
    copied = {file.name for file in manifest.files}
    if any(found.name not in copied for found in site_storage().files()):
        raise NotEmpty("There are files of another installation where uploads are kept.")


def count_rows(tables: Iterable[TableCopy]) -> dict[str, tuple[int, int]]:
    """The tables whose number of rows differs from their copies': how many rows they have, and how many they should."""
    counts = {}
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table.name)))
            counts[table.name] = (int(cursor.fetchone()[0]), table.rows)
    return {name: count for name, count in counts.items() if count[0] != count[1]}


def _restore_file(store: BackupStore, storage: Storage, file: FileCopy) -> None:
    found = storage.find(file.name)
    if found and found.size == file.size:
        return  # an earlier attempt
    with storage.new_file(file.name.rpartition("/")[0]) as target:
        for piece in file.pieces:
            target.write(store.read(piece))
        storage.keep(target, file.name)


def _make_tables(migrations: list[str]) -> None:
    """Creates the tables as they were when the backup was made. Drops other tables, which nothing uses."""
    recorder = MigrationRecorder(connection)
    if recorder.has_table() and {".".join(key) for key in recorder.applied_migrations()} == set(migrations):
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(TABLES)
        for name, *_ in cursor.fetchall():
            cursor.execute(sql.SQL("DROP TABLE IF EXISTS {} CASCADE").format(sql.Identifier(name)))
        cursor.execute(_FUNCTIONS)
        for (function,) in cursor.fetchall():
            cursor.execute(f"DROP FUNCTION IF EXISTS {function} CASCADE")
    executor = MigrationExecutor(connection)
    nodes = executor.loader.graph.node_map
    applied = [key for key in nodes if ".".join(key) in migrations]
    # The last ones of each app: the others come before them.
    inner = {parent.key for key in applied for parent in nodes[key].parents if parent.key[0] == key[0]}
    executor.migrate([key for key in applied if key not in inner])


def _load_tables(store: BackupStore, manifest: Manifest) -> None:
    names = [sql.Identifier(table.name) for table in manifest.tables]
    with connection.cursor() as cursor:
        # Triggers wrote what they write when the rows were new; the audit log would be chained anew.
        for name in names:
            cursor.execute(sql.SQL("ALTER TABLE {} DISABLE TRIGGER USER").format(name))
        cursor.execute(sql.SQL("TRUNCATE {}").format(sql.SQL(", ").join(names)))
        for table in manifest.tables:
            _load_table(store, table)
        for sequence, value in manifest.sequences.items():
            cursor.execute("SELECT setval(%s::regclass, %s)", [f'"{sequence}"', value])
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for name in names:
            cursor.execute(sql.SQL("ALTER TABLE {} ENABLE TRIGGER USER").format(name))
    for table_name, (there, written) in count_rows(manifest.tables).items():
        raise DamagedBackup(f"Table {table_name} has {there} rows, and {written} were backed up.")


def _load_table(store: BackupStore, table: TableCopy) -> None:
    columns = sql.SQL(", ").join(map(sql.Identifier, table.columns))
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table.name), columns)
    with connection.wrap_database_errors, connection.connection.cursor() as cursor, cursor.copy(statement) as copy:
        for piece in table.pieces:
            copy.write(store.read(piece))
