"""What was made of a document, as lines of JSON and as plain numbers: written here, and read back with nothing taken
on trust.

`read/N.jsonl` has a line for each page, `[number, text, words, sha256]`, an empty one, and then one for each chunk,
`[page, start, end, section path, windows]`. A chunk has no text of its own: it is a span of its page.
`vectors/N.f16` holds its vectors one after the other, half precision, little-endian.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from rest_framework.exceptions import ParseError

from knowledge.arriving import ReadChunk, ReadPage
from knowledge.chunks import SECTION_LENGTH
from knowledge.models import Chunk, Embedding, Page
from lexic.errors import LexicError
from lexic.strict_json import read_json
from marketplace.bundle.columns import BadBundle
from marketplace.bundle.pinned import PinnedDocument

HALF = np.dtype("<f2")
MOST_PAGES, MOST_CHUNKS, MOST_WINDOWS = 50_000, 200_000, 4_096
_DEEPEST = 40
# Words with their places: of one document, and the lists and values that one line may hold at all, counted before it is
# read: a line of a hundred megabytes would else become gigabytes.
MOST_WORDS, MOST_LISTS, MOST_VALUES = 3_000_000, 1_000_000, 10_000_000
# Passages overlap, and all of them together are not much longer than the pages: the text of each is gone through.
_MOST_OVERLAP = 4
# Half precision leaves a unit vector not quite that.
_LENGTH_WITHIN = 0.02
_ROWS_AT_ONCE = 500
_HEX = set("0123456789abcdef")


# Out


def lines(pinned: PinnedDocument) -> Iterator[bytes]:
    """The lines of `read/N.jsonl`, pages first."""
    pages = Page.objects.alive_at(pinned.revision).filter(document=pinned.document).order_by("number")
    columns = pages.values_list("number", "text", "words", "source_sha256")
    for row in columns.iterator(chunk_size=50):
        yield _line(row)
    yield b"\n"
    windows = _windows(pinned)
    chunks = Chunk.objects.alive_at(pinned.revision).filter(document=pinned.document).order_by("index")
    spans = chunks.values_list("page__number", "start", "end", "section_path", "pk")
    for *span, pk in spans.iterator(chunk_size=_ROWS_AT_ONCE):
        yield _line([*span, windows.get(pk, 0)])


def vectors(pinned: PinnedDocument) -> Iterator[bytes]:
    """The content of `vectors/N.f16`, in the order of the chunks."""
    rows = _embeddings(pinned).order_by("chunk__index", "window").values_list("vector", flat=True)
    for vector in rows.iterator(chunk_size=_ROWS_AT_ONCE):
        yield np.asarray(_numbers(vector), dtype=HALF).tobytes()


def _windows(pinned: PinnedDocument) -> dict[int, int]:
    counts: dict[int, int] = {}
    for pk in _embeddings(pinned).order_by().values_list("chunk_id", flat=True):
        counts[pk] = counts.get(pk, 0) + 1
    return counts


def _embeddings(pinned: PinnedDocument) -> Any:
    return Embedding.objects.alive_at(pinned.revision).filter(document=pinned.document, space=pinned.space)


def _numbers(vector: Any) -> Any:
    return vector if isinstance(vector, list | np.ndarray) else vector.to_list()


def _line(row: Any) -> bytes:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


# In


def pages_of(found: Iterator[bytes], *, files: set[str], where: str) -> list[ReadPage]:
    """The lines up to the empty one. `files` are the hashes that a page may come from. Raises `BadBundle`."""
    pages: list[ReadPage] = []
    words = 0
    for line in iter(lambda: next(found, b""), b""):
        if len(pages) == MOST_PAGES:
            raise BadBundle(f"{where} has more than {MOST_PAGES} pages.")
        page = _page(_row(line, length=4, where=where), files=files, where=where)
        if page.number <= (pages[-1].number if pages else 0):
            raise BadBundle(f"{where} has its pages in no order.")
        words += len(page.words or ())
        if words > MOST_WORDS:
            raise BadBundle(f"{where} has more than {MOST_WORDS} words with places.")
        pages.append(page)
    return pages


def chunks_of(found: Iterator[bytes], *, pages: list[ReadPage], where: str) -> list[ReadChunk]:
    """The lines after that: one at least. Raises `BadBundle`."""
    lengths = {page.number: len(page.text) for page in pages}
    chunks: list[ReadChunk] = []
    for line in found:
        if len(chunks) == MOST_CHUNKS:
            raise BadBundle(f"{where} has more than {MOST_CHUNKS} chunks.")
        chunks.append(_chunk(_row(line, length=5, where=where), lengths=lengths, where=where))
    if not chunks:
        raise BadBundle(f"{where} has no chunks.")
    if sum(one.end - one.start for one in chunks) > _MOST_OVERLAP * sum(lengths.values()):
        raise BadBundle(f"{where} has the same text in too many chunks.")
    return chunks


def vectors_of(
    found: Iterator[bytes], *, chunks: Iterable[ReadChunk], dimensions: int, where: str
) -> Iterator[np.ndarray]:
    """For each chunk its windows, float16 [windows, dimensions]. `found` gives the bytes in pieces of any size.

    Raises `BadBundle` where they do not fit, are not finite, or have not length one.
    """
    held = bytearray()
    for chunk in chunks:
        wanted = chunk.windows * dimensions * HALF.itemsize
        while len(held) < wanted and (piece := next(found, b"")):
            held += piece
        if len(held) < wanted:
            raise BadBundle(f"{where} holds fewer vectors than its chunks have.")
        yield _checked(np.frombuffer(bytes(held[:wanted]), HALF).reshape(-1, dimensions), where=where)
        del held[:wanted]
    if held or next(found, b""):
        raise BadBundle(f"{where} holds more vectors than its chunks have.")


def _checked(windows: np.ndarray, *, where: str) -> np.ndarray:
    lengths = np.linalg.norm(windows.astype(np.float32), axis=1)
    # Not finite is not near one either.
    if not bool((np.abs(lengths - 1) < _LENGTH_WITHIN).all()):
        raise BadBundle(f"{where} holds what is no vector of length one.")
    return windows


def _row(line: bytes, *, length: int, where: str) -> list[Any]:
    if line.count(b"[") > MOST_LISTS or line.count(b",") > MOST_VALUES:
        raise BadBundle(f"{where} has a line that holds too much.")
    try:
        row = read_json(line)
    except (ParseError, LexicError):
        raise BadBundle(f"{where} has a line that cannot be read.") from None
    if not isinstance(row, list) or len(row) != length:
        raise BadBundle(f"{where} has a line that is not what it should be.")
    return row


def _page(row: list[Any], *, files: set[str], where: str) -> ReadPage:
    number, text, words, sha256 = row
    if not (is_number(number) and number and isinstance(text, str) and isinstance(sha256, str) and sha256 in files):
        raise BadBundle(f"{where} has a page that is not what it should be.")
    if words is not None and not (isinstance(words, list) and all(_is_box(box, len(text)) for box in words)):
        raise BadBundle(f"{where} has words that are not on their page.")
    return ReadPage(number=number, text=text, words=words, source_sha256=sha256)


def _is_box(box: Any, length: int) -> bool:
    if not isinstance(box, list) or len(box) != 6 or any(isinstance(one, bool) for one in box):
        return False
    start, end, *corners = box
    is_span = isinstance(start, int) and isinstance(end, int) and 0 <= start <= end <= length
    return is_span and all(isinstance(one, int | float) and abs(one) < 1e6 for one in corners)


def _chunk(row: list[Any], *, lengths: dict[int, int], where: str) -> ReadChunk:
    page, start, end, section_path, windows = row
    if not all(is_number(one) for one in (page, start, end, windows)) or page not in lengths:
        raise BadBundle(f"{where} has a chunk that is on none of its pages.")
    if not start < end <= lengths[page] or windows > MOST_WINDOWS:
        raise BadBundle(f"{where} has a chunk that is not a span of its page.")
    if not isinstance(section_path, list) or len(section_path) > _DEEPEST or not all(map(_is_title, section_path)):
        raise BadBundle(f"{where} has a chunk under no section there can be.")
    return ReadChunk(page=page, start=start, end=end, section_path=tuple(section_path), windows=windows)


def is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31


def is_hash(value: Any) -> bool:
    return isinstance(value, str) and len(value) == 64 and set(value) <= _HEX


def _is_title(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= SECTION_LENGTH
