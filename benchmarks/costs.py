"""What each part costs, compared with a lower limit: `python -m benchmarks.costs [--quick]`.

All figures are processor time and come from one run, so that a busy machine changes the figures but hardly the ratios.
A command, a small file, a PDF page, a search and a whole answer are each compared with a limit that is measured in the
same run: Python with Django's commands loaded, a new interpreter for each file, pdfplumber and PDFium alone, and the
models alone. Then come small documents that are read together, and sixty streams at once. `--quick` takes two minutes
of processor time, the whole some eight. `--json` prints the figures for programs; `--save FOLDER` writes costs.json
there, and a plot of the ratios, costs.svg.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks._harness import compile_modules, print_figures, processor_seconds, temporary_database
from benchmarks._reading_costs import reading_costs
from benchmarks.crowd import QUICK_CROWDS, measure_crowds
from benchmarks.query import create_published_plugin, time_answer, time_search

if TYPE_CHECKING:
    from plugins.models import Release

ROOT = Path(__file__).resolve().parent.parent
PDF = ROOT / "tests" / "data" / "reports" / "documents" / "nasa-cfitsio-users-guide.pdf"
_LOAD_COMMANDS = "from django.core.management import ManagementUtility"
_NEW_READER, _FORKED_READER = "a small file, a new interpreter, ms", "a small file, forked, ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the chunks, a third of the repetitions")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--save", type=Path, metavar="FOLDER", help="write costs.json and costs.svg there")
    options = parser.parse_args()
    figures = measure(chunks=500 if options.quick else 5_000, times=20 if options.quick else 60)
    print_figures(figures, as_json=options.json)
    if options.save:
        save(figures, options.save)


def measure(*, chunks: int, times: int) -> dict[str, float]:
    figures = {**command_costs(max(3, times // 10)), **file_costs(times), **pdf_costs(times)}
    with temporary_database(with_redis=True):
        figures |= answer_costs(chunks=chunks, times=times) | reading_costs(documents=times, server=_database_server())
    return figures | {"load": os.getloadavg()[0]}


def save(figures: dict[str, float], folder: Path) -> None:
    from lexic.plots import render_bars

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "costs.json").write_text(json.dumps(figures, indent=1) + "\n")
    ratios = [(name, value) for name, value in figures.items() if " to " in name]
    (folder / "costs.svg").write_text(render_bars(ratios, title="Processor time, as a multiple of the limit"))


def command_costs(times: int) -> dict[str, float]:
    compile_modules()
    bare = _of_children(times, [sys.executable, "-c", _LOAD_COMMANDS])
    ours = _of_children(times, [sys.executable, "manage.py", "--help"])
    return {
        "manage.py --help, ms": ours,
        "Django's commands alone, ms": bare,
        "--help to Django's commands": ours / bare,
    }


def file_costs(times: int) -> dict[str, float]:
    """The cost of a text of one page that is read in a confined child process: forked by the server, as Lexic does, and
    in a new interpreter."""
    from knowledge.readers.isolation import child_process, reader_process

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rules.md"
        path.write_text("# Rules\n\n" + "The cover of a beam is 45 mm.\n" * 60)

        def read() -> None:
            list(reader_process.read_pages(path, source_type="markdown"))

        forked = _with_server(times, read)
        with _replaced(reader_process, "fork_process", child_process.start_process):
            started = _median(times, read, clock=_family_ms)
    return {_FORKED_READER: forked, _NEW_READER: started, "a forked reader to a new interpreter": forked / started}


def pdf_costs(times: int) -> dict[str, float]:
    import pdfplumber
    import pypdfium2

    from knowledge.readers.pdf.reader import read
    from knowledge.readers.types import Limits

    pages = max(10, times // 2)

    def ours() -> None:
        for event, _ in zip(read(PDF, limits=Limits()), range(pages + 1), strict=False):
            assert event

    def pdfium() -> None:
        document = pypdfium2.PdfDocument(PDF)
        for number in range(pages):
            document[number].get_textpage().get_text_range()

    def plumber() -> None:
        with pdfplumber.open(PDF) as document:
            for page in document.pages[:pages]:
                page.extract_text()

    ours()
    mine, bare, plumbers = (_median(3, one) / pages for one in (ours, pdfium, plumber))
    names = ("a PDF page, ms", "PDFium alone, ms", "pdfplumber, ms")
    ratios = {"a PDF page to PDFium alone": mine / bare, "a PDF page to pdfplumber": mine / plumbers}
    return {**dict(zip(names, (mine, bare, plumbers), strict=True)), **ratios}


def answer_costs(*, chunks: int, times: int) -> dict[str, float]:
    from django.test.utils import override_settings

    from plugins.models import Release

    plugin, questions = create_published_plugin(random.Random(5), chunks=chunks)
    crowd = measure_crowds(plugin, questions, QUICK_CROWDS)
    release = Release.objects.select_related("plugin").get(plugin=plugin)
    for text in questions[:5]:
        time_answer(release, text)
    asked = questions[5 : 5 + times]
    searched = statistics.median(_spent(partial(time_search, release, text)) for text in asked)
    with _model_clock() as model_ms, _statements() as count:
        whole = [_answer(release, text, model_ms, count) for text in asked]
    answer, model, statements = (statistics.median(values) for values in zip(*whole, strict=True))
    others = questions[5 + times :][:times]  # what was asked before is remembered in part
    with override_settings(LEXIC_TOKEN_STATES_MAX_CHUNKS=0):
        without_states = statistics.median(_spent(partial(time_answer, release, text)) for text in others)
    return {
        "chunks": float(chunks),
        "a search, ms": searched,
        "a whole answer, ms": answer,
        "its models, ms": model,
        "its statements": statements,
        "an answer to its models": answer / model,
        "an answer without kept token states, ms": without_states,
        "an answer to one without kept token states": answer / without_states,
        **_crowd_costs(crowd, QUICK_CROWDS[-1][0]),
    }


def _crowd_costs(crowd: Mapping[str, float | str], many: int) -> dict[str, float]:
    """The cost of a question when many are asked at once, and of all until half of them had their first event."""
    whole, before = (
        float(crowd[f"{many} at once: {name}"])
        for name in ("processor ms a question", "processor ms before the first event, p50")
    )
    names = (f"{many} streams at once: a question, ms", f"{many} streams at once: before half have begun, ms")
    return dict(zip(names, (whole, before), strict=True)) | {
        f"until half of {many} streams have begun to all of them": before / (many * whole)
    }


def _answer(release: Release, text: str, model_ms: Callable[[], float], count: Callable[[], int]) -> tuple[float, ...]:
    model, statements = model_ms(), count()
    spent = _spent(partial(time_answer, release, text))
    return spent, model_ms() - model, count() - statements


@contextmanager
def _model_clock() -> Iterator[Callable[[], float]]:
    """Processor milliseconds that passed during calls of a model."""
    from knowledge.embedders.bert import CompiledModel

    total, finish = 0.0, CompiledModel._finish_request

    def timed(model: CompiledModel, request: Any) -> Any:
        nonlocal total
        begun = time.process_time()
        try:
            return finish(model, request)
        finally:
            total += 1000 * (time.process_time() - begun)

    with _replaced(CompiledModel, "_finish_request", timed):
        yield lambda: total


@contextmanager
def _statements() -> Iterator[Callable[[], int]]:
    from django.db.backends.utils import CursorWrapper

    cursors: Any = CursorWrapper
    count, execute = 0, cursors._execute_with_wrappers

    def counted(*args: Any, **kwargs: Any) -> Any:
        nonlocal count
        count += 1
        return execute(*args, **kwargs)

    with _replaced(cursors, "_execute_with_wrappers", counted):
        yield lambda: count


@contextmanager
def _replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


def _with_server(times: int, read: Callable[[], None]) -> float:
    """The mean of a reading by the fork server, including the time of the server and its children."""
    from knowledge.readers.isolation import child_process

    read()
    server = child_process._servers.usable().pid
    before = _family_ms() + 1000 * processor_seconds(server, with_children=True)
    for _ in range(times):
        read()
    return (_family_ms() + 1000 * processor_seconds(server, with_children=True) - before) / times


def _database_server() -> int:
    from local.embedded_services import Postgres

    folder = Postgres(Path(os.environ["LEXIC_VAR_DIR"])).data
    return int((folder / "postmaster.pid").read_text().split()[0])


def _of_children(times: int, command: list[str]) -> float:
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "lexic.settings"}

    def run() -> None:
        subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, check=True)

    return _median(times, run, clock=_family_ms)


def _family_ms() -> float:
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime)


def _process_ms() -> float:
    return 1000 * time.process_time()


def _spent(work: Callable[[], Any], *, clock: Callable[[], float] = _process_ms) -> float:
    begun = clock()
    work()
    return clock() - begun


def _median(times: int, work: Callable[[], Any], *, clock: Callable[[], float] = _process_ms) -> float:
    return statistics.median(_spent(work, clock=clock) for _ in range(times))


if __name__ == "__main__":
    main()
