from __future__ import annotations

import pytest

from lexic.short_text import shorten


@pytest.mark.parametrize(
    ("text", "length", "shown"),
    [
        ("Which boat needs a licence?", 40, "Which boat needs a licence?"),
        ("Which boat needs a licence?", 20, "Which boat needs a…"),
        ("Kayaks, rowing boats, motor boats", 22, "Kayaks, rowing boats…"),
        ("Kayaks\nand rowing boats", 12, "Kayaks\nand…"),
        ("哪些船需要驾驶执照才能租用", 8, "哪些船需要驾驶…"),
        ("a Donaudampfschifffahrtsgesellschaft", 20, "a Donaudampfschifff…"),
    ],
)
def test_a_text_is_cut_between_words_where_it_has_any(text: str, length: int, shown: str) -> None:
    assert shorten(text, length) == shown
    assert len(shown) <= length or shown == text
