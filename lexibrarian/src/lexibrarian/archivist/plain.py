"""Descriptions without a model: what the file says about itself, else what it defines, else what it is."""

from __future__ import annotations

import re

from lexibrarian.archivist.redact import has_secret_name, redact
from lexibrarian.languages import title_of
from lexibrarian.languages.outline import Outline, bare_comment, first_sentence
from lexibrarian.project import suffix_of
from lexibrarian.safe_text import in_utf_8

_LONGEST = 200
_MOST_NAMES = 3
_LICENCE = re.compile(r"copyright|licen[cs]e|^!|-\*-|yaml-language-server|^syntax=|shellcheck", re.I)


def describe(path: str, text: str, outline: Outline | None) -> str:
    """One sentence about a file, at most 200 characters."""
    # Its first lines may hold what nobody should read twice.
    if has_secret_name(path):
        return _kind(path)
    said = outline.docstring if outline else _said_by_text(path, text)
    sentence = first_sentence(said)
    if not sentence and outline and outline.names:
        sentence = f"Defines {_listed(outline.names)}."
    return shortened(redact(sentence or _kind(path)))


def _said_by_text(path: str, text: str) -> str:
    if suffix_of(path).lower() in (".md", ".rst", ".txt"):
        return _title(text)
    if path.lower().endswith((".html", ".htm", ".xml", ".svg")):
        title = re.search(r"<title>\s*([^<]{1,200}?)\s*</title>", text[:5000], re.I)
        return title[1] if title and "{" not in title[1] else ""
    return _leading_comment(text)


def _title(text: str) -> str:
    for line in text.splitlines()[:40]:
        bare = line.strip().strip("#=*-_ ").strip()
        if bare and not bare.startswith(("<", "[", "!", "..", "|")):
            return bare
    return ""


def _leading_comment(text: str) -> str:
    lines: list[str] = []
    for line in text.splitlines()[:40]:
        mark = re.match(r"\s*(#|//|--|;)\s?", line)
        if not mark:
            if lines or line.strip():
                break
            continue
        comment = bare_comment(line.strip().lstrip(";-")).strip()
        if not lines and (not comment or _LICENCE.search(comment)):
            continue
        lines.append(comment)
    return "\n".join(lines)


def _listed(names: list[str]) -> str:
    names = list(dict.fromkeys(names))
    if len(names) > _MOST_NAMES:
        return f"{', '.join(names[:_MOST_NAMES])} and {len(names) - _MOST_NAMES} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _kind(path: str) -> str:
    return f"{title_of(path)} file."


def shortened(sentence: str) -> str:
    """A sentence on one line, cut at a word where it is longer than 200 characters."""
    sentence = in_utf_8(" ".join(sentence.split()))
    return sentence if len(sentence) <= _LONGEST else f"{sentence[: _LONGEST - 1].rsplit(' ', 1)[0]}…"
