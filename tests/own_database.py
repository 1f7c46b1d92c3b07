"""A database of a test's own with all tables, for tests that take its tables apart: nobody has to mend them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from psycopg import sql

from tests import prepared


@pytest.fixture
def own_database(transactional_db: None) -> Iterator[None]:
    """Until its end, the test is connected to it."""
    here = str(connection.settings_dict["NAME"])
    own = f"{here}_own"
    drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(own))
    with connection.cursor() as cursor:
        cursor.execute(drop)
    prepared.copy_template({"host": connection.settings_dict["HOST"], "user": "lexic"}, name=own)
    _connect(own)
    yield
    _connect(here)
    with connection.cursor() as cursor:
        cursor.execute(drop)


def _connect(name: str) -> None:
    connection.close()
    connection.settings_dict["NAME"] = name
    ContentType.objects.clear_cache()
