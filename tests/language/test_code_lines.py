from __future__ import annotations

import pytest

from language.code_lines import code_spans
from tests.linear_time import grows_linearly

CODE = '''"""Tokens are signed. They expire."""

LIFETIME = 3600  # seconds

# How long it lives. In seconds.
def sign(text: str) -> str:
    r"""Sign the
    text."""
    return text
'''


def test_a_line_of_code_is_one_span_and_prose_has_sentences_without_its_marks() -> None:
    assert [CODE[start:end] for start, end in code_spans(CODE)] == [
        "Tokens are signed.",
        "They expire.",
        "LIFETIME = 3600  # seconds",
        "# How long it lives.",
        "In seconds.",
        "def sign(text: str) -> str:",
        "Sign the\n    text.",
        "return text",
    ]


def test_a_docstring_without_an_end_goes_on_to_the_end() -> None:
    text = 'x = 1\n"""Begins.\nGoes on.'
    assert [text[start:end] for start, end in code_spans(text)] == ["x = 1", "Begins.", "Goes on."]


@pytest.mark.parametrize("piece", ['"""', "# a\n", "x\n", '"""\n', " " * 20, "rrr"])
def test_hostile_text_takes_linear_time(piece: str) -> None:
    assert grows_linearly(code_spans, piece, scale=10)
