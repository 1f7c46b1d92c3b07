"""How many facts one question or test case may state, and how long their names and texts may be."""

from __future__ import annotations

MAX_FACTS, MAX_NAME_LENGTH, MAX_VALUE_LENGTH = 50, 200, 500
