"""Lexic beside the frameworks that people build with: `python -m benchmarks.frameworks` (some ten minutes).

LangChain, LlamaIndex, Haystack and Chroma, each as its documentation says, with the same files, the same weights of
all-MiniLM-L6-v2, and the same PostgreSQL where they use one. They live in an environment of their own, `var/peers`,
which the benchmark makes (some 2 GB; PyTorch is in it). Measured are reading the files, searching for the eight best
passages, by one client and by eight threads, and the first answer of a fresh process, in processor time (the database
server's included) beside time by the clock, because machines are busy: trust the ratios within one run. `found` is the
share of questions for which one of the eight passages has the rule that answers it. `--quick` reads a fifth of the
files; `--json` prints all figures for programs.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks._harness import compile_modules, temporary_database
from benchmarks.query import random_document

ROOT = Path(__file__).resolve().parent.parent
PEERS = ROOT / "benchmarks" / "peers"
ENVIRONMENT = ROOT / "var" / "peers"
SYSTEMS = ("lexic", "langchain", "llamaindex", "haystack", "chroma")
LARGE_FILES, SMALL_FILES = 5, 100
SECTIONS_OF_SMALL = 2
QUESTIONS = 240
_RULE = re.compile(r"The least (?P<quality>\w+) of a (?P<what>\w+ \w+) in (?P<place>[a-z ]+) is \d+ [^ ]+\.(?= |$)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a fifth of the files and questions")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=SYSTEMS)
    options = parser.parse_args()
    if set(options.systems) - {"lexic"}:
        _make_environment()
    compile_modules()
    figures = measure_all(options.systems, share=0.2 if options.quick else 1.0)
    print(json.dumps(figures, indent=1) if options.json else _as_table(figures))


def measure_all(systems: list[str], *, share: float) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="lxf-", dir="/tmp") as name:
        folder = Path(name)
        questions = write_corpus(folder / "corpus", share=share)
        size = sum(path.stat().st_size for path in (folder / "corpus").iterdir())
        with temporary_database(with_redis=True):
            found = {system: _measure(system, folder, questions) for system in systems}
    load = os.getloadavg()[0]
    return {"files": len(section_counts(share)), "kilobytes": size // 1024, "load": round(load, 1), "systems": found}


def section_counts(share: float) -> list[int]:
    """The number of sections of each file."""
    return [100] * max(1, round(LARGE_FILES * share)) + [SECTIONS_OF_SMALL] * round(SMALL_FILES * share)


def write_corpus(folder: Path, *, share: float) -> list[dict[str, str]]:
    """Files of rules, and questions that one rule each answers."""
    folder.mkdir()
    dice = random.Random(7)
    rules: dict[str, set[str]] = {}
    for number, sections in enumerate(section_counts(share)):
        text, _ = random_document(dice, sections=sections)
        (folder / f"part-{number:03}.md").write_text(text)
        for rule in _RULE.finditer(text):
            question = f"What is the least {rule['quality']} of a {rule['what']} in {rule['place']}?"
            rules.setdefault(question, set()).add(rule.group())
    single = sorted((question, *found) for question, found in rules.items() if len(found) == 1)
    chosen = dice.sample(single, min(len(single), round(QUESTIONS * max(share, 0.5))))
    return [{"text": question, "rule": rule} for question, rule in chosen]


def _measure(system: str, folder: Path, questions: list[dict[str, str]]) -> dict[str, dict[str, float]]:
    task: dict[str, Any] = {"folder": str(folder / "corpus"), "questions": questions, "files": str(folder / system)}
    task |= {"model": str(_model_folder()), "server": _server_pid(), "database": _create_database(system)}
    return {phase: _run(system, folder, task | {"phase": phase}) for phase in ("ingest", "search", "first")}


def _run(system: str, folder: Path, task: dict[str, Any]) -> dict[str, float]:
    described = folder / f"{system}.json"
    described.write_text(json.dumps(task))
    python = sys.executable if system == "lexic" else str(ENVIRONMENT / "bin" / "python")
    environment = {**os.environ, "TOKENIZERS_PARALLELISM": "false", "HF_HUB_OFFLINE": "1", "LEXIC_LOG_LEVEL": "ERROR"}
    if system == "lexic":
        environment |= {"PYTHONPATH": str(ROOT), "LEXIC_DB_POOL": "10"}
    command = [python, str(PEERS / f"{system}_peer.py"), str(described)]
    done = subprocess.run(command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def _make_environment() -> None:
    lock = PEERS / "requirements.lock"
    stamp = ENVIRONMENT / "lock"
    if stamp.exists() and stamp.read_text() == lock.read_text():
        return
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(ENVIRONMENT)], check=True)
    pip = [str(ENVIRONMENT / "bin" / "pip"), "install", "--quiet", "--no-deps", "--require-hashes"]
    subprocess.run([*pip, "-r", str(lock)], check=True)
    stamp.write_text(lock.read_text())


def _model_folder() -> Path:
    from knowledge.embedders.local import model_folder

    return model_folder()


def _server_pid() -> int:
    return int(_postgres().data.joinpath("postmaster.pid").read_text().split()[0])


def _create_database(system: str) -> str:
    """The address of an empty database for it."""
    from django.db import connection

    name = f"peer_{system}"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name}")
    return f"postgresql://lexic@/{name}?host={_postgres().socket_folder}"


def _postgres() -> Any:
    from local.embedded_services import Postgres

    return Postgres(Path(os.environ["LEXIC_VAR_DIR"]))


_COLUMNS = {
    "chunks": ("ingest", "chunks", "{:.0f}"),
    "chunks per processor s": ("ingest", "rate", "{:.1f}"),
    "kB embedded per processor s": ("ingest", "embedded_rate", "{:.1f}"),
    "read, s": ("ingest", "seconds", "{:.1f}"),
    "search, processor ms": ("search", "processor_ms", "{:.1f}"),
    "search p50, ms": ("search", "p50_ms", "{:.1f}"),
    "8 threads, searches/s": ("search", "threads_per_second", "{:.0f}"),
    "8 threads, processor ms": ("search", "threads_processor_ms", "{:.1f}"),
    "first answer, processor s": ("first", "processor_seconds", "{:.2f}"),
    "found": ("search", "found_share", "{:.2f}"),
    "peak reading, MB": ("ingest", "peak_mb", "{:.0f}"),
}


def _as_table(figures: dict[str, Any]) -> str:
    systems = figures["systems"]
    for measured in (one["ingest"] for one in systems.values()):
        measured["rate"] = measured["chunks"] / measured["processor_seconds"]
        measured["embedded_rate"] = measured["embedded_kilobytes"] / measured["processor_seconds"]
    lines = [f"{figures['files']} files, {figures['kilobytes']} kB, load {figures['load']} at the end", ""]
    lines += ["| | " + " | ".join(systems) + " |", "| --- " * (len(systems) + 1) + "|"]
    for name, (phase, key, form) in _COLUMNS.items():
        lines.append(f"| {name} | " + " | ".join(form.format(one[phase][key]) for one in systems.values()) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
