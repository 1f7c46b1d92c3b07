"""The token states that were kept of passages when these were embedded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import psycopg
from django.db import connection

from knowledge.embedders.packed_states import PackedStates, unpack
from lexic.sql_files import read_sql


def states_of_chunks(chunk_ids: Sequence[int]) -> dict[int, PackedStates]:
    """By the ids of the chunks; one of which a window has none, or none that can be read, is left out."""
    windows: defaultdict[int, list[bytes]] = defaultdict(list)
    connection.ensure_connection()
    # As bytes, which Django's own cursors do not read: in text they would be twice as long.
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        query = read_sql("knowledge", "token_states_of_chunks")
        cursor.execute(query, {"chunks": list(chunk_ids)}, binary=True, prepare=False)
        for chunk_id, states in cursor:
            windows[chunk_id].append(states)
    unpacked = {chunk_id: unpack(states) for chunk_id, states in windows.items()}
    return {chunk_id: states for chunk_id, states in unpacked.items() if states is not None}
