"""Why a remote source could not be synced. Nothing is changed then."""

from __future__ import annotations

from lexic.errors import Conflict, InvalidInput, LexicError


class SourceUnavailable(LexicError):
    """The source could not be read."""

    code = "source_unavailable"
    status = 502
    hint = "Nothing was changed. It is tried again by its timetable."


class SourceRefused(SourceUnavailable):
    """The source wants other credentials."""

    code = "source_refused"
    hint = "Nothing was changed. Give the source credentials that may read it."


class SourceEmpty(SourceUnavailable):
    """The source gives nothing that can be read."""

    code = "source_empty"
    hint = "Nothing was changed. Open its address to see what is there."


class InvalidSource(InvalidInput):
    """This is no source that can be synced."""

    code = "invalid_source"


class SourceExists(Conflict):
    """The knowledge base has this source already."""

    code = "source_exists"
    hint = "Change that one."


class TooManySources(Conflict):
    """A plugin has at most 20 sources from elsewhere."""

    code = "too_many_sources"
    hint = "Remove one that is not needed any more."
