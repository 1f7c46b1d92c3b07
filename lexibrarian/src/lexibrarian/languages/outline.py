"""What a file of code says about itself, in any language."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Parser, Tree

_LICENCE = re.compile(
    r"copyright|licen[cs]e|all rights reserved|eslint|prettier|@ts-|use strict|#!|coding[:=]|generated", re.I
)

_NAMED = re.compile(
    r"\b(?:class|def|function\*?|interface|type|enum|struct|trait|fn|func(?: \([^)]*\))?"
    r"|record|const|let|var|static|mod) (\w+)"
)


_BLANK_LINE = re.compile(r"\n\s*\n")
_SENTENCE = re.compile(r"(.+?[^.\s][.!?])(?:\s+(?=[^a-z])|$)")
_COMMENT_MARK = re.compile(rb"#|//|/\*")
_BEHIND_OPENING = re.compile(r"(?<=[(\[]) ")
_BEFORE_CLOSING = re.compile(r",? (?=[)\]])")


class Outline(NamedTuple):
    """Public signatures (members indented below their class), imports as written, and the first docstring."""

    fence: str
    signatures: tuple[str, ...]
    imports: tuple[str, ...]
    docstring: str

    @property
    def interface_hash(self) -> str:
        """SHA-256 over the sorted signatures; the members of a class stay in their order."""
        return hashlib.sha256("\n".join(sorted(self.signatures)).encode("utf-8", "surrogateescape")).hexdigest()

    @property
    def names(self) -> list[str]:
        """What the signatures define."""
        return [name for signature in self.signatures if re.fullmatch(r"\w+", name := _defined(signature))]


def _defined(signature: str) -> str:
    line = next((line for line in signature.splitlines() if not line.startswith("@")), "")
    found = _NAMED.search(line)
    return found[1] if found else line.partition(":")[0].partition("=")[0].strip()


@lru_cache
def _grammar(name: str) -> Language:
    import importlib

    from tree_sitter import Language

    package = "typescript" if name == "tsx" else name
    module = importlib.import_module(f"tree_sitter_{package}")
    pointer = getattr(module, f"language_{name}" if package == "typescript" else "language")()
    return Language(pointer)


def parse(code: bytes, language: str) -> Tree:
    """The syntax tree of a file; broken code has one too."""
    return _parser(language).parse(code)


@lru_cache
def _parser(language: str) -> Parser:
    from tree_sitter import Parser

    return Parser(_grammar(language))


@lru_cache
def _query(language: str, pattern: str) -> object:
    from tree_sitter import Query

    return Query(_grammar(language), pattern)


def captured(node: Node, language: str, pattern: str) -> list[Node]:
    """The nodes that a query names `@it`, in their order, at any depth."""
    from tree_sitter import QueryCursor

    found = QueryCursor(_query(language, pattern)).captures(node)  # type: ignore[arg-type]
    return sorted(found.get("it", []), key=lambda each: each.start_byte)


def text_of(node: Node | None) -> str:
    """The source text of a node."""
    return (node.text or b"").decode("utf-8", "replace") if node else ""


def name_of(node: Node) -> str:
    """The text of a node's field `name`."""
    return text_of(node.child_by_field_name("name"))


def head_of(node: Node, *, until: Node | None = None) -> str:
    """The text of a declaration up to its body, on one line, without comments."""
    code = node.text or b""
    end = (until.start_byte if until else node.end_byte) - node.start_byte
    if not _COMMENT_MARK.search(code, 0, end):
        return one_line(code[:end].decode("utf-8", "replace"))
    gaps = [
        (each.start_byte - node.start_byte, each.end_byte - node.start_byte)
        for each in _comments(node)
        if each.start_byte - node.start_byte < end
    ]
    kept = b""
    at = 0
    for start, stop in gaps:
        kept += code[at:start] + b" "
        at = stop
    return one_line((kept + code[at:end]).decode("utf-8", "replace"))


def _comments(node: Node) -> list[Node]:
    found: list[Node] = []
    # Only the lines of the head count; bodies are not entered.
    body = node.child_by_field_name("body")
    for child in node.children:
        if body is not None and child.id == body.id:
            continue
        if "comment" in child.type:
            found.append(child)
        elif child.child_count:
            found += _comments(child)
    return found


def one_line(text: str) -> str:
    """A declaration on one line, as a formatter would put it."""
    line = " ".join(text.split())
    # Few declarations have such spaces, and looking for them costs less than taking them out.
    if "( " in line or "[ " in line:
        line = _BEHIND_OPENING.sub("", line)
    return _BEFORE_CLOSING.sub("", line) if " )" in line or " ]" in line else line


def leading_comment(root: Node) -> str:
    """The text of the first comment of a file that is not about its licence or its tools."""
    lines: list[str] = []
    last = -2
    for child in root.children:
        if "comment" not in child.type:
            break
        text = text_of(child)
        if lines and (child.start_point[0] > last + 1 or text.startswith("/*")):
            break
        last = child.end_point[0] - (child.end_point[1] == 0)
        if not lines and _LICENCE.search(text):
            continue
        lines.append(bare_comment(text))
    return "\n".join(lines).strip()


def comment_before(node: Node) -> str:
    """The documentation that stands right before a declaration."""
    lines: list[str] = []
    above = node.prev_sibling
    while above is not None and "comment" in above.type:
        lines.insert(0, bare_comment(text_of(above)))
        above = above.prev_sibling
    return "\n".join(lines).strip()


def bare_comment(text: str) -> str:
    """A comment without its marks."""
    text = text.strip()
    if text.startswith("/*"):
        inner = text[2:].removesuffix("*/").lstrip("*!")
        return "\n".join(line.strip().removeprefix("*").strip() for line in inner.splitlines()).strip()
    return re.sub(r"^(?://[/!]?|#+)\s?", "", text).rstrip()


def first_sentence(text: str) -> str:
    """The first sentence of a text, or its first paragraph where no sentence ends, on one line."""
    paragraph = " ".join(_BLANK_LINE.split(text.strip(), maxsplit=1)[0].split())
    match = _SENTENCE.match(paragraph)
    return match[1] if match else paragraph
