"""How well questions about Lexic's own code are answered from its library: `python -m benchmarks.code_questions` (some
thirty minutes on two cores, nearly all of it embedding).

The checked-out tree is copied, `lexictl init` and `lexictl update` write its library, `manage.py sync` reads that into
a throw-away PostgreSQL, and the questions of code_questions.json are asked with the extractive answerer.
Counted are the answers that name a right file (its source or its design file) among their first three citations, the
refusals of subjects that the code does not have, and citations whose lines are not in the file of that hash. The set
"held out" was written after the answers had been tuned on the first, and nothing was tuned on it. The sets "by lot" ask
for functions and classes that were drawn by lot, in words that are not those of the code; the writer of the first two
had not seen how it is searched, and the third was written when nothing was to be changed any more. The set "natural"
is of a developer in the first days, who asks in the words that come; it was asked once.
`--json` prints the figures for programs.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks._harness import run_benchmark, temporary_database

if TYPE_CHECKING:
    from plugins.models import Plugin
    from querying.types.answer import Answer

ROOT = Path(__file__).resolve().parents[1]
QUESTIONS = [
    Path(__file__).with_suffix(".json"),
    *(Path(__file__).with_name(f"code_questions_{name}.json") for name in ("by_lot", "natural")),
]
FIRST = 3


def measured() -> Mapping[str, float | str]:
    with tempfile.TemporaryDirectory(prefix="lxc-", dir="/tmp") as folder, temporary_database(with_redis=True):
        repository = Path(folder) / "lexic"
        write_library(repository)
        from django.core.management import call_command

        from accounts.models import User
        from plugins.models import Plugin

        User.objects.create_superuser("author@example.org")
        call_command("sync", "lexic-code", str(repository), "--create", stdout=sys.stderr)
        plugin, sets = Plugin.objects.get(), _question_sets()
        return {
            f"{name}: {what}": figure
            for name, questions in sets.items()
            for what, figure in ask_all(plugin, repository, questions).items()
        }


def _question_sets() -> dict[str, Any]:
    return {name: one for file in QUESTIONS for name, one in json.loads(file.read_text(encoding="utf-8")).items()}


def write_library(repository: Path) -> None:
    """A copy of the tree that is checked out, with a library. Without the questions: they would answer themselves."""
    repository.mkdir()
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    subprocess.run(["tar", "x"], cwd=repository, input=archive, check=True)
    for file in QUESTIONS:
        (repository / "benchmarks" / file.name).unlink(missing_ok=True)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "lexibrarian" / "src")}
    for arguments in (["init", "--defaults"], ["update"]):
        code = "import sys; from lexibrarian.cli.lexictl import main; sys.argv[0] = 'lexictl'; main()"
        subprocess.run([sys.executable, "-c", code, *arguments], cwd=repository, env=environment, check=True)


def ask_all(plugin: Plugin, repository: Path, questions: Mapping[str, Any]) -> dict[str, float | str]:
    """The figures of one set, and on the standard error what went wrong."""
    from knowledge.sync.library_layout import source_of_path

    right = answered = right_anywhere = wrong_lines = 0
    for one in questions["answered"]:
        answer = ask(plugin, one["question"])
        cited = [source_of_path(citation.passage.path) for citation in answer.citations]
        nearest = [source_of_path(passage.path) for passage in answer.nearest]
        answered += bool(cited)
        is_right = bool({*cited[:FIRST]} & {*one["files"]})
        right += is_right
        right_anywhere += bool({*cited, *nearest} & {*one["files"]})
        wrong_lines += sum(not has_lines(citation, repository) for citation in answer.citations)
        if not is_right:
            print(f"- {one['question']}\n  cites {cited or answer.why}; nearest {nearest}", file=sys.stderr)
    refused = 0
    for question in questions["absent"]:
        answer = ask(plugin, question)
        refused += not answer.citations
        if answer.citations:
            print(f"+ {question}\n  {answer.text[:200]!r}", file=sys.stderr)
    total, absent = len(questions["answered"]), len(questions["absent"])
    return {
        f"right file among the first three citations, of {total}": right,
        f"right file cited, or named as the nearest, of {total}": right_anywhere,
        f"answered, of {total}": answered,
        f"absent subjects refused, of {absent}": refused,
        "citations whose lines are not in the file": wrong_lines,
    }


def ask(plugin: Plugin, text: str) -> Answer:
    """What the draft answers to its owner."""
    from querying import pipeline, releases
    from querying.types.events import Done
    from querying.types.question import Caller, Question

    caller = Caller(name="benchmark", user_id=plugin.owner_id)
    done = asyncio.run(pipeline.answer(Question(text=text, release=releases.snapshot(plugin), caller=caller)))
    assert isinstance(done, Done), done
    return done.answer


def has_lines(citation: Any, repository: Path) -> bool:
    """Whether the cited words stand on their lines in the file with that hash."""
    place = citation.file_place
    data = (repository / place.path).read_bytes()
    lines: Sequence[str] = data.decode().split("\n")[place.start_line - 1 : place.end_line]
    return hashlib.sha256(data).hexdigest() == place.file_hash and citation.excerpt in "\n".join(lines)


if __name__ == "__main__":
    run_benchmark(__doc__, measured)
