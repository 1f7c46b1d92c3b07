"""Whether a reply says that somebody does not know, told by its nearness to such replies."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from knowledge.embedders import local_embedder

if TYPE_CHECKING:
    from numpy.typing import NDArray

_UNSURE_REPLIES = ("I do not know.", "I'm not sure.", "No idea.", "I can't say.", "unknown", "idk")
# Measured: replies of that kind lie above .45, values such as "none", "nothing" or "no insurance" under .37.
_MIN_COSINE = 0.45
_MAX_CHARACTERS = 60


def is_unsure(reply: object) -> bool:
    """Whether the reply is a short text that admits to not knowing."""
    if not isinstance(reply, str) or not reply.strip() or len(reply) > _MAX_CHARACTERS:
        return False
    return float((_unsure_vectors() @ local_embedder().embed_one(reply.strip())).max()) >= _MIN_COSINE


@cache
def _unsure_vectors() -> NDArray[np.float32]:
    return np.array([local_embedder().embed_one(text) for text in _UNSURE_REPLIES])
