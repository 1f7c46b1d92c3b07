"""What git knows of a file: how often it changed, and when last. Asked each time, never stored."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass

from lexibrarian.project import Project

_FIELDS = "%x1e%h%x1f%as%x1f%an%x1f%s"
_TIMEOUT_SECONDS = 10


@dataclass(frozen=True)
class History:
    """The commits of a file, renames followed; `added` and `removed` are lines, `date` is that of the last commit."""

    commits: int
    added: int
    removed: int
    authors: int
    commit: str
    date: str
    subject: str

    def __str__(self) -> str:
        people = f"{self.authors} author{'' if self.authors == 1 else 's'}"
        times = f"{self.commits} commit{'' if self.commits == 1 else 's'}"
        churn = f"{times} by {people}, {self.added} lines added, {self.removed} removed."
        return f"{churn}\nLast: {self.commit} {self.date} {self.subject}"


def history_of(project: Project, source: str) -> History | None:
    """The history of a file; `None` without git, or where no commit holds the file."""
    command = ["git", "log", "--follow", "--numstat", f"--format={_FIELDS}", "--", source]
    try:
        done = subprocess.run(command, cwd=project.root, capture_output=True, check=True, timeout=_TIMEOUT_SECONDS)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return None
    commits = done.stdout.decode("utf-8", "replace").split("\x1e")[1:]
    if not commits:
        return None
    heads = [commit.partition("\n")[0].split("\x1f") for commit in commits]
    counts = [line.split("\t") for commit in commits for line in commit.splitlines()[1:] if line.count("\t") >= 2]
    # Git writes a dash for binary files.
    added, removed = (sum(int(count[at]) for count in counts if count[at].isdigit()) for at in (0, 1))
    commit, date, _, subject = heads[0]
    return History(len(commits), added, removed, len({head[2] for head in heads}), commit, date, subject)
