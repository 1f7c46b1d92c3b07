"""How fast Lexibrarian is here: `python -m benchmarks.library` (about two minutes).

Makes 10,000 files, a library of them, and prints how long each command takes beside what it cannot do without: F, one
process that walks, reads and hashes the files; P, Tree-sitter parsing them; and an interpreter that does nothing.
Medians of interleaved rounds; each ratio is of times from the same rounds, and its line names the most it may be.
`--json` prints the figures for programs.
"""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks._harness import run_benchmark

FILES, FEW_FILES, IN_A_DIRECTORY = 10_000, 100, 25
SLOW_ROUNDS, QUICK_ROUNDS = 3, 15
PACKAGE = Path(__file__).resolve().parent.parent / "lexibrarian" / "src"
READ_ALL = """
import hashlib, os, sys
for place, inner, names in os.walk("."):
    inner[:] = [name for name in inner if name not in (".git", ".lexibrary")]
    for name in names:
        with open(f"{place}/{name}", "rb") as file:
            hashlib.sha256(file.read()).hexdigest()
"""
PARSE_ALL = """
import os, sys, time
import tree_sitter_python, tree_sitter_typescript
from tree_sitter import Language, Parser
parsers = {".py": Parser(Language(tree_sitter_python.language())),
           ".ts": Parser(Language(tree_sitter_typescript.language_typescript()))}
spent = 0.0
for place, inner, names in os.walk("."):
    inner[:] = [name for name in inner if name not in (".git", ".lexibrary")]
    for name in names:
        parser = parsers.get(os.path.splitext(name)[1])
        if parser:
            with open(f"{place}/{name}", "rb") as file:
                code = file.read()
            begun = time.perf_counter()
            parser.parse(code)
            spent += time.perf_counter() - begun
print(spent)
"""
LEXI, LEXICTL = (
    f"import sys; sys.argv[0] = {name!r}; from lexibrarian.cli.{name} import main; main()"
    for name in ("lexi", "lexictl")
)


def main() -> None:
    run_benchmark(__doc__, measure_library)


def measure_library() -> dict[str, float | str]:
    with tempfile.TemporaryDirectory(prefix="lexi-benchmark-") as folder:
        large, small = Path(folder, "large"), Path(folder, "small")
        make_project(large, FILES)
        make_project(small, FEW_FILES)
        times = Times()
        times.call("index -r ., no library yet", large, LEXI, "index", "-r", ".")
        times.call("update, first", large, LEXICTL, "update")
        measure_work_itself(times, large)
        run_python(small, LEXICTL, "update")
        for _ in range(SLOW_ROUNDS):
            measure_slow_commands(times, large)
        for _ in range(QUICK_ROUNDS):
            measure_quick_commands(times, large, small)
        return figures_of(times)


@dataclass
class Times:
    """Seconds by what took them, a figure for each round; `peak` is the largest memory of a command, in MB."""

    rounds: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    peak: float = 0.0

    def call(self, name: str, project: Path, program: str, *arguments: str) -> None:
        """Run a command in a project, and take down its time and memory."""
        seconds, memory = run_python(project, program, *arguments)
        self.rounds[name].append(seconds)
        self.peak = max(self.peak, memory)

    def __getitem__(self, name: str) -> float:
        return statistics.median(self.rounds[name])


def measure_work_itself(times: Times, project: Path) -> None:
    times.rounds["F"].append(run_python(project, READ_ALL)[0])
    done = subprocess.run([sys.executable, "-c", PARSE_ALL], cwd=project, capture_output=True, check=True)
    times.rounds["P"].append(float(done.stdout))


def measure_slow_commands(times: Times, project: Path) -> None:
    measure_work_itself(times, project)
    times.call("index -r .", project, LEXI, "index", "-r", ".")
    times.call("update, nothing changed", project, LEXICTL, "update")
    times.call("validate", project, LEXICTL, "validate")


def measure_quick_commands(times: Times, large: Path, small: Path) -> None:
    times.rounds["python -c pass"].append(run_python(large, "pass")[0])
    path = "area00/part00/module0007.py"
    for name, project in (("update FILE", large), ("update FILE, among 100", small)):
        with (project / path).open("a") as file:
            file.write(f"\n\ndef added_{time.monotonic_ns()}() -> None:\n    pass\n")
        times.call(name, project, LEXICTL, "update", path)
    times.call("lookup", large, LEXI, "lookup", path)
    times.call("search", large, LEXI, "search", "ledger", "refund")


def run_python(project: Path, program: str, *arguments: str) -> tuple[float, float]:
    """Run a program to its end; the seconds it took, and its largest memory in MB."""
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE)}
    begun = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", program, *arguments], cwd=project, env=environment, stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    # `validate` says with 2 that there are warnings only.
    if process.returncode not in (0, 2):
        raise RuntimeError(f"{arguments} failed with {process.returncode}")
    return seconds, usage.ru_maxrss / 1024


def figures_of(times: Times) -> dict[str, float | str]:
    read, parse, nothing = times["F"], times["P"], times["python -c pass"]
    ratios: list[tuple[str, float, str, float]] = [
        ("index -r ., no library yet", read, "F", 3),
        ("index -r .", read, "F", 3),
        ("update, first", read + parse, "(F + P)", 3),
        ("update, nothing changed", read, "F", 4),
        ("validate", read, "F", 6),
        ("update FILE", times["update FILE, among 100"], "of the same among 100 files", 1.3),
        ("lookup", nothing, "of python -c pass", 7),
    ]
    figures: dict[str, float | str] = {"F, s": read, "P, s": parse, "python -c pass, ms": nothing * 1000}
    for name, basis, unit, most in ratios:
        figures[name] = f"{times[name]:9.3f} s = {times[name] / basis:5.2f} {unit}, at most {most}"
    figures["search"] = f"{times['search']:9.3f} s, at most 0.4"
    figures["peak memory, MB"] = f"{times.peak:9.0f}, at most 250"
    return figures


def make_project(root: Path, files: int) -> None:
    """A repository of modules, types, notes and data that import each other."""
    choose = random.Random(files)
    for number in range(files):
        directory = number // IN_A_DIRECTORY
        place = root / f"area{directory // 20:02d}" / f"part{directory % 20:02d}"
        if number % IN_A_DIRECTORY == 0:
            place.mkdir(parents=True)
            (root / f"area{directory // 20:02d}" / "__init__.py").touch()
            (place / "__init__.py").touch()
        ending, content = file_of(number, choose)
        (place / f"module{number:04d}{ending}").write_text(content)
    for arguments in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *arguments], cwd=root, check=True)
    run_python(root, LEXICTL, "init", "--defaults")


def file_of(number: int, choose: random.Random) -> tuple[str, str]:
    """The ending and the text of one file: of ten, seven are Python, and one each TypeScript, Markdown and JSON."""
    makers: dict[int, tuple[str, Callable[[int, random.Random], str]]] = {
        1: (".ts", typescript_module),
        3: (".md", markdown_note),
        5: (".json", json_data),
    }
    ending, maker = makers.get(number % 10, (".py", python_module))
    return ending, maker(number, choose)


WORDS = ["account", "balance", "batch", "currency", "customer", "discount", "entry", "invoice", "ledger", "limit"]
WORDS += ["order", "payment", "quota", "refund"]


def python_module(number: int, choose: random.Random) -> str:
    below = [choose.randrange(number) // 10 * 10 for _ in range(4)] if number else []
    imports = [
        f"from area{each // 500:02d}.part{each // 25 % 20:02d}.module{each:04d} import compute_{each}" for each in below
    ]
    one, other = choose.sample(WORDS, 2)
    functions = [
        f'def {name}_{number}({one}: int, {other}: str = "none") -> int:\n    """Return the {name} of one {one}."""\n'
        f"    total = {one} * 100\n    for step in range({one}):\n        if step % 3 == 0 and {other}:\n"
        f"            total += step\n    return total\n"
        for name in ("compute", "check", "convert")
    ]
    methods = [
        f'    def {word}(self, amount: int) -> dict[str, int]:\n        """Add an amount to the {word}."""\n'
        f'        return {{"{word}": self.total + amount, "number": {number}}}\n'
        for word in choose.sample(WORDS, 4)
    ]
    return "\n\n".join(
        [
            f'"""Keeps the {one} of each {other}, number {number}."""\n\nfrom __future__ import annotations\n',
            "\n".join(imports),
            *functions,
            f"class {one.title()}{number}:\n    total: int = 0\n\n" + "\n".join(methods),
        ]
    )


def typescript_module(number: int, choose: random.Random) -> str:
    one, other = choose.sample(WORDS, 2)
    return (
        f"/** Shows the {one} of each {other}. */\nexport interface {one.title()} {{\n  {other}: number;\n}}\n"
        + "\n".join(
            f"export function {word}{number}(value: {one.title()}, times = 2): number {{\n"
            f"  return value.{other} * times;\n}}\n"
            for word in choose.sample(WORDS, 6)
        )
    )


def markdown_note(number: int, choose: random.Random) -> str:
    paragraphs = [" ".join(choose.choices(WORDS, k=60)) + "." for _ in range(4)]
    return f"# Note {number}\n\n" + "\n\n".join(paragraphs) + "\n"


def json_data(number: int, choose: random.Random) -> str:
    return (
        "{\n" + ",\n".join(f'  "{word}{at}": {choose.randrange(9999)}' for at, word in enumerate(WORDS * 2)) + "\n}\n"
    )


if __name__ == "__main__":
    main()
