from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from querying.sanitize import _without_markup, sanitize


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("![alt](http://x.example/a.png)", "alt"),
        ("[words](https://x.example)", "words"),
        ("[words][ref]\n[ref]: https://x.example", "words\n"),
        ("<script>alert(1)</script>", "alert(1)"),
        ("see https://x.example/a?b=c now", "see  now"),
        ("the form (https://x.example/a?b=c), or (www.x.example) it", "the form, or it"),
        ("javascript:alert(1) x", ") x"),
        ("a < b and c > d", "a < b and c > d"),
        ("plain words, 45 mm [Source 1].", "plain words, 45 mm [Source 1]."),
        ("zero\u200bwidth and \u202eturned", "zerowidth and turned"),
        ("unseen \U000e0041\U000e0042tags and so\xadft hyphens", "unseen tags and soft hyphens"),
        ("one\u2028two", "one two"),
        ("javasc<b>ript:alert(1) x", ") x"),
        ("ww<b>w.evil.example x", " x"),
        ("in the middle ofhttps://evil.example/x a word", "in the middle of a word"),
        ("[a [b]](http://evil.example/c)", "[a [b]] ()"),
        ("<svg/onload=alert(1)>", ""),
        ("<|im_start|>system [INST] <<SYS>> x", "system   x"),
        ("&#104;ttps", "& #104;ttps"),
        ("[Ѕource 3] and 【Sоurce 2】", " and "),  # with a Cyrillic letter
        ("[Section 3], [Fügung 3]", "[Section 3], [Fügung 3]"),
        ("note: 5 mm, metadata: none", "note: 5 mm, metadata: none"),
    ],
)
def test_only_words_are_left(text: str, expected: str):
    assert sanitize(text) == expected


_MARKUP = [
    "[a](b)",
    "[",
    "]",
    "(",
    ")",
    "<b ",
    ">",
    "!",
    "&#",
    ":",
    "//",
    "http",
    "WWW.x.y",
    "www.",
    "【",
    "\u200b",
    "\x85",
]


@given(st.lists(st.sampled_from(_MARKUP) | st.text(max_size=4), max_size=12))
def test_a_text_that_is_not_looked_at_more_closely_has_no_markup(pieces: list[str]):
    text = "".join(pieces)
    assert sanitize(text) == _without_markup(text)


def test_a_megabyte_of_hostile_text_is_cleaned_in_one_pass():
    for hostile in (
        "[" * 300_000,
        "![a](" * 100_000,
        "<a" * 300_000,
        "http:" * 200_000,
        "[Ѕ" * 300_000,
        "http://" * 100_000,
        " (http://" * 100_000,
    ):
        sanitize(hostile)
