from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.chunking.chunker import ChunkSpan, InvalidChunking, chunk_pages
from knowledge.chunking.title_path import title_path
from knowledge.readers.types import CAPTION_LEVEL, Heading, PageText

FRAGMENTS = [
    "The cover is thick. ",
    "word ",
    "\n",
    "\n\n",
    "\r\n",
    "a | b\n",
    "26.4.2 Clause\n",
    "- item\n",
    "x" * 37,
    "   ",
    "漢字。",
]
TEXTS = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(FRAGMENTS), max_size=60).map("".join))
HEADINGS = st.lists(
    st.tuples(st.integers(1, 3), st.integers(0, 300), st.integers(1, 4), st.text(max_size=12)), max_size=8
)


def count_words(text: str) -> int:
    return len(text.split())


def pages_of(*texts: str) -> list[PageText]:
    return [PageText(number=number, text=text, words=None) for number, text in enumerate(texts, 1)]


def heading(page: int, text: str, title: str, level: int = 1) -> Heading:
    return Heading(page=page, start=text.index(title), level=level, title=title)


def contents(text: str, spans: list[ChunkSpan]) -> list[str]:
    return [text[span.start : span.end] for span in spans]


def sentence(number: int) -> str:
    return f"Sentence number {number:03} is exactly fifty characters ok."


def check_promises(
    texts: list[str], spans: list[ChunkSpan], *, size: int, overlap: int, measure: Callable[[str], int]
) -> None:
    covered = [bytearray(len(text)) for text in texts]
    for span in spans:
        content = texts[span.page_number - 1][span.start : span.end]
        assert content == content.strip() != ""
        assert measure(content) <= size or len(content) == 1
        covered[span.page_number - 1][span.start : span.end] = b"\x01" * (span.end - span.start)
    for text, marks in zip(texts, covered, strict=True):
        assert all(mark or character.isspace() for mark, character in zip(marks, text, strict=True))
    for one, two in itertools.pairwise(spans):
        assert (one.page_number, one.start, one.end) < (two.page_number, two.start, two.end)
        if one.page_number == two.page_number and two.start < one.end:
            assert measure(texts[one.page_number - 1][two.start : one.end]) <= overlap


@given(st.lists(TEXTS, max_size=3), HEADINGS, st.integers(1, 120), st.integers(0, 119))
def test_chunks_by_characters_keep_their_promises(
    texts: list[str], marks: list[tuple[int, int, int, str]], size: int, overlap: int
) -> None:
    overlap = min(overlap, size - 1)
    headings = [Heading(page=page, start=start, level=level, title=title) for page, start, level, title in marks]
    spans = chunk_pages(pages_of(*texts), headings, size=size, overlap=overlap)
    check_promises(texts, spans, size=size, overlap=overlap, measure=len)


@given(st.lists(TEXTS, max_size=3), HEADINGS, st.integers(1, 40), st.integers(0, 39))
def test_chunks_by_tokens_keep_their_promises(
    texts: list[str], marks: list[tuple[int, int, int, str]], size: int, overlap: int
) -> None:
    overlap = min(overlap, size - 1)
    headings = [Heading(page=page, start=start, level=level, title=title) for page, start, level, title in marks]
    for count in (count_words, len, lambda text: len(text.encode())):
        spans = chunk_pages(
            pages_of(*texts), headings, strategy="tokens", size=size, overlap=overlap, count_tokens=count
        )
        check_promises(texts, spans, size=size, overlap=overlap, measure=count)


def test_a_short_page_is_one_chunk() -> None:
    text = "  The cover is 45 mm.\r\n\r\nIt holds. "
    assert contents(text, chunk_pages(pages_of(text), [])) == [text.strip()]


@pytest.mark.parametrize("text", ["", " \r\n\t "])
def test_a_page_without_text_has_no_chunk(text: str) -> None:
    assert chunk_pages(pages_of(text), []) == []


def test_chunks_never_cross_a_page() -> None:
    spans = chunk_pages(pages_of("One sentence", "goes on. Here.", ""), [])
    assert [(span.page_number, span.start, span.end) for span in spans] == [(1, 0, 12), (2, 0, 14)]


def test_neighbours_share_whole_sentences() -> None:
    sentences = [sentence(number) for number in range(60)]
    text = " ".join(sentences)
    spans = chunk_pages(pages_of(text), [], size=500, overlap=120)
    for one, two in itertools.pairwise(spans):
        shared = text[two.start : one.end]
        assert shared == " ".join(sentences[sentences.index(shared[:52].strip()) :][:2])
    assert all(content.startswith("Sentence") and content.endswith("ok.") for content in contents(text, spans))


def test_a_paragraph_end_is_preferred_to_a_later_sentence_end() -> None:
    first, second = (" ".join(sentence(number) for number in part) for part in (range(7), range(7, 14)))
    text = f"{first}\n\n{second}"
    assert contents(text, chunk_pages(pages_of(text), [], size=500, overlap=0)) == [first, second]


def test_lx_036_sp_03_one_huge_word_is_cut_hard_and_one_huge_sentence_between_words() -> None:
    assert [span.end - span.start for span in chunk_pages(pages_of("x" * 2500), [], size=1000, overlap=100)] == [
        1000,
        1000,
        500,
    ]
    text = "word " * 1000
    assert all(set(content.split()) == {"word"} for content in contents(text, chunk_pages(pages_of(text), [])))


def test_unbroken_characters_that_count_as_one_token_are_cut_too() -> None:
    spans = chunk_pages(pages_of("x" * 50_000), [], strategy="tokens", size=512, overlap=64, count_tokens=count_words)
    assert max(span.end - span.start for span in spans) <= 512 * 8


def test_a_new_section_begins_a_new_chunk_without_overlap() -> None:
    body = " ".join(sentence(number) for number in range(20))
    text = f"# Cover\n{body}\n# Depth\n{body}"
    headings = [heading(1, text, "# Cover"), heading(1, text, "# Depth")]
    spans = chunk_pages(pages_of(text), headings, size=1500, overlap=200)
    assert contents(text, spans) == [f"# Cover\n{body}", f"# Depth\n{body}"]
    assert [span.section_path for span in spans] == [("# Cover",), ("# Depth",)]


def test_the_section_path_is_carried_over_pages() -> None:
    body = " ".join(sentence(number) for number in range(12))
    first, third = f"Design\nLoads\n{body}", f"{body}\nChecks\n{body}"
    headings = [
        heading(1, first, "Design"),
        heading(1, first, "Loads", level=2),
        heading(3, third, "Checks", level=2),
    ]
    spans = chunk_pages(pages_of(first, body, third), headings)
    assert [(span.page_number, span.section_path) for span in spans] == [
        (1, ("Design", "Loads")),
        (2, ("Design", "Loads")),
        (3, ("Design", "Loads")),
        (3, ("Design", "Checks")),
    ]


def test_a_bare_heading_joins_the_text_that_follows_however_long() -> None:
    body = " ".join(sentence(number) for number in range(40))
    text = f"Design\nLoads\n{body}"
    headings = [heading(1, text, "Design"), heading(1, text, "Loads", level=2)]
    spans = chunk_pages(pages_of(text), headings)
    assert contents(text, spans)[0].startswith("Design\nLoads\nSentence")
    assert {span.section_path for span in spans} == {("Design", "Loads")}


def test_a_bare_heading_at_the_foot_of_a_page_joins_what_stands_before() -> None:
    text = f"{sentence(1)}\nLoads"
    spans = chunk_pages(pages_of(text), [heading(1, text, "Loads")])
    assert contents(text, spans) == [text]
    assert spans[0].section_path == ()


def test_a_chunk_stands_under_one_heading_however_small() -> None:
    text = "Safety\nBoots\nWear them.\nLadders\nTie them at the top.\nCover\n45 mm"
    headings = [
        heading(1, text, name, level=1 + (name != "Safety")) for name in ("Safety", "Boots", "Ladders", "Cover")
    ]
    spans = chunk_pages(pages_of(text), headings)
    assert dict(zip(contents(text, spans), [span.section_path for span in spans], strict=True)) == {
        "Safety\nBoots\nWear them.": ("Safety", "Boots"),
        "Ladders\nTie them at the top.": ("Safety", "Ladders"),
        "Cover\n45 mm": ("Safety", "Cover"),
    }


@pytest.mark.parametrize(
    "rows", ["Exposure: mild | Cover: 20 mm\nExposure: severe | Cover: 45 mm\n", "Mild 20\nSevere 45\n"]
)
def test_a_caption_heads_the_rows_of_its_table_and_nothing_after_them(rows: str) -> None:
    prose = "Beams take the value of the table for the exposure of their faces, whatever the grade."
    text = f"Cover\n{prose}\nTable 2 Nominal cover\n{rows}{prose}"
    headings = [heading(1, text, "Cover"), heading(1, text, "Table 2 Nominal cover", level=CAPTION_LEVEL)]
    spans = chunk_pages(pages_of(text), headings)
    assert [span.section_path for span in spans] == [("Cover",), ("Cover", "Table 2 Nominal cover"), ("Cover",)]
    assert contents(text, spans)[1:] == [f"Table 2 Nominal cover\n{rows}".strip(), prose]


def test_a_caption_below_its_table_heads_nothing() -> None:
    prose = "Beams take the value of the table for the exposure of their faces, whatever the grade."
    text = f"Mild | 20\nTable 2 Nominal cover\n{prose}"
    spans = chunk_pages(pages_of(text), [heading(1, text, "Table 2 Nominal cover", level=CAPTION_LEVEL)])
    assert [(span.section_path, text[span.end - 6 : span.end]) for span in spans] == [((), "d | 20"), ((), "grade.")]


def test_sections_of_different_parents_stay_apart() -> None:
    bodies = [" ".join(sentence(number) for number in range(at, at + 3)) for at in (0, 3)]
    text = f"Design\nLoads\n{bodies[0]}\nSite\nWater\n{bodies[1]}"
    headings = [
        heading(1, text, "Design"),
        heading(1, text, "Loads", level=2),
        heading(1, text, "Site"),
        heading(1, text, "Water", level=2),
    ]
    spans = chunk_pages(pages_of(text), headings)
    assert [span.section_path for span in spans] == [("Design", "Loads"), ("Site", "Water")]


@pytest.mark.parametrize("arguments", [{"size": 0, "overlap": 0}, {"overlap": 1500}, {"strategy": "tokens"}])
def test_sizes_that_cannot_work_are_refused(arguments: dict) -> None:
    with pytest.raises(InvalidChunking):
        chunk_pages(pages_of("text"), [], **arguments)


@pytest.mark.parametrize(
    ("title", "path", "expected"),
    [
        ("Guide", ["Design", "Loads"], "Guide > Design > Loads"),
        ("Guide", [], "Guide"),
        ("Guide", ["GUIDE", "Loads"], "GUIDE > Loads"),
        ("", ["Loads"], "Loads"),
    ],
)
def test_the_title_path_names_document_and_sections(title: str, path: list[str], expected: str) -> None:
    assert title_path(title, path) == expected
