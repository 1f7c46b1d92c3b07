"""Scans made for tests: pages drawn by PDFium, as a scanner would leave them."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pypdfium2
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from tests.knowledge.readers.made import lines, pdf

COVER = ("Nominal cover of a beam exposed to weather", "The cover is 45 mm in severe exposure.", "Use grade M30.")


def scanned(
    folder: Path, *texts: str, dpi: int = 110, turned: int = 0, skew: float = 0.0, noise: float = 0.0
) -> Image.Image:
    """A page that says so, `turned` by so many degrees to the left."""
    source = pdf(folder / "drawn.pdf", lines(*texts, size=14))
    with pypdfium2.PdfDocument(source) as document:
        picture = document[0].render(scale=dpi / 72).to_pil().convert("RGB")
    picture = picture.rotate(skew, fillcolor="white", resample=Image.Resampling.BICUBIC)
    if noise:
        pixels = np.asarray(picture) + np.random.default_rng(7).normal(0, noise, (*picture.size[::-1], 1))
        picture = Image.fromarray(pixels.clip(0, 255).astype(np.uint8))
    return picture.rotate(turned, expand=True)


def scan_page(picture: Image.Image) -> Callable[[Canvas], None]:
    """A page of a PDF that is this picture alone."""
    content = io.BytesIO()
    picture.save(content, "JPEG", quality=60)

    def draw(canvas: Canvas) -> None:
        canvas.setPageSize((595, 595 * picture.height / picture.width))
        canvas.drawImage(ImageReader(content), 0, 0, 595, 595 * picture.height / picture.width)

    return draw


def scanned_pdf(path: Path, *pages: Sequence[str]) -> Path:
    return pdf(path, *(scan_page(scanned(path.parent, *texts)) for texts in pages))
