"""Turns exceptions into errors of the protocol."""

from __future__ import annotations

import logging
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp.types import INTERNAL_ERROR, INVALID_PARAMS

from lexic.errors import LexicError
from lexic.http.error_handlers import to_lexic_error

logger = logging.getLogger(__name__)


def as_logged_error(raised: Exception) -> LexicError:
    """The error as callers see it. An unexpected exception is logged with its traceback, which callers never see."""
    error = to_lexic_error(raised)
    if error.status >= 500:
        logger.error("%s: %s", error.code, error.hint, exc_info=None if isinstance(raised, LexicError) else raised)
    return error


def as_protocol_error(raised: Exception, **data: Any) -> MCPError:
    """The error as the answer to a request that is no call of a tool; `data` joins `{"error", "code", "hint"}`."""
    error = as_logged_error(raised)
    code = INTERNAL_ERROR if error.status >= 500 else INVALID_PARAMS
    return MCPError(code=code, message=error.message, data={**data, **error.as_dict()})
