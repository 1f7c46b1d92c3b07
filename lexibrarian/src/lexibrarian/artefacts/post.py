"""Posts: a problem, its evidence, answers and votes. Each change touches its own lines; what was written stays."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from lexibrarian.artefacts.markdown import (
    read_front_matter,
    section_body,
    set_field,
    split_front_matter,
    split_sections,
    yaml_text,
)
from lexibrarian.safe_text import in_utf_8

STATUSES = ("open", "resolved", "outdated", "duplicate")
_ANSWER = re.compile(r"A(\d+)\b")
_ENDING = re.compile(r"(?:\s*\n---[ \t]*)?\s*\Z")
_VOTED = re.compile(r"^- \*\*\S+ (?P<author>.+?) \[(?P<kind>up|down)vote\]:\*\*", re.MULTILINE)


@dataclass(frozen=True)
class Answer:
    """An answer as it was read."""

    number: int
    text: str

    @property
    def meta(self) -> dict[str, str]:
        """The fields of the line below its heading, such as `Date`, `Author` and `Votes`."""
        line = next((each for each in self.text.splitlines()[1:] if each.strip()), "")
        return dict(re.findall(r"\*\*(\w+):\*\*\s*([^|]*?)\s*(?:\||$)", line))

    @property
    def votes(self) -> int:
        """Ups minus downs."""
        return _number(self.meta.get("Votes"))

    @property
    def accepted(self) -> bool:
        """Whether it is the one that holds."""
        return self.meta.get("Accepted", "").lower() == "true"


@dataclass(frozen=True)
class Post:
    """A post as it was read; what its front matter leaves out is empty."""

    name: str
    text: str
    fields: dict[str, Any]

    @property
    def id(self) -> str:
        """`ST-` and its number."""
        named = re.match(r"ST-\d+", self.name, re.IGNORECASE)
        return str(self.fields.get("id") or (named[0].upper() if named else self.name))

    @property
    def title(self) -> str:
        """The problem in a line."""
        return str(self.fields.get("title") or self.name)

    @property
    def status(self) -> str:
        """`open`, `resolved`, `outdated` or `duplicate`."""
        return str(self.fields.get("status") or "open")

    @property
    def tags(self) -> list[str]:
        """Its tags, in small letters."""
        tags = self.fields.get("tags")
        return [str(tag).lower() for tag in tags] if isinstance(tags, list) else []

    @property
    def votes(self) -> int:
        """Ups minus downs."""
        return _number(self.fields.get("votes"))

    @property
    def body(self) -> str:
        """The text below the front matter."""
        return split_front_matter(self.text)[1]

    @property
    def evidence(self) -> str:
        """What shows that the problem is real."""
        problem = section_body(self.body, "Problem")
        return next((each.body for each in split_sections(problem, 3) if each.heading == "Evidence"), "")

    @property
    def answers(self) -> list[Answer]:
        """Its answers, in their order."""
        return [Answer(number, text) for number, text in _answers(self.text)]

    def refs(self, kind: str) -> list[str]:
        """What it refers to: `concepts`, `files` or `designs`."""
        refs = self.fields.get("refs")
        found = refs.get(kind) if isinstance(refs, dict) else None
        return [str(each) for each in found] if isinstance(found, list) else []

    @property
    def hashes(self) -> dict[str, str]:
        """The interfaces of the files it refers to, as they were when it was written."""
        refs = self.fields.get("refs")
        found = refs.get("hashes") if isinstance(refs, dict) else None
        return {str(path): str(hash_) for path, hash_ in found.items()} if isinstance(found, dict) else {}


def _number(value: object) -> int:
    try:
        return int(str(value))
    except ValueError:
        return 0


def read_post(name: str, text: str) -> Post:
    """Read a post, however much of it somebody left out; `name` is its file's, without the ending."""
    return Post(name, text, read_front_matter(text) or {})


def new_post(
    number: str,
    title: str,
    tags: list[str],
    *,
    created: str,
    author: str,
    bead: str,
    refs: dict[str, Any],
    problem: str,
    evidence: str,
) -> str:
    """The text of a post without answers."""
    hashes = "".join(f"\n    {yaml_text(path)}: {yaml_text(hash_)}" for path, hash_ in refs.get("hashes", {}).items())
    return f"""---
id: {number}
title: {yaml_text(title)}
tags: {yaml_text(tags)}
status: open
created: {created}
author: {yaml_text(author)}
bead: {yaml_text(bead or None)}
votes: 0
duplicate_of: null
refs:
  concepts: {yaml_text(refs.get("concepts", []))}
  files: {yaml_text(refs.get("files", []))}
  designs: {yaml_text(refs.get("designs", []))}
{f"  hashes:{hashes}" if hashes else "  hashes: {}"}
---

## Problem

{_escape_headings(problem) or "<!-- What happens, and what should. -->"}

### Evidence

{_escape_headings(evidence) or "<!-- The error, the failing test, or what was seen. -->"}

---

## Answers
"""


def _escape_headings(text: str) -> str:
    """A text that cannot be taken for the post's own headings: outside of code they lose their effect."""
    lines = []
    fence = ""
    for line in in_utf_8(text.strip()).splitlines():
        mark = re.match(r" {0,3}(`{3,}|~{3,})", line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        lines.append(f"\\{line}" if not fence and re.match(r"#{1,6} |---\s*$", line) else line)
    return "\n".join([*lines, fence] if fence else lines)


def _answers(text: str) -> list[tuple[int, str]]:
    """The number and the text of each answer, without the line that parts it from the next one."""
    for section in split_sections(text):
        if section.heading == "Answers":
            blocks = [(_ANSWER.fullmatch(each.heading), each.text) for each in split_sections(section.text, 3)]
            return [(int(match[1]), block) for match, block in blocks if match]
    return []


def _replace_once(text: str, old: str, new: str) -> str:
    at = text.rindex(old)
    return text[:at] + new + text[at + len(old) :]


def _before_ending(block: str, addition: str) -> str:
    """The block with an addition before the white space, and the line, that part it from what follows."""
    ending = _ENDING.search(block)
    assert ending is not None
    return f"{block[: ending.start()]}{addition}{ending[0] or chr(10)}"


def with_answer(text: str, body: str, *, date: str, author: str) -> tuple[str, int]:
    """The post with one more answer behind all others; returns its number too."""
    number = max((number for number, _ in _answers(text)), default=0) + 1
    head = f"### A{number}\n**Date:** {date} | **Author:** {author} | **Votes:** 0"
    answer = f"{head}\n\n{_escape_headings(body)}\n\n#### Comments\n"
    sections = split_sections(text)
    at = next((at for at, section in enumerate(sections) if section.heading == "Answers"), None)
    if at is None:
        return f"{text.rstrip(chr(10))}\n\n## Answers\n\n{answer}", number
    old = sections[at].text
    gap = "" if old.endswith("\n\n") else "\n" if old.endswith("\n") else "\n\n"
    rule = "---\n\n" if number > 1 and not re.search(r"\n---\s*\Z", old) else ""
    following = "\n" if at + 1 < len(sections) else ""
    texts = [section.text for section in sections]
    texts[at] = f"{old}{gap}{rule}{answer}{following}"
    return "".join(texts), number


def with_comment(text: str, comment: str, *, answer: int = 0, date: str, author: str, kind: str = "") -> str:
    """The post with a dated comment on an answer, or else on the problem; `kind` is `upvote` or `downvote`."""
    mark = f" [{kind}]" if kind else ""
    said = in_utf_8(" ".join(comment.split()))
    line = f"\n- **{date} {author}{mark}:** {said}".rstrip()
    if answer:
        block = dict(_answers(text))[answer]
        has = any(each.heading == "Comments" for each in split_sections(block, 4))
        return _replace_once(text, block, _before_ending(block, line if has else f"\n\n#### Comments{line}"))
    sections = split_sections(text)
    at = next((at for at, section in enumerate(sections) if section.heading == "Problem"), len(sections) - 1)
    parts = split_sections(sections[at].text, 3)
    has = parts[-1].heading == "Comments"
    problem = _before_ending(sections[at].text, line if has else f"\n\n### Comments\n{line}")
    return "".join(problem if number == at else section.text for number, section in enumerate(sections))


def last_vote(text: str, author: str, *, answer: int = 0) -> int:
    """What an author last voted, on an answer or on the post: 1, -1, or 0 for nothing."""
    block = dict(_answers(text)).get(answer, "") if answer else section_body(text, "Problem")
    votes = [match["kind"] for match in _VOTED.finditer(block) if match["author"] == author]
    return {"up": 1, "down": -1}[votes[-1]] if votes else 0


def with_answer_field(text: str, answer: int, key: str, value: str) -> str:
    """The post with one field of an answer's line set, or with an empty value removed."""
    block = dict(_answers(text))[answer]
    lines = block.splitlines(keepends=True)
    at = next((at for at, line in enumerate(lines) if at and line.strip()), len(lines))
    line = lines[at] if at < len(lines) else ""
    if "**" not in line:
        lines.insert(1, f"**{key}:** {value}\n")
    else:
        end = line[len(line.rstrip("\r\n")) :]
        bare = line[: len(line) - len(end)] if end else line
        field = re.compile(rf"( \| )?\*\*{key}:\*\*[^|]*?(?= \||$)")
        if not value:
            bare = field.sub("", bare)
        elif field.search(bare):
            bare = field.sub(lambda match: f"{match[1] or ''}**{key}:** {value}", bare, count=1)
        else:
            bare = f"{bare.rstrip()} | **{key}:** {value}"
        lines[at] = bare + end
    return _replace_once(text, block, "".join(lines))


def with_accepted(text: str, answer: int) -> str:
    """The post with one answer accepted, all others not, and its status `resolved`."""
    for number, block in _answers(text):
        if number != answer and Answer(number, block).accepted:
            text = with_answer_field(text, number, "Accepted", "")
    return set_field(with_answer_field(text, answer, "Accepted", "true"), "status", "resolved")
