"""How completely files are read: `python -m benchmarks.formats --data FOLDER --reference PYTHON`.

Reads every file in the folder in the sandbox, and compares the words with those that readers by other makers find
(`reference.py` beside this, run by the other interpreter). Prints for each format how many files were read by both, the
share of the reference's words that our pages hold (as a multiset, whatever their case), the share of our words that
the reference holds, and which files one of the two did not read. `--misses` lists the words that are missing.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from knowledge.readers import DETECTION_BYTES, detect_type
from knowledge.readers.isolation.reader_process import read_pages
from knowledge.readers.types import PageText, UnreadableDocument

_REFERENCE_PROGRAM = Path(__file__).parent / "reference.py"
_WORD = re.compile(r"[^\W_]+")
_MISSES_SHOWN = 12


@dataclass
class FormatScore:
    files: int = 0
    words: int = 0
    found: int = 0
    own: int = 0
    below: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def line(self) -> str:
        recall, precision = self.found / max(1, self.words), self.found / max(1, self.own)
        return f"{self.files:5} {self.words:9,} {recall:7.4f} {precision:9.4f} {len(self.below):5} {len(self.unread):6}"


@dataclass(frozen=True)
class ReferenceText:
    path: Path
    reader: int
    text: str
    error: str


def words_of(text: str) -> Counter[str]:
    return Counter(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def reference_texts(folder: Path, *, interpreter: str) -> Iterator[ReferenceText]:
    command = [interpreter, str(_REFERENCE_PROGRAM), str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as running:
        assert running.stdout
        for line in running.stdout:
            fields = json.loads(line)
            yield ReferenceText(Path(fields["path"]), fields["reader"], fields["text"], fields["error"])


def own_text(path: Path) -> tuple[str, str]:
    """The text of all pages, and why there is none."""
    try:
        with path.open("rb") as file:
            source_type = detect_type(path.name, file.read(DETECTION_BYTES))
        pages = [event.text for event in read_pages(path, source_type=source_type) if isinstance(event, PageText)]
    except UnreadableDocument as error:
        return "", f"{error.code}: {error.message}"
    return "\n".join(pages), ""


def compare(folder: Path, *, interpreter: str, show_misses: bool) -> dict[str, FormatScore]:
    scores: defaultdict[str, FormatScore] = defaultdict(FormatScore)
    read: dict[Path, tuple[str, str]] = {}
    for reference in reference_texts(folder, interpreter=interpreter):
        if reference.path not in read:
            read = {reference.path: own_text(reference.path)}
        text, problem = read[reference.path]
        score = scores[f"{reference.path.suffix.lower()[1:]} {reference.reader + 1}"]
        name = str(reference.path.relative_to(folder))
        if problem or reference.error:
            score.unread.append(f"{name}: {problem or f'the reference: {reference.error}'}")
            continue
        expected, own = words_of(reference.text), words_of(text)
        found = expected & own
        score.files += 1
        score.words += expected.total()
        score.found += found.total()
        score.own += own.total()
        if found.total() < 0.99 * expected.total():
            missing = (expected - own).most_common(_MISSES_SHOWN) if show_misses else ""
            score.below.append(f"{name}: {found.total()} of {expected.total()} words {missing}")
    return dict(scores)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder of files")
    parser.add_argument("--reference", required=True, help="the interpreter that has the other readers")
    parser.add_argument("--misses", action="store_true", help="list the files and words that are missing")
    options = parser.parse_args()
    scores = compare(options.data, interpreter=options.reference, show_misses=options.misses)
    print(f"{'format':10} files     words  recall precision  <.99 unread")
    for name, score in scores.items():
        print(f"{name:10} {score.line()}")
        if options.misses:
            print(*(f"    {line}" for line in (*score.below, *score.unread)), sep="\n")


if __name__ == "__main__":
    main()
