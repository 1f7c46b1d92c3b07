"""The reasons why files could not be read, in the language of a mail. They are kept in English, as the builder
shows them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from knowledge.ingest import NoCitableText, ProviderUnavailable, UnexpectedIngestError
from knowledge.readers.types import ERRORS_BY_CODE, NothingRecognised, OldOfficeFile
from knowledge.tasks import WorkerCrashed
from lexic.errors import LexicError

_KINDS: tuple[type[LexicError], ...] = (
    *ERRORS_BY_CODE.values(),
    NothingRecognised,
    OldOfficeFile,
    NoCitableText,
    ProviderUnavailable,
    UnexpectedIngestError,
    WorkerCrashed,
)


def translated_reason(reason: str) -> str:
    """What a document says about its failure, in the active language. Empty where it names what was found in the file:
    such a reason is kept in English alone."""
    error = _errors_by_text().get(reason)
    return error.message_with_hint if error else ""


@cache
def _errors_by_text() -> Mapping[str, LexicError]:
    errors = [kind() for kind in _KINDS]
    return {f"{error.message} {error.hint}": error for error in errors}
