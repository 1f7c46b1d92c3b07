"""How well scans are read: `python -m benchmarks.ocr [handbook.pdf …]` (some seconds for each page).

Makes scans of pages that have a text layer (150 and 300 dots an inch, two degrees askew, noise, JPEG of quality 40),
reads them as a scan is read, and compares that with the text layer, line ends and spaces aside. Prints for each
resolution the share of characters that are right, how surely they were read, pages a minute, and of the numbers: how
many there are, how many came out wrong, how many of those were not marked as unsure, and how many right ones were.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pypdfium2
from PIL import Image

from knowledge.readers.ocr.engine import READ_SIDE_PIXELS, TextRecognizer
from knowledge.readers.ocr.picture_page import PicturePage, read_picture

RESOLUTIONS = (150, 300)
SKEW_DEGREES, NOISE, JPEG_QUALITY = 2.0, 12.0, 40
DEFAULT_FILES = [
    Path(__file__).parent.parent / "tests" / "data" / "reports" / "documents" / name
    for name in ("irs-f1040ez-2012.pdf", "copyright-office-dmca-summary-1998.pdf", "siege-of-vicksburg-diary.pdf")
]
MIN_CHARACTERS = 200  # of a page that is worth a measurement
_NUMBER = re.compile(r"\d[\d.,]*")


@dataclass
class Score:
    characters: int = 0
    wrong: int = 0
    pages: int = 0
    seconds: float = 0.0
    confidences: list[float] = field(default_factory=list)
    numbers: int = 0
    wrong_numbers: int = 0
    wrong_and_sure: int = 0
    right_and_unsure: int = 0

    def add(self, reference: str, page: PicturePage) -> None:
        text, reading = page.layout.text, page.reading(page.layout)
        expected, got = "".join(reference.split()), "".join(text.split())
        self.characters += len(expected)
        self.wrong += edit_distance(expected, got)
        self.pages += 1
        self.confidences.append(reading.confidence)
        known, found = _numbers(reference), _numbers(text)
        unsure = _numbers(" ".join(text[start:end] for start, end in reading.unsure))
        wrong = found - known
        self.numbers += known.total()
        self.wrong_numbers += wrong.total()
        self.wrong_and_sure += (wrong - unsure).total()
        self.right_and_unsure += (unsure - wrong).total()

    def line(self) -> str:
        right = 1 - self.wrong / max(1, self.characters)
        pace = 60 * self.pages / max(self.seconds, 0.001)
        return (
            f"{right:.4f} of {self.characters:,} characters right on {self.pages} pages, read with "
            f"{sum(self.confidences) / max(1, self.pages):.3f}, {pace:.0f} pages a minute; "
            f"{self.numbers} numbers, {self.wrong_numbers} wrong, {self.wrong_and_sure} of them not marked, "
            f"{self.right_and_unsure} right ones marked"
        )


def edit_distance(expected: str, got: str) -> int:
    """How many characters have to be put in, taken out or changed."""
    row = np.arange(len(got) + 1)
    places, signs = np.arange(len(got) + 1), np.array([ord(sign) for sign in got], dtype=np.int64)
    for at, sign in enumerate(expected, start=1):
        changed = np.minimum(row[1:] + 1, row[:-1] + (signs != ord(sign)))
        # Putting in goes from left to right: the least of all that come before, each one more.
        row = np.minimum.accumulate(np.concatenate([[at], changed]) - places) + places
    return int(row[-1])


def scan(page: Any, *, dpi: int, seed: int) -> np.ndarray:
    """A page as a scanner leaves it: rows of blue, green and red."""
    picture = page.render(scale=dpi / 72).to_pil().convert("L")
    picture = picture.rotate(SKEW_DEGREES, fillcolor=255, resample=Image.Resampling.BICUBIC)
    pixels = np.asarray(picture, dtype=np.float32)
    noisy = (pixels + np.random.default_rng(seed).normal(0, NOISE, pixels.shape)).clip(0, 255).astype(np.uint8)
    stored = io.BytesIO()
    Image.fromarray(noisy).save(stored, "JPEG", quality=JPEG_QUALITY)
    read = Image.open(stored).convert("RGB")
    read.thumbnail((READ_SIDE_PIXELS, READ_SIDE_PIXELS))
    return np.ascontiguousarray(np.asarray(read)[:, :, ::-1])


def pages_with_text(paths: Sequence[Path], *, count: int) -> Iterator[tuple[Any, str]]:
    """About so many pages, evenly from all files, each with its text layer."""
    share = max(1, count // len(paths))
    for path in paths:
        document = pypdfium2.PdfDocument(path)
        texts = {at: document[at].get_textpage().get_text_range() for at in range(len(document))}
        full = [at for at, text in texts.items() if len(text) >= MIN_CHARACTERS]
        for at in full[:: max(1, len(full) // share)][:share]:
            yield document[at], texts[at]


def _numbers(text: str) -> Counter[str]:
    return Counter(number.rstrip(".,") for number in _NUMBER.findall(text))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, help="PDFs with a text layer; reports in tests/data without any")
    parser.add_argument("--pages", type=int, default=12)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    recognizer = TextRecognizer()
    pages = list(pages_with_text(options.files or DEFAULT_FILES, count=options.pages))
    figures = {}
    for dpi in RESOLUTIONS:
        score = Score()
        for seed, (page, text) in enumerate(pages):
            picture = scan(page, dpi=dpi, seed=seed)
            began = time.perf_counter()
            found = read_picture(picture, recognizer=recognizer, scale=page.get_width() / picture.shape[1])
            score.seconds += time.perf_counter() - began
            score.add(text, found)
        figures[str(dpi)] = asdict(score)
        if not options.json:
            print(f"{dpi} dpi: {score.line()}", flush=True)
    if options.json:
        print(json.dumps(figures))


if __name__ == "__main__":
    main()
