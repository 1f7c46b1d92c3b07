"""How every benchmark is started and prints what it measured."""

from __future__ import annotations

import argparse
import compileall
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parent.parent

if TYPE_CHECKING:
    from evaluation.eval_types import PipelineOutcome


def run_benchmark(
    about: str | None,
    measured: Callable[[], Mapping[str, float | str]],
    *,
    quick: Callable[[], Mapping[str, float | str]] | None = None,
) -> None:
    """A line for each figure, or with `--json` one object. Nothing is measured for `--help`. `quick` is measured for
    `--quick`, where there is something smaller to measure."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    if quick:
        parser.add_argument("--quick", action="store_true", help="measure something smaller")
    options = parser.parse_args()
    chosen = quick if quick and options.quick else measured
    print_figures(chosen(), as_json=options.json)


def print_figures(figures: Mapping[str, float | str], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(figures))
        return
    width = max(map(len, figures))
    for name, value in figures.items():
        print(f"{name:{width}} {value if isinstance(value, str) else f'{value:9.2f}'}")


@contextmanager
def temporary_database(*, with_redis: bool = False) -> Iterator[None]:
    """An empty migrated database in a folder that goes away; with Redis beside it where that is needed."""
    with tempfile.TemporaryDirectory(prefix="lxb-", dir="/tmp") as folder:
        Path(folder).chmod(0o755)  # PostgreSQL does not run as root
        os.environ |= {"DJANGO_SETTINGS_MODULE": "lexic.settings", "LEXIC_VAR_DIR": folder, "DATABASE_URL": ""}
        os.environ.setdefault("LEXIC_LOG_LEVEL", "WARNING")
        import django
        from django.conf import settings
        from django.core.management import call_command
        from django.db import connection

        from local import embedded_services

        needed: list[embedded_services.Service] = [embedded_services.Postgres(Path(folder))]
        needed += [embedded_services.Redis(Path(folder))] if with_redis else []
        with embedded_services.running_services(Path(folder), database=settings.EMBEDDED_DATABASE, needed=needed):
            django.setup()
            call_command("migrate", verbosity=0)
            yield
            connection.close()


def compile_modules() -> None:
    """As those of an installation are. Where Python is told to write no bytecode, every process compiles them anew."""
    for package in {path.parent for path in ROOT.glob("*/__init__.py")} - {ROOT / "tests"}:
        compileall.compile_dir(package, quiet=1)


def time_call(work: Callable[[], object]) -> float:
    """The seconds that the call takes."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def count_where(rows: Iterable[Mapping[str, Any]], key: str) -> int:
    """How many of the rows say yes to this."""
    return sum(row[key] for row in rows)


def count_high_and_wrong(rows: Iterable[Mapping[str, Any]]) -> int:
    """How many of the questions were answered with high confidence, and not right."""
    return sum(row["answered"] and not row["right"] and row["confidence"] == "high" for row in rows)


def processor_seconds(pid: int, *, with_children: bool = False) -> float:
    """What this process has used so far, in all its threads, and its children that have ended (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11 : 15 if with_children else 13])) / os.sysconf("SC_CLK_TCK")


def ask_set(
    about: str | None,
    folder: Path,
    *,
    judge: Callable[[Mapping[str, Any], PipelineOutcome], dict[str, Any]],
    table: Callable[[Sequence[dict[str, Any]]], Iterable[str]],
) -> None:
    """Asks the questions of a folder (`documents/` and `questions.jsonl`, each question of its document alone), and
    prints a table of what was judged. The command line may name another folder, and a file for the judgements."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=folder)
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    lines = (options.folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [{"id": f"{number}"} | json.loads(line) for number, line in enumerate(lines)]
    asked = ("id", "question", "document", "history")
    wanted = [{key: one[key] for key in asked if key in one} for one in questions]
    with temporary_database():
        given = ask_questions(wanted, (options.folder / "documents").iterdir())
        rows = [judge(one, outcome) for one, outcome in zip(questions, given, strict=True)]
    if options.save:
        options.save.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for line in table(rows):
        print(line)


def ask_questions(rows: Sequence[Mapping[str, Any]], documents: Iterable[Path]) -> Iterator[PipelineOutcome]:
    """What the pipeline gives for each question of a set that holds these documents; `rows` are as `questions.jsonl`
    has them."""
    from evaluation import dataset, eval_corpus, run_question

    with tempfile.TemporaryDirectory(prefix="asked-") as name:
        folder = Path(name)
        (folder / "documents").mkdir()
        for path in documents:
            (folder / "documents" / path.name).symlink_to(path.resolve())
        (folder / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        data = dataset.read_dataset(folder)
        corpus = eval_corpus.build_corpus(data, on_progress=lambda done, total: None)
        for one in data.questions:
            yield run_question.run_pipeline(run_question.build_question(one, corpus))
