"""Which routes are described."""

from __future__ import annotations

from typing import Any

# Whatever else clients of OpenAI's protocol may know answers 404 in their words: nothing to describe.
LEFT_OUT = ("/v1/{rest}",)


def described(endpoints: list[Any], **about: Any) -> list[Any]:
    """A `PREPROCESSING_HOOK`."""
    return [endpoint for endpoint in endpoints if endpoint[0] not in LEFT_OUT]
