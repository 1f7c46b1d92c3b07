from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from knowledge.embedders import LocalEmbedder
from knowledge.embedders.packed_states import (
    COARSE,
    DIRECTIONS,
    FINE,
    PackedStates,
    joined,
    pack,
    project,
    unpack,
)
from training import packed_states as training
from training.pairs import read_excerpts, titled_text

TEXT = (
    "A beam exposed to weather needs 45 mm of cover. The site engineer checks the spacers before every pour, and "
    "writes down what he finds. Members of the club borrow six books at a time, for three weeks; a fee of 5 EUR is due "
    "for each week after that. Naïve readers pay « nothing »."
)
QUESTION = "How much cover does a beam need, and what is the fee for a late book?"


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    return LocalEmbedder()


def unit(states: np.ndarray) -> np.ndarray:
    return states / np.linalg.norm(states, axis=1, keepdims=True)


def read(embedder: LocalEmbedder, text: str) -> tuple[np.ndarray, list[tuple[int, int]]]:
    ((states, places),) = embedder.token_states([text])
    return states, places


def packed(embedder: LocalEmbedder, text: str = TEXT) -> PackedStates:
    states, places = read(embedder, text)
    found = unpack([pack(states, places, length=len(text))])
    assert found is not None
    return found


def test_cosines_with_packed_states_are_nearly_those_with_the_states_themselves(embedder: LocalEmbedder) -> None:
    states, _ = read(embedder, TEXT)
    question = unit(read(embedder, QUESTION)[0])
    errors = packed(embedder).cosines(project(question)) - question @ unit(states).T
    assert errors.std() < 0.03
    assert np.abs(errors).max() < 0.12


def test_the_nearest_token_of_a_word_is_the_same_one(embedder: LocalEmbedder) -> None:
    states, _ = read(embedder, TEXT)
    question = unit(read(embedder, QUESTION)[0])
    exact, rough = question @ unit(states).T, packed(embedder).cosines(project(question))
    best = np.take_along_axis(exact, rough.argmax(axis=1)[:, None], axis=1)[:, 0]
    assert (exact.max(axis=1) - best < 0.04).all()


def test_a_token_has_a_cosine_of_one_with_itself(embedder: LocalEmbedder) -> None:
    states, _ = read(embedder, TEXT)
    assert np.allclose(np.diag(packed(embedder).cosines(project(unit(states)))), 1, atol=0.002)


def test_a_token_takes_a_hundred_bytes(embedder: LocalEmbedder) -> None:
    states, places = read(embedder, TEXT)
    assert len(pack(states, places, length=len(TEXT))) <= 103 * len(states)


def test_places_and_the_length_of_the_text_come_back(embedder: LocalEmbedder) -> None:
    found = packed(embedder)
    assert [tuple(place) for place in found.places] == read(embedder, TEXT)[1]
    assert found.length == len(TEXT)


def test_of_a_span_come_the_tokens_that_stand_in_it(embedder: LocalEmbedder) -> None:
    start = TEXT.index("Members")
    end = TEXT.index(" of the club")
    assert [TEXT[slice(*place)] for place in packed(embedder).within((start, end)).places] == ["Members"]
    assert len(packed(embedder).within((start, start))) == 0


def test_parts_are_joined_in_their_order(embedder: LocalEmbedder) -> None:
    whole = packed(embedder)
    cut = TEXT.index("The site")
    parts = joined([whole.within((cut, len(TEXT))), whole.within((0, cut))])
    assert len(parts) == len(whole)
    assert parts.places[0][0] == cut


def test_what_another_version_has_packed_is_not_read(embedder: LocalEmbedder) -> None:
    states, places = read(embedder, TEXT)
    kept = pack(states, places, length=len(TEXT))
    assert unpack([kept]) is not None
    assert unpack([b"\x00" + kept[1:]]) is None
    assert unpack([kept, b""]) is None
    assert unpack([]) is None


def test_windows_of_texts_of_different_lengths_are_of_no_one_text(embedder: LocalEmbedder) -> None:
    states, places = read(embedder, TEXT)
    assert unpack([pack(states, places, length=len(TEXT)), pack(states, places, length=len(TEXT) + 1)]) is None


def test_a_text_too_long_for_its_places_is_not_packed(embedder: LocalEmbedder) -> None:
    states, places = read(embedder, TEXT)
    assert pack(states, places, length=70_000) == b""


def test_a_window_without_tokens_of_its_own_does_no_harm(embedder: LocalEmbedder) -> None:
    states, places = read(embedder, TEXT)
    empty = pack(states[:0], [], length=len(TEXT))
    found = unpack([pack(states, places, length=len(TEXT)), empty])
    assert found is not None
    assert len(found) == len(states)


@given(
    arrays(np.float32, st.tuples(st.integers(1, 12), st.just(384)), elements=st.floats(-4, 4, width=32)),
    st.integers(0, 60_000),
)
def test_any_states_can_be_packed_and_have_finite_cosines(states: np.ndarray, start: int) -> None:
    places = [(start + 2 * number, start + 2 * number + 1) for number in range(len(states))]
    found = unpack([pack(states, places, length=65_000)])
    assert found is not None
    assert np.isfinite(found.cosines(project(np.eye(384, dtype=np.float32)))).all()


def test_the_directions_are_at_right_angles_and_those_of_the_training_texts() -> None:
    """They hold nearly as much of a sample of these texts as its own would."""
    from safetensors.numpy import load_file

    from knowledge.embedders.local import WINDOW_TOKENS, model_folder
    from knowledge.embedders.wordpiece import WordPiece

    shipped = load_file(DIRECTIONS)["directions"].astype(np.float32)
    assert shipped.shape == (384, FINE + COARSE)
    assert np.allclose(shipped.T @ shipped, np.eye(FINE + COARSE), atol=2e-3)
    texts = [titled_text(excerpt) for excerpt in read_excerpts()[::10]]
    rows = WordPiece(model_folder() / "tokenizer.json").ids(texts, limit=WINDOW_TOKENS)
    states = training.unit_states(rows)
    own = training.main_directions(states)["directions"].astype(np.float32)
    held, most = (np.square(states @ directions).sum() / len(states) for directions in (shipped, own))
    assert held > 0.97 * most


def test_states_that_an_older_version_has_packed_are_read(embedder: LocalEmbedder) -> None:
    kept = packed(embedder)
    rows = np.empty(len(kept), [("start", "<u2"), ("end", "<u2"), ("factor", "<f2"), ("codes", "u1", (96,))])
    rows["start"], rows["end"] = kept.places.T
    rows["factor"], rows["codes"] = kept.factors, kept.codes
    older = b"\x01" + len(TEXT).to_bytes(2, "little") + rows.tobytes()
    found = unpack([older])
    assert found is not None
    for name in ("codes", "factors", "places"):
        assert np.array_equal(getattr(found, name), getattr(kept, name))


@given(st.lists(st.tuples(st.integers(0, 65_535), st.integers(0, 65_535)).map(lambda place: (min(place), max(place)))))
def test_any_places_come_back(places: list[tuple[int, int]]) -> None:
    found = unpack([pack(np.ones((len(places), 384), np.float32), places, length=65_535)])
    assert found is not None
    assert [tuple(place) for place in found.places] == places
