"""The token states that were kept of passages when these were embedded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from knowledge.embedders.packed_states import PackedStates, unpack
from lexic.postgresql.base import binary_cursor
from lexic.sql_files import read_sql


def states_of_chunks(chunk_ids: Sequence[int]) -> dict[int, PackedStates]:
    """By the ids of the chunks; one of which a window has none, or none that can be read, is left out."""
    windows: defaultdict[int, list[bytes]] = defaultdict(list)
    with binary_cursor() as cursor:
        cursor.execute(read_sql("knowledge", "token_states_of_chunks"), {"chunks": list(chunk_ids)})
        for chunk_id, states in cursor.fetchall():
            windows[chunk_id].append(states)
    unpacked = {chunk_id: unpack(states) for chunk_id, states in windows.items()}
    return {chunk_id: states for chunk_id, states in unpacked.items() if states is not None}
