"""How well scans are read, and whether they answer as their documents do.

  python -m benchmarks.ocr --data DATA            a sample: some minutes for the pages, about ten for the questions
  python -m benchmarks.ocr --data DATA --whole    all pages of northwind and cuad-dev, all questions of northwind: hours
  python -m benchmarks.ocr handbook.pdf …         pages of these files, and no questions

Makes scans of pages that have a text layer (150 and 300 dots an inch, two degrees askew, noise, JPEG of quality 40) and
reads them as an upload is read, in the confined process. Pages are drawn by lot from all files; `--seed` draws others.

Character accuracy is 1 - edit distance / characters of the text layer. Compared is line by line, where the words stand
on the page (benchmarks/scans/scoring.py), without white space and typed rules (---, ...), with ligatures as letters and
quotation marks and dashes of one kind. Of the digits, and the points and commas between them, it says how many are
wrong, how many of those stand in a number that is not marked as unsure, and how many are not there at all.

Questions: page@5 of the scans beside that of the PDFs, whether the words that a citation marks on the picture stand
there, and whether an answer that cites a wrong digit has high confidence. Numbers (`--only numbers`): the last of
these, of sentences without their number, of pages that are drawn by lot from all files and the reports in tests/data.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks._harness import temporary_database
from benchmarks.scans.made_scans import TruePage, chosen_pages, write_scan
from benchmarks.scans.scoring import Score
from knowledge.readers.isolation.reader_process import read_pages
from knowledge.readers.types import Limits, PageText

RESOLUTIONS = (150, 300)
REPORTS = Path(__file__).parent.parent / "tests" / "data" / "reports" / "documents"
DEFAULT_FILES = [
    REPORTS / name
    for name in ("irs-f1040ez-2012.pdf", "copyright-office-dmca-summary-1998.pdf", "siege-of-vicksburg-diary.pdf")
]
SETS = ("northwind", "cuad-dev")
SAMPLE_PAGES = 12
SAMPLE_PAGES_OF_DOCUMENT = 12
NUMBER_QUESTIONS = 200
# A busy machine reads slowly.
LIMITS = Limits(ocr=True, stall_seconds=600)


def read_scans(pages: Sequence[TruePage], *, dpi: int) -> Score:
    score = Score()
    with tempfile.TemporaryDirectory(prefix="lxb-") as folder:
        path = write_scan(pages, Path(folder) / "scan.pdf", dpi=dpi)
        began = time.perf_counter()
        events = list(read_pages(path, source_type="pdf", limits=LIMITS))
        score.seconds = time.perf_counter() - began
    read = [event for event in events if isinstance(event, PageText)]
    for truth, page in zip(pages, read, strict=True):
        score.add(truth, page)
    return score


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, help="PDFs with a text layer; reports in tests/data without any")
    parser.add_argument("--data", type=Path, help="the folder that holds the sets northwind and cuad-dev")
    parser.add_argument(
        "--pages",
        type=int,
        default=SAMPLE_PAGES,
        help="how many pages are drawn by lot; for numbers three times as many",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--dpi", type=int, nargs="+", default=RESOLUTIONS)
    parser.add_argument("--only", choices=("pages", "questions", "numbers"), help="measure one of them")
    parser.add_argument("--whole", action="store_true", help="all pages, and all questions")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    figures: dict[str, Any] = {}
    if options.only in (None, "pages"):
        figures |= _measure_pages(options)
    if options.data and options.only in (None, "questions"):
        figures["questions"] = _measure_questions(options)
    if options.data and options.only in (None, "numbers"):
        figures["numbers"] = _measure_numbers(options)
    if options.json:
        print(json.dumps(figures))


def _measure_pages(options: argparse.Namespace) -> dict[str, Any]:
    paths = _files_of_sets(options.data) if options.data else options.files or DEFAULT_FILES
    pages = chosen_pages(paths, count=None if options.whole else options.pages, seed=options.seed)
    figures = {}
    for dpi in options.dpi:
        score = read_scans(pages, dpi=dpi)
        figures[str(dpi)] = {**asdict(score), "accuracy": score.accuracy}
        if not options.json:
            print(f"{dpi} dpi: {score.line()}", *score.unmarked, sep="\n    ", flush=True)
    return figures


def _files_of_sets(data: Path) -> list[Path]:
    return [path for name in SETS for path in sorted((data / name / "documents").glob("*.pdf"))]


def _measure_numbers(options: argparse.Namespace) -> dict[str, Any]:
    with ExitStack() as stack:
        stack.enter_context(temporary_database())
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="lxb-"))
        # Loads the models of Django.
        from benchmarks.scans.number_questions import ask_for_numbers

        paths = [*_files_of_sets(options.data), *sorted(REPORTS.glob("*.pdf"))]
        found = ask_for_numbers(
            paths,
            Path(folder),
            dpi=min(options.dpi),
            pages=3 * options.pages,
            questions=NUMBER_QUESTIONS,
            seed=options.seed,
        )
    if not options.json:
        print(f"numbers, {min(options.dpi)} dpi: {found.line()}", *found.out_of_place, sep="\n    ", flush=True)
    return asdict(found)


def _measure_questions(options: argparse.Namespace) -> dict[str, Any]:
    with ExitStack() as stack:
        stack.enter_context(temporary_database())
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="lxb-"))
        # Loads the models of Django.
        from benchmarks.scans.questions import ask_of_scans

        pages = None if options.whole else SAMPLE_PAGES_OF_DOCUMENT
        found = ask_of_scans(options.data / "northwind", Path(folder), dpi=min(options.dpi), pages=pages)
    if not options.json:
        print(f"northwind, {min(options.dpi)} dpi: {found.line()}", *found.out_of_place, sep="\n    ", flush=True)
    return {**asdict(found), "share_of_text": found.share_of_text}


if __name__ == "__main__":
    main()
