from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from plugins.synonyms import check_synonyms, format_synonyms, parse_synonyms

PHRASE = st.text(alphabet=st.characters(categories=("L", "N", "P")), min_size=1, max_size=20).filter(
    lambda text: "=" not in text
)
GROUPS = st.lists(st.lists(PHRASE, min_size=2, max_size=5, unique_by=str.casefold), max_size=8)


def test_one_group_on_a_line() -> None:
    text = " w/c  =  water-cement ratio \n\nSFRC = steel fibre concrete = fibre concrete\n"
    assert parse_synonyms(text) == [
        ["w/c", "water-cement ratio"],
        ["SFRC", "steel fibre concrete", "fibre concrete"],
    ]


@given(GROUPS)
def test_what_is_written_is_read_again(groups: list[list[str]]) -> None:
    check_synonyms(groups)
    assert parse_synonyms(format_synonyms(groups)) == groups


@pytest.mark.parametrize(
    "line", ["w/c", "w/c =", "= ratio", "w/c = W/C", f"{'a' * 81} = b", " = ".join("abcdefghijklm")]
)
def test_a_line_that_is_no_group_is_named(line: str) -> None:
    with pytest.raises(ValidationError) as caught:
        parse_synonyms(f"a = b\n{line}")
    assert caught.value.messages[0].startswith("Line 2: ")


@pytest.mark.parametrize("phrase", ["a = b", "a\nb", "a\u2028b"])
def test_a_phrase_that_could_not_be_written_on_a_line_is_refused(phrase: str) -> None:
    with pytest.raises(ValidationError):
        check_synonyms([[phrase, "other"]])
