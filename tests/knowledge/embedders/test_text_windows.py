from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from knowledge.embedders import LocalEmbedder, OpenAIEmbedder, get_embedder
from knowledge.embedders.text_windows import CutPoints, split_windows

words = st.text(st.characters(exclude_categories=()), max_size=30)
parts = ["well", "Stop.", "don't", "\n\n", "x" * 300, "東京。", "e\u0301", "3.14", "[SEP]"]
texts = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=2500),
    st.lists(st.sampled_from(parts)).map(lambda chosen: " ".join(chosen * 40)),
    words.map(lambda word: word * 100),
)


@pytest.fixture(scope="module")
def local() -> LocalEmbedder:
    embedder = get_embedder("local")
    assert isinstance(embedder, LocalEmbedder)
    return embedder


def sentences(count: int) -> str:
    return " ".join(f"Sentence number {number} says that valve {number} opens slowly." for number in range(count))


@settings(max_examples=150)
@given(text=texts, title=st.one_of(words, texts))
@example(text="", title="")
@example(text="x" * 5000, title="x" * 5000)
@example(text="." * 3000, title="§" * 200)
def test_every_character_is_in_a_window_and_every_window_fits(text, title):
    local = get_embedder("local")
    spans = local.window_spans(title_path=title, text=text)
    assert spans[0][0] == 0
    assert spans[-1][1] == len(text)
    assert all(start < end for start, end in spans) or text == ""
    assert all(before[0] < after[0] <= before[1] < after[1] for before, after in pairwise(spans))
    windows = local.windows(title_path=title, text=text)
    assert max(local.count_tokens(window) for window in windows) + 2 <= 256
    assert all(window.endswith(text[start:end]) for window, (start, end) in zip(windows, spans, strict=True))


@settings(max_examples=100)
@given(
    counts=st.lists(st.integers(0, 30), min_size=1, max_size=60),
    budget=st.integers(30, 80),
    overlap=st.integers(0, 12),
)
def test_cuts_of_any_tokens_give_windows_within_the_budget(counts, budget, overlap):
    tokens = [sum(counts[:index]) for index in range(len(counts) + 1)]
    cuts = CutPoints(offsets=range(len(tokens)), tokens=tokens, ranks=[index % 3 for index in range(len(tokens))])
    found = split_windows(cuts, budget=budget, overlap=overlap)
    assert all(tokens[end] - tokens[start] <= budget for start, end in found)
    assert {cell for start, end in found for cell in range(start, end)} == set(range(len(counts)))


def test_a_text_that_fits_is_one_window_after_its_title(local):
    assert local.windows(title_path="Manual > Valves", text="Close it.") == ["Manual > Valves. Close it."]


def test_without_a_title_there_is_no_full_stop_in_front(local):
    assert local.windows(title_path=" ", text="Close it.") == ["Close it."]


def test_an_empty_text_still_has_a_window(local):
    assert local.windows(title_path="Manual", text="") == ["Manual. "]


def test_windows_begin_and_end_with_sentences(local):
    windows = local.windows(title_path="", text=sentences(60))
    assert len(windows) > 2
    assert all(window.rstrip().endswith("slowly.") for window in windows)
    assert all(window.startswith("Sentence") for window in windows)


def test_windows_share_their_tokens_evenly(local):
    text = "word " * 300
    sizes = [local.count_tokens(window) for window in local.windows(title_path="", text=text)]
    assert len(sizes) == 2
    assert abs(sizes[0] - sizes[1]) <= 2


def test_neighbouring_windows_overlap_a_little(local):
    found = local.window_spans(title_path="", text="word " * 600)
    assert {before[1] - after[0] for before, after in pairwise(found)} == {24 * len("word ")}


def test_a_long_title_leaves_room_for_the_text(local):
    window = local.windows(title_path="title " * 200, text="The text.")[0]
    assert window == "title " * 47 + "title. The text."


def test_words_are_kept_whole(local):
    text = "hyperventilation antidisestablishmentarianism " * 60
    for start, end in local.window_spans(title_path="", text=text):
        assert text[start:end].startswith(("hyper", "anti"))
        assert text[start:end].endswith((" ", "m"))


def test_openai_embeds_a_chunk_as_one_window():
    embedder = OpenAIEmbedder()
    assert embedder.windows(title_path="Manual > Valves", text=sentences(60)) == [f"Manual > Valves. {sentences(60)}"]


@given(texts)
def test_estimated_cuts_are_beginnings_of_the_text(text):
    cut = OpenAIEmbedder().cut(text, tokens=48)
    assert len(cut.encode("utf-8", "replace")) <= 144
    assert text.encode("utf-8", "replace").decode().startswith(cut)
