"""Files that leave in pieces: the event loop would collect an ordinary file in memory first."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import IO

from asgiref.sync import sync_to_async
from django.http import StreamingHttpResponse
from django.utils.http import content_disposition_header

CHUNK_BYTES = 256 * 1024


class DownloadResponse(StreamingHttpResponse):
    """The whole file as something to keep, under this name. It is closed when it has left, or the caller has."""

    def __init__(self, file: IO[bytes], *, name: str, content_type: str) -> None:
        self._file = file
        super().__init__(self._read_chunks(), content_type=content_type)
        self["Content-Length"] = str(file.seek(0, 2))
        self["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
        file.seek(0)

    def close(self) -> None:
        super().close()
        self._file.close()

    async def _read_chunks(self) -> AsyncGenerator[bytes]:
        while piece := await sync_to_async(self._file.read)(CHUNK_BYTES):
            yield piece
