"""How fast Lexibrarian is here: `python -m benchmarks.library` (about two minutes).

Makes 10,000 files, a library of them, and prints how long each command takes beside what it cannot do without: F, one
process that walks, reads and hashes the files; P, Tree-sitter parsing them; and an interpreter that does nothing.
Medians of interleaved rounds; each ratio is of times from the same rounds, and its line names the most it may be.
Behind it stands the same ratio of processor time, which other work on the machine changes less.
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
from typing import NamedTuple

from benchmarks._harness import run_benchmark

FILES, FEW_FILES, IN_A_DIRECTORY = 10_000, 100, 25
SLOW_ROUNDS, QUICK_ROUNDS = 3, 15
BYTECODE = Path(tempfile.gettempdir()) / "lexi-benchmark-bytecode"
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
spent = worked = 0.0
for place, inner, names in os.walk("."):
    inner[:] = [name for name in inner if name not in (".git", ".lexibrary")]
    for name in names:
        parser = parsers.get(os.path.splitext(name)[1])
        if parser:
            with open(f"{place}/{name}", "rb") as file:
                code = file.read()
            begun = time.perf_counter(), time.process_time()
            parser.parse(code)
            spent += time.perf_counter() - begun[0]
            worked += time.process_time() - begun[1]
print(spent, worked)
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
        measure_work_itself(times, large)
        times.call("index -r ., no library yet", large, LEXI, "index", "-r", ".")
        times.call("update, first", large, LEXICTL, "update")
        measure_work_itself(times, large)
        run_python(large, LEXI, "ask", "ledger")
        run_python(small, LEXICTL, "update")
        for _ in range(SLOW_ROUNDS):
            measure_slow_commands(times, large)
        for _ in range(QUICK_ROUNDS):
            measure_quick_commands(times, large, small)
        return figures_of(times)


class Cost(NamedTuple):
    """Seconds that passed, seconds that a processor worked, and the largest memory in MB."""

    seconds: float
    work: float
    memory: float = 0.0


@dataclass
class Times:
    """The costs by what caused them, one a round."""

    rounds: defaultdict[str, list[Cost]] = field(default_factory=lambda: defaultdict(list))

    def call(self, name: str, project: Path, program: str, *arguments: str) -> None:
        """Run a command in a project, and take down what it cost."""
        self.rounds[name].append(run_python(project, program, *arguments))

    def __getitem__(self, name: str) -> Cost:
        found = self.rounds[name]
        return Cost(statistics.median(each.seconds for each in found), statistics.median(each.work for each in found))

    @property
    def peak(self) -> float:
        """The largest memory of a command."""
        return max(each.memory for found in self.rounds.values() for each in found)


def measure_work_itself(times: Times, project: Path) -> None:
    times.call("F", project, READ_ALL)
    done = subprocess.run([sys.executable, "-c", PARSE_ALL], cwd=project, capture_output=True, check=True)
    times.rounds["P"].append(Cost(*map(float, done.stdout.split())))


def measure_slow_commands(times: Times, project: Path) -> None:
    measure_work_itself(times, project)
    times.call("index -r .", project, LEXI, "index", "-r", ".")
    times.call("update, nothing changed", project, LEXICTL, "update")
    times.call("validate", project, LEXICTL, "validate")


def measure_quick_commands(times: Times, large: Path, small: Path) -> None:
    times.call("python -c pass", large, "pass")
    path = "area00/part00/module0007.py"
    for name, project in (("update FILE", large), ("update FILE, among 100", small)):
        with (project / path).open("a") as file:
            file.write(f"\n\ndef added_{time.monotonic_ns()}() -> None:\n    pass\n")
        times.call(name, project, LEXICTL, "update", path)
    times.call("lookup", large, LEXI, "lookup", path)
    times.call("search", large, LEXI, "search", "ledger", "refund")
    times.call("ask", large, LEXI, "ask", "How is the refund kept in a ledger?")


def run_python(project: Path, program: str, *arguments: str) -> Cost:
    """Run a program to its end."""
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE), "PYTHONPYCACHEPREFIX": str(BYTECODE)}
    # What is installed has its bytecode, too.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
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
    return Cost(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def figures_of(times: Times) -> dict[str, float | str]:
    read, nothing = times["F"], times["python -c pass"]
    both = Cost(read.seconds + times["P"].seconds, read.work + times["P"].work)
    ratios: list[tuple[str, Cost, str, float]] = [
        ("index -r ., no library yet", read, "F", 3),
        ("index -r .", read, "F", 3),
        ("update, first", both, "(F + P)", 3),
        ("update, nothing changed", read, "F", 4),
        ("validate", read, "F", 6),
        ("update FILE", times["update FILE, among 100"], "of the same among 100 files", 1.3),
        ("lookup", nothing, "of python -c pass", 7),
    ]
    figures: dict[str, float | str] = {
        "F, s": read.seconds,
        "P, s": times["P"].seconds,
        "python -c pass, ms": nothing.seconds * 1000,
    }
    for name, basis, unit, most in ratios:
        cost = times[name]
        ratio, of_work = cost.seconds / basis.seconds, cost.work / basis.work
        figures[name] = f"{cost.seconds:9.3f} s = {ratio:5.2f} {unit}, at most {most}; of work {of_work:5.2f}"
    for name in ("search", "ask"):
        figures[name] = f"{times[name].seconds:9.3f} s, at most 0.4; of work {times[name].work:5.3f}"
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
