from __future__ import annotations

import pytest

from language.wrapped_lines import join_wrapped_figures
from tests.linear_time import grows_linearly


@pytest.mark.parametrize(
    "text",
    [
        "adult | 5 | all\nchild | 3 | all",
        "from | 5\nto | 10",
        "from: 1\nto: 10",
        "open: all\nclosed: few",
        "speed | max\n30 | 40",
        "1. at least\n2. at most",
        "adults 12\nchildren 6",
        "rooms: 30\nhours: 5",
    ],
)
def test_rows_labels_and_list_items_stay_on_lines_of_their_own(text: str) -> None:
    assert join_wrapped_figures(text) == text


@pytest.mark.parametrize("text", ["at\nleast 30\ndays\nor more", "ages 6 to\n12: 3 EUR", "within six\nhours"])
def test_lines_that_part_a_figure_are_joined(text: str) -> None:
    assert join_wrapped_figures(text) == " ".join(text.split())


@pytest.mark.parametrize("piece", ["up to\n", "a\nor ", "to\n" + "x" * 300, "5\ndays "])
def test_a_long_text_is_read_in_linear_time(piece: str) -> None:
    assert grows_linearly(join_wrapped_figures, piece)
