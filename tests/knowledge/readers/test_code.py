"""Source code: kept line for line, with an outline by indentation."""

from __future__ import annotations

from pathlib import Path

import pytest

from knowledge import readers
from knowledge.readers.code import find_outline
from knowledge.readers.types import DocumentHeader, Limits, PageText
from tests.linear_time import grows_linearly

PYTHON = '''"""Tokens."""

from hmac import (
    digest,
)

LIFETIME = 3600

# How a token is made.
# It is signed.
@cache
def sign(
    text: str,
) -> str:
    if text:
        return text
    return ""


class Store:
    """Keeps them."""

    name = "store"

    def get(self, key: str) -> str:
        def inner() -> None:
            pass

        return key

    @property
    def size(self) -> int:
        return 0

AFTER = 1
'''


def outlined(text: str) -> list[tuple[str, int, str]]:
    """Title, level and first line of each section."""
    return [(one.title, one.level, text[one.start :].split("\n")[0]) for one in find_outline(text)]


def test_functions_and_members_of_classes_are_sections_and_what_stands_above_belongs_to_them() -> None:
    assert outlined(PYTHON) == [
        ("", 1, "from hmac import ("),
        ("", 1, "LIFETIME = 3600"),
        ("sign", 1, "# How a token is made."),
        ("Store", 1, "class Store:"),
        ("get", 2, "    def get(self, key: str) -> str:"),
        ("size", 2, "    @property"),
        ("", 1, "AFTER = 1"),
    ]


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("package a\n\nfunc (s *Store) Get(key string) string {\n\treturn key\n}\n", ["Get"]),
        ("export const load = async (x) => {\n  return x\n}\n", ["load"]),
        ("class Cart {\n  add(item) {\n    this.x = call(\n      item)\n  }\n}\n", ["Cart", "add"]),
        ("public class A\n{\n    public List<String> names(int x) {\n        return null;\n    }\n}\n", ["A", "names"]),
        ("impl<T> Store<T> {\n    pub fn get(&self) -> T {\n        x\n    }\n}\n", ["Store", "get"]),
        ("if x:\n    pass\nfor y in z:\n    pass\ncall(\n    x,\n)\n", []),
        ("", []),
    ],
)
def test_the_outline_of_other_languages(text: str, titles: list[str]) -> None:
    assert [one.title for one in find_outline(text)] == titles


def test_a_file_is_read_line_for_line(tmp_path: Path) -> None:
    place = tmp_path / "tokens.py"
    place.write_bytes(b"\xef\xbb\xbf" + PYTHON.replace("\n", "\r\n").encode())
    header, page = readers.read(place, source_type="code", limits=Limits())
    assert isinstance(header, DocumentHeader)
    assert isinstance(page, PageText)
    assert page.text == PYTHON
    assert [one.title for one in page.headings if one.title] == ["sign", "Store", "get", "size"]


@pytest.mark.parametrize("piece", ["@x\n", "def a(\n", "class A:\n ", "x" * 50, "# \n", "((((", "  " * 30 + "a:\n"])
def test_hostile_text_takes_linear_time(piece: str) -> None:
    assert grows_linearly(find_outline, piece, scale=10)
