"""OCR by RapidOCR's small models on OpenVINO, which come with their package: nothing is ever downloaded.

For the confined child. The models are loaded at the first picture, and the child's limits on memory and processor time
are raised as far as its parent has allowed only then.
"""

from __future__ import annotations

import importlib
import math
import os
import resource
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from knowledge.readers.ocr.recognised_page import Corners, RecognisedLine, RecognisedPage, RecognisedWord
from knowledge.readers.ocr.unsure_numbers import unsure_words
from local.process_memory import return_memory_early

Picture = np.ndarray[Any, np.dtype[np.uint8]]
Boxes = np.ndarray[Any, np.dtype[np.float32]]  # the four corners of each line

# The longer side, in pixels, of a picture on which words are read (255 dots an inch of A4), and of that on which lines
# are found and numbers read once more.
READ_SIDE_PIXELS = 3000
_FIND_SIDE_PIXELS = 2000
# Finding lines needs memory by the area of its picture: of a square one so much as of A4.
_FIND_AREA_PIXELS = 2000 * 1450
# A number with a sign that is less sure than this is unsure.
_SURE_NUMBER_SCORE = 0.8
# Processor seconds that each picture may take.
PICTURE_CPU_SECONDS = 150
_MAX_THREADS = 2
_LINES_AT_ONCE = 3
# A line that is so much higher than wide stands on its side.
_UPRIGHT_RATIO = 1.5
_LINES_ASKED = 12
_LINES_READ_BOTH_WAYS = 4
_WANT_OF_MEMORY = "Failed to allocate"
_MODELS = {
    "Det": "PP-OCRv6_det_small.onnx",
    "Rec": "PP-OCRv6_rec_small.onnx",
    "Cls": "ch_ppocr_mobile_v2.0_cls_mobile.onnx",
}


class TextRecognizer:
    """Reads pictures one after another."""

    def __init__(self) -> None:
        self._models: Any = None

    def read(self, picture: Picture) -> RecognisedPage:
        """What stands on a picture (rows of blue, green and red), wherever up is. Raises `MemoryError`."""
        _raise_limit(resource.RLIMIT_CPU, by=PICTURE_CPU_SECONDS)
        try:
            return self._recognise(picture)
        except Exception as error:
            if _WANT_OF_MEMORY in str(error):  # the engine has no error of its own for it
                raise MemoryError from error
            raise

    def _recognise(self, picture: Picture) -> RecognisedPage:
        models = self._models = self._models or _load_models()
        smaller, boxes = self._boxes(picture)
        turns = self._quarter_turns(smaller, boxes)
        if turns:
            picture = np.ascontiguousarray(np.rot90(picture, turns))
            smaller, boxes = self._boxes(picture)
        height, width = picture.shape[:2]
        if not len(boxes):
            return RecognisedPage(width=width, height=height)
        # Lines are found on the smaller picture, and read on the larger one: small print needs its pixels.
        places = boxes * (width / smaller.shape[1])
        crops = models.crop_text_regions(picture, places)
        read = models.text_rec(_recognition_input(crops, with_words=True))
        parts = models.cal_rec_boxes(crops, places, read).word_results
        lines = [
            RecognisedLine(words=words, corners=_corners(place))
            for place, text, found in zip(places, read.txts, parts, strict=True)
            if (words := _words(text, found))
        ]
        lines = self._with_unsure_numbers(smaller, lines, scale=smaller.shape[1] / width)
        return RecognisedPage(width=width, height=height, lines=lines, quarter_turns=turns)

    def _boxes(self, picture: Picture) -> tuple[Picture, Boxes]:
        """The picture in the size in which lines are found, and their corners on it."""
        import cv2

        height, width = picture.shape[:2]
        factor = min(1.0, _FIND_SIDE_PIXELS / max(height, width), math.sqrt(_FIND_AREA_PIXELS / (height * width)))
        smaller: Any = cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
        boxes = self._models.text_det(smaller).boxes
        return smaller, np.empty((0, 4, 2), np.float32) if boxes is None else np.asarray(boxes, np.float32)

    def _quarter_turns(self, picture: Picture, found: Boxes) -> int:
        """How often the picture has to be turned to the left to be upright, by most of its longer lines."""
        boxes = sorted(found, key=lambda box: -max(_sides(box)))[:_LINES_ASKED]
        standing = [_sides(box)[1] >= _UPRIGHT_RATIO * _sides(box)[0] for box in boxes]
        is_sideways = 2 * sum(standing) > len(boxes)
        asked = [box for box, stands in zip(boxes, standing, strict=True) if stands == is_sideways]
        if not asked:
            return 0
        # Lines that stand are turned to the left when they are cut out.
        upside_down = self._is_upside_down(self._models.crop_text_regions(picture, np.array(asked)))
        if is_sideways:
            return 3 if upside_down else 1
        return 2 if upside_down else 0

    def _is_upside_down(self, lines: Sequence[Picture]) -> bool:
        """Whether these lines stand on their head: no, where the small model says so of all of them, and else the way
        round that reads more surely. Of small print with noise most of the small model's answers may be wrong."""
        _, answers = self._models.cls_and_rotate([line.copy() for line in lines])
        if all(label != "180" for label, _ in answers.cls_res):
            return False
        longest = lines[:_LINES_READ_BOTH_WAYS]
        return self._score([np.ascontiguousarray(line[::-1, ::-1]) for line in longest]) > self._score(longest)

    def _score(self, lines: Sequence[Picture]) -> float:
        return float(sum(self._models.text_rec(_recognition_input(lines, with_words=False)).scores))

    def _with_unsure_numbers(
        self, smaller: Picture, lines: Sequence[RecognisedLine], *, scale: float
    ) -> list[RecognisedLine]:
        """The lines, with the numbers marked that read differently on the smaller picture, which is at this scale."""
        read = list(lines)
        numbered = [at for at, line in enumerate(lines) if any(map(str.isdigit, line.text))]
        if not numbered:
            return read
        boxes = np.array([lines[at].corners for at in numbered], dtype=np.float32) * scale
        crops = self._models.crop_text_regions(smaller, boxes)
        second = self._models.text_rec(_recognition_input(crops, with_words=False)).txts
        for at, text in zip(numbered, second, strict=True):
            unsure = unsure_words([word.text for word in lines[at].words], text)
            words = [
                word._replace(is_unsure=place in unsure or _is_weak_number(word))
                for place, word in enumerate(lines[at].words)
            ]
            read[at] = RecognisedLine(words=words, corners=lines[at].corners)
        return read


def _recognition_input(crops: Sequence[Picture], *, with_words: bool) -> Any:
    from rapidocr.ch_ppocr_rec import TextRecInput

    return TextRecInput(img=list(crops), return_word_box=with_words)


def _load_models() -> Any:
    _raise_limit(resource.RLIMIT_AS)
    # Each picture has lines of other sizes, and what is kept of them adds up to more than the child may have.
    return_memory_early(arenas=1)
    import rapidocr
    from rapidocr.utils.typings import EngineType

    # Not imported by name: the library exports no such thing.
    engine: Any = importlib.import_module("rapidocr.inference_engine.openvino.main")
    engine.CPUConfig = _bounded_config(engine.CPUConfig)
    folder = Path(rapidocr.__file__).parent / "models"
    options: dict[str, Any] = {f"{task}.model_path": str(folder / name) for task, name in _MODELS.items()}
    options |= {f"{task}.engine_type": EngineType.OPENVINO for task in _MODELS}
    models: Any = rapidocr.RapidOCR(
        params={
            **options,
            "EngineConfig.openvino.inference_num_threads": min(_MAX_THREADS, os.cpu_count() or 1),
            "Global.log_level": "critical",
            "Global.return_word_box": True,
            "Rec.rec_batch_num": _LINES_AT_ONCE,
            # What is too unsure is left out word by word, not line by line.
            "Global.text_score": 0.0,
        }
    )
    models._load_det_model()
    models._load_cls_model()
    decoder = models._load_rec_model().postprocess_op
    decoder.decode = partial(_decode, decoder.decode)
    return models


def _decode(decode: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """What the library decodes, with a score for each word, where it gives words those of the first signs."""
    lines, infos = decode(*args, **options)
    for (text, _), info in zip(lines, infos, strict=False):
        scores = [score for sign, score in zip(text, info.confs, strict=False) if not sign.isspace()]
        if all(kind.name == "EN_NUM" for kind in info.word_types):
            info.confs = word_scores(["".join(word) for word in info.words], scores)
        else:  # then each sign is a word
            info.confs = scores
    return lines, infos


def word_scores(words: Sequence[str], scores: Sequence[float]) -> list[float]:
    """The score of each word out of those of its signs: the usual one, and of a number that of its weakest sign."""
    found, at = [], 0
    for word in words:
        mine, at = scores[at : at + len(word)], at + len(word)
        is_number = any(map(str.isdigit, word))
        found.append((min(mine) if is_number else sum(mine) / len(mine)) if mine else 0.0)
    return found


def _bounded_config(config: type) -> type:
    class BoundedConfig(config):
        """Keeps nothing for pictures of a size that has been there before: every line has another, and it adds up."""

        def get_config(self) -> dict[str, Any]:
            return {**super().get_config(), "CPU_RUNTIME_CACHE_CAPACITY": "0"}

    return BoundedConfig


def _raise_limit(limit: int, *, by: int | None = None) -> None:
    """Raise a limit of this process by so much, or as far as the parent has allowed."""
    soft, hard = resource.getrlimit(limit)
    if soft == resource.RLIM_INFINITY:
        return
    wanted = hard if by is None else soft + by
    resource.setrlimit(limit, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))


def _words(text: str, parts: Sequence[Any]) -> list[RecognisedWord]:
    """The words of a line. The models give places for words of letters and for each sign of Chinese, and no spaces:
    what stands together in the text is one word."""
    words: list[RecognisedWord] = []
    at = 0
    for part, score, corners in parts:
        start = text.find(part, at)
        if not part.strip() or start < 0:
            continue
        gap, at = text[at:start], start + len(part)
        word = RecognisedWord(part.strip(), float(score), _corners(corners))
        joins = words and not gap and not _is_wide(part) and not _is_wide(words[-1].text[-1:])
        if joins:
            word = _joined(words.pop(), word)
        words.append(word)
    return words


def _is_weak_number(word: RecognisedWord) -> bool:
    return word.score < _SURE_NUMBER_SCORE and any(map(str.isdigit, word.text))


def _is_wide(text: str) -> bool:
    """Whether it is of a script without spaces, whose signs are words of their own here."""
    return text[:1] >= "\u2e80"


def _joined(first: RecognisedWord, second: RecognisedWord) -> RecognisedWord:
    (top_left, _, _, bottom_left), (_, top_right, bottom_right, _) = first.corners, second.corners
    corners = top_left, top_right, bottom_right, bottom_left
    text = first.text + second.text
    score = (first.score * len(first.text) + second.score * len(second.text)) / len(text)
    return RecognisedWord(text, score, corners)


def _corners(box: Any) -> Corners:
    first, second, third, fourth = ((float(x), float(y)) for x, y in box)
    return first, second, third, fourth


def _sides(box: Any) -> tuple[float, float]:
    """Width and height."""
    return float(np.linalg.norm(box[0] - box[1])), float(np.linalg.norm(box[0] - box[3]))
