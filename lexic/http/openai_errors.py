"""Errors in the form that clients of OpenAI's protocol read: everything below /v1/ answers like this."""

from __future__ import annotations

from typing import Any

from lexic.errors import LexicError

OPENAI_PATH_PREFIX = "/v1/"

# Where the protocol has a name for it, that is the one its clients look for; anything else keeps ours.
_OPENAI_ERROR_CODES = {
    "not_authenticated": "invalid_api_key",
    "unknown_plugin": "model_not_found",
    "unknown_release": "model_not_found",
    "rate_limited": "rate_limit_exceeded",
}
_OPENAI_ERROR_TYPES = {403: "permission_error", 429: "rate_limit_error"}


def error_envelope(error: LexicError) -> dict[str, Any]:
    """`{"error": {message, type, param, code, hint}}`. Most clients show the message alone, so it ends in the hint."""
    code = _OPENAI_ERROR_CODES.get(error.code, error.code)
    by_class = "server_error" if error.status >= 500 else "invalid_request_error"
    return {
        "error": {
            "message": error.message_with_hint,
            "type": _OPENAI_ERROR_TYPES.get(error.status, by_class),
            "param": error.param or ("model" if code == "model_not_found" else None),
            "code": code,
            "hint": error.hint,
        }
    }
