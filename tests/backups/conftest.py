from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from psycopg import sql

from backups.backup_store import BackupStore, open_backup_store
from lexic.storage.folder import FolderStorage
from tests import prepared

KEY = "correct horse battery staple"


@pytest.fixture
def store(tmp_path: Path) -> BackupStore:
    """Not encrypted, in a folder of its own."""
    return BackupStore(FolderStorage(tmp_path / "store"))


@pytest.fixture
def where(tmp_path: Path) -> str:
    return str(tmp_path / "store")


@pytest.fixture
def keyed(settings: Any, where: str) -> Callable[[str], BackupStore]:
    """Opens the store with this key."""

    def open_with(key: str) -> BackupStore:
        settings.BACKUPS = {**settings.BACKUPS, "key": key}
        return open_backup_store(where)

    return open_with


@pytest.fixture
def elsewhere(tmp_path: Path, transactional_db: None) -> Iterator[None]:
    """Another installation, with empty tables and no files."""
    name = f"{connection.settings_dict['NAME']}_elsewhere"
    here, files = connection.settings_dict["NAME"], settings.LEXIC_FILES_DIR
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(name)))
    prepared.copy_template({"host": connection.settings_dict["HOST"], "user": "lexic"}, name=name)
    yield
    connection.close()
    connection.settings_dict["NAME"], settings.LEXIC_FILES_DIR = here, files
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture
def move(elsewhere: None, tmp_path: Path) -> Callable[[], None]:
    """From now on this test is in the other installation."""

    def go() -> None:
        connection.close()
        connection.settings_dict["NAME"] += "_elsewhere"
        settings.LEXIC_FILES_DIR = tmp_path / "files elsewhere"

    return go
