"""The operators' list of what was asked."""

from __future__ import annotations

from querying.admin.query_log import QueryAdmin

__all__ = ["QueryAdmin"]
