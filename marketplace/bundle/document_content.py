"""Writes the pages, chunks and vectors of a document as lines of JSON and plain numbers, and reads them back, checking
everything.

`read/N.jsonl` has a line for each page, `[number, text, words, sha256]`, and behind them what it is called where that
is not “page N”, or how surely OCR has read it, or the path and the commit where it is a file of a repository; an empty
line; and one for each chunk, `[page, start, end, section path, windows]`. A chunk has no text of its own: it is a span
of its page. `vectors/N.f16` holds its vectors one after the other, half precision, little-endian.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from knowledge.documents.prepared_import import PreparedChunk, PreparedPage
from knowledge.models import Chunk, Embedding, Page
from knowledge.readers.types import MAX_LABEL_LENGTH, OcrReading
from knowledge.versions.chunk_plan import MAX_SECTION_LENGTH, RepositoryFile
from lexic.column_length import column_length
from lexic.errors import InvalidInput
from lexic.http.strict_json import read_json
from marketplace.bundle.columns import BadBundle
from marketplace.bundle.pinned_documents import PinnedDocument

VECTOR_DTYPE = np.dtype("<f2")
MAX_PAGES, MAX_CHUNKS, MAX_WINDOWS = 50_000, 200_000, 4_096
_MAX_SECTION_DEPTH = 40
# Words with their places: of one document, and the lists and values that one line may hold at all, counted before it is
# read: a line of a hundred megabytes would else become gigabytes.
MAX_WORDS, MAX_LISTS_PER_LINE, MAX_VALUES_PER_LINE = 3_000_000, 1_000_000, 10_000_000
# Passages overlap, and all of them together are not much longer than the pages: the text of each is gone through.
_MAX_OVERLAP = 4
# Half precision leaves a unit vector not quite that.
_LENGTH_TOLERANCE = 0.02
_ROW_BATCH = 500
_HEX_DIGITS = set("0123456789abcdef")


# Out


def page_and_chunk_lines(pinned: PinnedDocument) -> Iterator[bytes]:
    """The lines of `read/N.jsonl`, pages first."""
    pages = Page.objects.alive_at(pinned.revision).filter(document=pinned.document).order_by("number")
    for page in pages.iterator(chunk_size=50):
        yield _json_line([page.number, page.text, page.word_boxes, page.source_sha256, *_page_details(page)])
    yield b"\n"
    windows = Counter(_pinned_embeddings(pinned).order_by().values_list("chunk_id", flat=True))
    chunks = Chunk.objects.alive_at(pinned.revision).filter(document=pinned.document).order_by("index")
    spans = chunks.values_list("page__number", "start", "end", "section_path", "pk")
    for *span, pk in spans.iterator(chunk_size=_ROW_BATCH):
        yield _json_line([*span, windows[pk]])


def _page_details(page: Page) -> list[Any]:
    """What stands behind a page that is a file of a repository, was read by OCR, or has a name."""
    if page.repository_path:
        return [page.repository_path, page.commit]
    if page.is_ocr:
        reading = {"confidence": page.confidence, "unsure": page.unsure_spans or [], "leftOut": page.left_out_words}
        return [{"label": page.label, "ocr": reading}]
    return [page.label] if page.label else []


def vector_bytes(pinned: PinnedDocument) -> Iterator[bytes]:
    """The content of `vectors/N.f16`, in the order of the chunks."""
    rows = _pinned_embeddings(pinned).order_by("chunk__index", "window").values_list("vector", flat=True)
    for vector in rows.iterator(chunk_size=_ROW_BATCH):
        values = vector if isinstance(vector, list | np.ndarray) else vector.to_list()
        yield np.asarray(values, dtype=VECTOR_DTYPE).tobytes()


def _pinned_embeddings(pinned: PinnedDocument) -> Any:
    return Embedding.objects.alive_at(pinned.revision).filter(document=pinned.document, space=pinned.vector_space)


def _json_line(row: Any) -> bytes:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


# In


def parse_pages(found: Iterator[bytes], *, files: set[str], where: str) -> list[PreparedPage]:
    """The lines up to the empty one. `files` are the hashes that a page may come from. Raises `BadBundle`."""
    pages: list[PreparedPage] = []
    words = 0
    for line in iter(lambda: next(found, b""), b""):
        if len(pages) == MAX_PAGES:
            raise BadBundle(f"{where} has more than {MAX_PAGES} pages.")
        page = _parse_page(_parse_row(line, lengths=(4, 5, 6), where=where), files=files, where=where)
        if page.number <= (pages[-1].number if pages else 0):
            raise BadBundle(f"{where} has its pages in no order.")
        words += len(page.words or ())
        if words > MAX_WORDS:
            raise BadBundle(f"{where} has more than {MAX_WORDS} words with places.")
        pages.append(page)
    return pages


def parse_chunks(found: Iterator[bytes], *, pages: list[PreparedPage], where: str) -> list[PreparedChunk]:
    """The lines after that: one at least. Raises `BadBundle`."""
    lengths = {page.number: len(page.text) for page in pages}
    chunks: list[PreparedChunk] = []
    for line in found:
        if len(chunks) == MAX_CHUNKS:
            raise BadBundle(f"{where} has more than {MAX_CHUNKS} chunks.")
        chunks.append(_parse_chunk(_parse_row(line, lengths=(5,), where=where), lengths=lengths, where=where))
    if not chunks:
        raise BadBundle(f"{where} has no chunks.")
    if sum(one.end - one.start for one in chunks) > _MAX_OVERLAP * sum(lengths.values()):
        raise BadBundle(f"{where} has the same text in too many chunks.")
    return chunks


def parse_vectors(
    found: Iterator[bytes], *, chunks: Iterable[PreparedChunk], dimensions: int, where: str
) -> Iterator[np.ndarray]:
    """For each chunk its windows, float16 [windows, dimensions]. `found` gives the bytes in pieces of any size.

    Raises `BadBundle` where they do not fit, are not finite, or have not length one.
    """
    held = bytearray()
    for chunk in chunks:
        wanted = chunk.windows * dimensions * VECTOR_DTYPE.itemsize
        while len(held) < wanted and (piece := next(found, b"")):
            held += piece
        if len(held) < wanted:
            raise BadBundle(f"{where} holds fewer vectors than its chunks have.")
        yield _validated_vectors(np.frombuffer(bytes(held[:wanted]), VECTOR_DTYPE).reshape(-1, dimensions), where=where)
        del held[:wanted]
    if held or next(found, b""):
        raise BadBundle(f"{where} holds more vectors than its chunks have.")


def _validated_vectors(windows: np.ndarray, *, where: str) -> np.ndarray:
    lengths = np.linalg.norm(windows.astype(np.float32), axis=1)
    # Not finite is not near one either.
    if not bool((np.abs(lengths - 1) < _LENGTH_TOLERANCE).all()):
        raise BadBundle(f"{where} holds what is no vector of length one.")
    return windows


def _parse_row(line: bytes, *, lengths: Sequence[int], where: str) -> list[Any]:
    if line.count(b"[") > MAX_LISTS_PER_LINE or line.count(b",") > MAX_VALUES_PER_LINE:
        raise BadBundle(f"{where} has a line that holds too much.")
    try:
        row = read_json(line)
    except InvalidInput:
        raise BadBundle(f"{where} has a line that cannot be read.") from None
    if not isinstance(row, list) or len(row) not in lengths:
        raise BadBundle(f"{where} has a line that is not what it should be.")
    return row


def _parse_page(row: list[Any], *, files: set[str], where: str) -> PreparedPage:
    number, text, words, sha256, *place = row
    if not (
        is_natural_number(number) and number and isinstance(text, str) and isinstance(sha256, str) and sha256 in files
    ):
        raise BadBundle(f"{where} has a page that is not what it should be.")
    if words is not None and not (isinstance(words, list) and all(_is_word_box(box, len(text)) for box in words)):
        raise BadBundle(f"{where} has words that are not on their page.")
    file = _parse_file(*place, where=where) if len(place) == 2 else None
    label, ocr = "", None
    if len(place) == 1:
        label, ocr = _parse_name_and_reading(place[0], length=len(text), where=where)
    return PreparedPage(number=number, text=text, words=words, source_sha256=sha256, file=file, label=label, ocr=ocr)


def _parse_name_and_reading(value: Any, *, length: int, where: str) -> tuple[str, OcrReading | None]:
    if not isinstance(value, dict):
        return _parse_label(value, where=where), None
    try:
        reading, label = value["ocr"], value["label"]
        unsure = tuple((start, end) for start, end in reading["unsure"])
        confidence, left_out = float(reading["confidence"]), reading["leftOut"]
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise BadBundle(f"{where} has a page that is not what it should be.") from error
    is_within = all(
        is_natural_number(start) and is_natural_number(end) and start <= end <= length for start, end in unsure
    )
    if not (is_within and 0 <= confidence <= 1 and is_natural_number(left_out)):
        raise BadBundle(f"{where} has a page that is not what it should be.")
    reading = OcrReading(confidence=confidence, unsure=unsure, left_out=left_out)
    return (_parse_label(label, where=where) if label else ""), reading


def _parse_label(label: Any, *, where: str) -> str:
    if not isinstance(label, str) or not label.isprintable() or not 0 < len(label) <= MAX_LABEL_LENGTH:
        raise BadBundle(f"{where} has a page of a name that no page has.")
    return label


def _parse_file(path: Any, commit: Any, *, where: str) -> RepositoryFile:
    is_path = isinstance(path, str) and path.isprintable() and 0 < len(path) <= column_length(Page, "repository_path")
    if not is_path or PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
        raise BadBundle(f"{where} has a page of a file that no repository holds.")
    if not isinstance(commit, str) or len(commit) > column_length(Page, "commit") or not _HEX_DIGITS.issuperset(commit):
        raise BadBundle(f"{where} has a page of a commit that is none.")
    return RepositoryFile(path=path, commit=commit)


def _is_word_box(box: Any, length: int) -> bool:
    if not isinstance(box, list) or len(box) != 6 or any(isinstance(one, bool) for one in box):
        return False
    start, end, *corners = box
    is_span = isinstance(start, int) and isinstance(end, int) and 0 <= start <= end <= length
    return is_span and all(isinstance(one, int | float) and abs(one) < 1e6 for one in corners)


def _parse_chunk(row: list[Any], *, lengths: dict[int, int], where: str) -> PreparedChunk:
    page, start, end, section_path, windows = row
    if not all(is_natural_number(one) for one in (page, start, end, windows)) or page not in lengths:
        raise BadBundle(f"{where} has a chunk that is on none of its pages.")
    if not start < end <= lengths[page] or windows > MAX_WINDOWS:
        raise BadBundle(f"{where} has a chunk that is not a span of its page.")
    if (
        not isinstance(section_path, list)
        or len(section_path) > _MAX_SECTION_DEPTH
        or not all(isinstance(title, str) and len(title) <= MAX_SECTION_LENGTH for title in section_path)
    ):
        raise BadBundle(f"{where} has a chunk under no section there can be.")
    return PreparedChunk(page=page, start=start, end=end, section_path=tuple(section_path), windows=windows)


def is_natural_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31


def is_sha256(value: Any) -> bool:
    return isinstance(value, str) and len(value) == 64 and set(value) <= _HEX_DIGITS
