"""Which way up a picture is, and on how large a picture its lines are found. The models are played by others: what they
say wrongly of small print depends on its noise."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from knowledge.readers.ocr.engine import TextRecognizer

LINE = [[100, 100], [1300, 100], [1300, 130], [100, 130]]


class PlayedModels:
    """`says` is what the small model says of each line. Lines have a mark at their upper left corner; one that has it
    there reads surely."""

    def __init__(self, says: list[str]) -> None:
        self._says = says
        self.found_on: tuple[int, ...] = ()

    def text_det(self, picture: Any) -> Any:
        self.found_on = picture.shape[:2]
        return SimpleNamespace(boxes=np.array([LINE] * len(self._says), np.float32))

    def crop_text_regions(self, picture: Any, boxes: Any) -> list[Any]:
        line = np.zeros((30, 1200, 3), np.uint8)
        line[0, 0] = 255
        return [line if picture[0, 0, 0] else np.ascontiguousarray(line[::-1, ::-1]) for _ in boxes]

    def cls_and_rotate(self, lines: list[Any]) -> tuple[list[Any], Any]:
        return lines, SimpleNamespace(cls_res=[(label, 0.9) for label in self._says])

    def text_rec(self, given: Any) -> Any:
        is_upright = [bool(line[0, 0, 0]) for line in given.img]
        return SimpleNamespace(
            txts=["cover"] * len(is_upright), scores=[0.99 if upright else 0.65 for upright in is_upright]
        )

    def cal_rec_boxes(self, crops: Any, places: Any, read: Any) -> Any:
        return SimpleNamespace(word_results=[[("cover", 0.9, LINE)] for _ in crops])


def recognizer_of(models: PlayedModels) -> TextRecognizer:
    recognizer = TextRecognizer()
    recognizer._models = models
    return recognizer


@pytest.mark.parametrize(
    ("says", "is_upright", "turns"),
    [
        (["0", "0", "0", "0"], True, 0),
        (["180", "180", "180", "0"], True, 0),
        (["180", "180", "180", "180"], False, 2),
        (["0", "0", "180", "0"], False, 2),
    ],
)
def test_lines_that_may_stand_on_their_head_are_read_both_ways(says, is_upright, turns):
    picture = np.zeros((3000, 2120, 3), np.uint8)
    picture[0, 0] = 255 if is_upright else 0
    picture[-1, -1] = 0 if is_upright else 255
    assert recognizer_of(PlayedModels(says)).read(picture).quarter_turns == turns


@pytest.mark.parametrize("size", [(3000, 2120), (3000, 3000), (2250, 3000), (3000, 300), (400, 400)])
def test_a_square_picture_needs_no_more_memory_than_a_page(size):
    models = PlayedModels(["0"])
    recognizer_of(models).read(np.full((*size, 3), 255, np.uint8))
    height, width = models.found_on
    assert height * width <= 2_950_000
    assert max(height, width) == min(max(size), 2000) or height * width > 2_850_000


def test_want_of_memory_is_told_apart_from_damage(monkeypatch):
    models = PlayedModels(["0"])

    def refused(_picture: Any) -> Any:
        raise RuntimeError("[CPU] node with name 'ConvTranspose.2': Failed to allocate 146305200 bytes of memory")

    monkeypatch.setattr(models, "text_det", refused)
    with pytest.raises(MemoryError):
        recognizer_of(models).read(np.zeros((100, 100, 3), np.uint8))
