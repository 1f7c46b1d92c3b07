"""Files in a request: their limits, and the form fields that come with them as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from rest_framework.parsers import DataAndFiles, MultiPartParser
from rest_framework.request import Request

from lexic.errors import InvalidInput
from lexic.http.error_handlers import PayloadTooLarge
from lexic.http.strict_json import InvalidJson, read_json

MAX_FILES = 20
# All files of a request together may be as large as this many of the largest documents.
MAX_TOTAL_DOCUMENTS = 4


class NoFile(InvalidInput):
    """No file was sent."""

    code = "no_file"
    hint = "Send it as multipart/form-data, in a field called “file”, with its name."


class TooManyFiles(PayloadTooLarge):
    """These are too many files for one request."""

    code = "too_many_files"
    hint = f"Send at most {MAX_FILES} at a time."


class UploadParser(MultiPartParser):
    """Reads text as UTF-8 whatever the header says, and refuses a body that declares to be too large."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> DataAndFiles:
        context = dict(parser_context or {})
        length = context["request"].META.get("CONTENT_LENGTH") or "0"
        if length.isascii() and length.isdigit() and int(length) > _max_total_bytes():
            raise PayloadTooLarge
        return super().parse(stream, media_type, {**context, "encoding": "utf-8"})


def get_files(request: Request) -> list[UploadedFile]:
    """The files in the field `file`. Raises `NoFile`, `TooManyFiles`, `PayloadTooLarge`."""
    files = request.FILES.getlist("file")
    if elsewhere := sorted(set(request.FILES) - {"file"}):
        raise NoFile(f"A file was sent in a field called “{elsewhere[0][:60]}”, where none is looked for.")
    if not files:
        raise NoFile
    if len(files) > MAX_FILES:
        raise TooManyFiles
    if sum(file.size or 0 for file in files) > _max_total_bytes():
        raise PayloadTooLarge
    return files


def get_file(request: Request) -> UploadedFile:
    """The only file. Raises `NoFile`, `TooManyFiles`, `PayloadTooLarge`."""
    files = get_files(request)
    if len(files) > 1:
        raise TooManyFiles("One file is needed, and several were sent.", hint="Send them one by one.")
    return files[0]


def get_form_fields(
    request: Request, *, lists: tuple[str, ...] = (), flags: tuple[str, ...] = (), objects: tuple[str, ...] = ()
) -> dict[str, Any]:
    """The other fields as JSON would have them. An empty field of a form counts as not sent.

    `lists` may be repeated or have commas, `flags` are true or false, `objects` are JSON. Raises `InvalidJson`.
    """
    fields: dict[str, Any] = {}
    for name in request.POST:
        values = [value for value in request.POST.getlist(name) if value.strip()]
        if name in lists:
            fields[name] = [part.strip() for value in values for part in value.split(",") if part.strip()]
        elif len(values) > 1:
            raise InvalidJson(f"{name:.60} was sent more than once.")
        elif values:
            fields[name] = values[0]
            if name in flags:
                fields[name] = {"true": True, "false": False}.get(values[0].strip().lower(), values[0])
            elif name in objects:
                fields[name] = read_json(values[0].encode())
    return fields


def _max_total_bytes() -> int:
    return MAX_TOTAL_DOCUMENTS * settings.LEXIC_MAX_DOCUMENT_BYTES
