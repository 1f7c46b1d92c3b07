"""The origin of a page's text that was not in the file: OCR, or a person who corrected it."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from knowledge.readers.types import OcrReading


class ReadBy(models.TextChoices):
    FILE = "", "as it stands in the file"
    OCR = "ocr", "OCR"
    HAND = "hand", "corrected by hand"


class RecognisedText(models.Model):
    """The columns of a page that say so. Never altered, as the rest of the page."""

    read_by = models.CharField(
        max_length=8, choices=ReadBy.choices, blank=True, default="", db_default="", editable=False
    )
    confidence = models.FloatField(
        null=True, editable=False, help_text="How surely OCR has read it: the usual score of its letters, 0 to 1."
    )
    # [[start, end], …] of numbers that read differently a second time.
    unsure_spans = models.JSONField(null=True, editable=False)
    left_out_words = models.PositiveIntegerField(
        default=0, db_default=0, editable=False, help_text="How many words were too unsure to be kept."
    )

    class Meta:
        abstract = True

    @property
    def is_ocr(self) -> bool:
        """Whether the text comes from OCR and no person has checked it against the picture."""
        return self.read_by == ReadBy.OCR

    @property
    def was_recognised(self) -> bool:
        return self.read_by in (ReadBy.OCR, ReadBy.HAND)

    @property
    def confidence_percent(self) -> int:
        """Rounded down: nothing is called wholly sure that is not."""
        return int(100 * (self.confidence or 0))


class PageCorrection(models.Model):
    """Who has corrected the text of a page, and when. The page holds the corrected text; the one before stays as it
    was read."""

    page = models.OneToOneField("knowledge.Page", on_delete=models.CASCADE, related_name="correction")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"correction of page {self.page_id}"


def recognised_columns(reading: OcrReading | None) -> dict[str, Any]:
    """The columns of a page that was read so; of one that stands in its file None."""
    if reading is None:
        return {}
    return {
        "read_by": ReadBy.OCR,
        "confidence": reading.confidence,
        "unsure_spans": [list(span) for span in reading.unsure] or None,
        "left_out_words": reading.left_out,
    }
