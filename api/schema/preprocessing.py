"""Which routes are described."""

from __future__ import annotations

from typing import Any

# Whatever else clients of OpenAI's protocol may know answers 404 in their words: nothing to describe.
EXCLUDED_PATHS = ("/v1/{rest}",)


def exclude_paths(endpoints: list[Any], **about: Any) -> list[Any]:
    """A `PREPROCESSING_HOOK`."""
    return [endpoint for endpoint in endpoints if endpoint[0] not in EXCLUDED_PATHS]
