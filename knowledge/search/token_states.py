"""The token states that were kept of passages when these were embedded."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from knowledge.embedders.packed_states import PackedStates, unpack
from lexic.postgresql.base import binary_cursor
from lexic.sql_files import read_sql


def states_of_chunks(chunk_ids: Sequence[int]) -> dict[int, PackedStates]:
    """By the ids of the chunks; one of which a window has none, or none that can be read, is left out."""
    with binary_cursor() as cursor:
        cursor.execute(read_sql("knowledge", "token_states_of_chunks"), {"chunks": list(chunk_ids)})
        rows = cursor.fetchall()
    found: dict[int, PackedStates] = {}
    for (chunk_id, _), windows in groupby(rows, key=lambda row: row[:2]):
        states = [of_window for *_, of_window in windows]
        unpacked = None if None in states else unpack(states)
        if unpacked is not None and chunk_id not in found:
            found[chunk_id] = unpacked
    return found
