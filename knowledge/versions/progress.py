"""The progress of reading a document. It is written at most twice a second, for people who watch it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.utils import timezone

from knowledge.lease import confirm_held
from knowledge.models import Document, DocumentStatus

# Called with the stage, how much of it is done, and how much there is (None: not known yet).
OnStageProgress = Callable[[DocumentStatus, int, int | None], None]


# A pace measured over less than this says nothing, in seconds.
MIN_MEASURED_SECONDS = 1.0


class Superseded(Exception):
    """The document was deleted, renamed, or given other bytes while it was being read, or its reading was stopped."""


class VersionProgress:
    """Writes status and counters of one version of a document, at most every `interval` seconds within a stage.

    Every write raises `Superseded` when that version is no longer wanted, and `LeaseLost` when somebody else reads it
    by now, which is how the work learns of it.
    """

    def __init__(
        self,
        *,
        document_id: UUID,
        sha256: str,
        title: str | None = None,
        on_progress: OnStageProgress | None = None,
        interval: float = 0.5,
    ) -> None:
        self._version = Document.objects.version(document_id, sha256=sha256, title=title)
        self._on_progress = on_progress or (lambda _stage, _done, _total: None)
        self._interval = interval
        self._written = -math.inf
        self._stage = DocumentStatus.QUEUED
        self._estimator = TimeEstimator()

    def enter_stage(self, stage: DocumentStatus, **columns: Any) -> None:
        """The document is at this stage now. Written at once."""
        self._stage = stage
        self._estimator = TimeEstimator()
        self._write(status=stage, error="", error_code="", expected_at=None, **columns)

    def report_pages(self, done: int, total: int | None) -> None:
        self._on_progress(self._stage, done, total)
        self._write_throttled(pages_done=done, pages_total=total, expected_at=self._estimator.expected_end(done, total))

    def report_chunks(self, done: int, total: int) -> None:
        self._on_progress(self._stage, done, total)
        expected_at = self._estimator.expected_end(done, total)
        self._write_throttled(chunks_done=done, chunks_total=total, expected_at=expected_at, is_last=done == total)

    def _write_throttled(self, *, is_last: bool = False, **columns: Any) -> None:
        if is_last or time.monotonic() - self._written >= self._interval:
            self._write(**columns)

    def _write(self, **columns: Any) -> None:
        confirm_held()
        if not self._version.update(updated_at=timezone.now(), **columns):
            raise Superseded
        self._written = time.monotonic()


class TimeEstimator:
    """How fast a stage goes, measured from its first report on: what was done by then may have cost nothing."""

    def __init__(self) -> None:
        self._first: tuple[float, int] | None = None

    def expected_end(self, done: int, total: int | None) -> datetime | None:
        """When all will be done, if the rest goes as fast as what was watched. None as long as that is a guess."""
        now = time.monotonic()
        if self._first is None:
            self._first = now, done
        began, had = self._first
        passed, gained = now - began, done - had
        if total is None or done >= total or gained <= 0 or passed < MIN_MEASURED_SECONDS:
            return None
        return timezone.now() + timedelta(seconds=passed * (total - done) / gained)
