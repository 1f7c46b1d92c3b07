from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge.embedders import LocalEmbedder, UnknownEmbedder, get_embedder
from knowledge.embedders.bert import pad_rows
from knowledge.embedders.packed_states import project, unpack
from knowledge.embedders.wordpiece import PAD_ID
from tests.knowledge.embedders import reference

TEXTS = [
    "How long should a wound be left open?",
    "a",
    "",
    "Naïve café: ﬁrst “quoted” – 東京 is Tokyo; 5 mg/kg, №7 😀",
    "Check the pressure before each dive. " * 4,
    "The torque of the bolt must not exceed 45 Nm without written approval. " * 40,
    "antidisestablishmentarianism " * 12,
]


@pytest.fixture(scope="module")
def local() -> LocalEmbedder:
    embedder = get_embedder("local")
    assert isinstance(embedder, LocalEmbedder)
    return embedder


@pytest.fixture(scope="module")
def expected() -> np.ndarray:
    return np.stack([reference.vector(text) for text in TEXTS])


@pytest.mark.parametrize(("precision", "floor"), [("f32", 0.99999), ("bf16", 0.9995), ("int8", 0.95), (None, 0.95)])
def test_vectors_agree_with_a_plain_implementation(precision, floor, expected):
    vectors = LocalEmbedder(precision=precision).embed(TEXTS)
    assert (vectors * expected).sum(1).min() >= floor


def test_token_states_agree_with_a_plain_implementation():
    states, offsets = LocalEmbedder(precision="f32").token_states([TEXTS[3]])[0]
    np.testing.assert_allclose(states, reference.states(TEXTS[3])[1:-1], atol=1e-3)
    assert len(states) == len(offsets)


def test_vectors_are_float32_of_length_one(local):
    vectors = local.embed(TEXTS)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(TEXTS), 384)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_nothing_in_means_nothing_out(local):
    assert local.embed([]).shape == (0, 384)
    assert local.token_states([]) == []


def test_a_vector_does_not_depend_on_its_neighbours_in_the_batch(local):
    texts = [*TEXTS, *(f"Rule {number}: " + "keep dry " * number for number in range(40))]
    together = local.embed(texts)
    alone = np.stack([local.embed([text])[0] for text in texts])
    assert (together * alone).sum(1).min() > 0.9995


@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        ("How do I treat a dog bite?", "Clean the bite of the animal at once.", "Invoices are due in May."),
        ("When was the bridge built?", "Its construction ended in 1931.", "Cats sleep most of the day."),
        ("cancel my subscription", "How to end a membership", "How to bake a cake"),
    ],
)
def test_what_means_the_same_is_nearer(local, question, near, far):
    asked, same, other = local.embed([question, near, far])
    assert asked @ same > asked @ other + 0.2


def test_a_known_similarity_stays_what_it_was(local):
    one, other = local.embed(["A man is eating food.", "A man is eating a piece of bread."])
    assert float(one @ other) == pytest.approx(0.755, abs=0.01)


def test_text_beyond_256_tokens_is_not_read(local):
    start = "word " * 254
    one, other = local.embed([start, start + "and something quite different"])
    assert float(one @ other) == pytest.approx(1, abs=1e-4)


def test_the_token_states_of_texts_are_those_of_each_alone(local):
    texts = [*TEXTS[:4], *(f"Rule {number}: " + "keep dry " * number for number in range(20)), *TEXTS[4:]]
    together = local.token_states(texts)
    for text, (states, offsets) in zip(texts, together, strict=True):
        alone, alone_offsets = local.token_states([text])[0]
        assert offsets == alone_offsets
        np.testing.assert_array_equal(states, alone)


def test_an_error_among_batches_leaves_the_model_in_order(local):
    model, row = local._model(), [101, 2003, 102]
    before = next(model.infer([[row]]))

    def batches():
        yield [row]
        yield [[101, 2010, 102]]
        raise InterruptedError

    with pytest.raises(InterruptedError):
        list(model.infer(batches()))
    read = list(model.infer([[row]] * 7))
    assert [np.array_equal(states, before[0]) for states, _ in read] == [True] * 7


def test_special_tokens_in_a_text_are_just_characters(local):
    assert local.count_tokens("[SEP]") == 3
    assert local.count_tokens("[PAD] [MASK]") > 2


def test_every_offset_of_a_token_state_points_at_its_characters(local):
    text = "  Zürich: 東京, Naïve\tcafé."
    states, offsets = local.token_states([text])[0]
    assert [text[start:end] for start, end in offsets] == [
        "Zürich", ":", "東", "京", ",", "Naïve", "café", "."
    ]  # fmt: skip
    assert states.shape == (8, 384)


def test_token_states_of_a_long_text_end_where_the_model_does(local):
    (short, _), (long, offsets) = local.token_states(["word", "word " * 1000])
    assert short.shape == (1, 384)
    assert long.shape == (254, 384)
    assert offsets[-1] == (253 * 5, 253 * 5 + 4)


@settings(max_examples=25)
@given(st.lists(st.text(st.characters(exclude_categories=()), max_size=300), max_size=4))
def test_any_text_has_a_finite_vector(texts):
    vectors = get_embedder("local").embed(texts)
    assert np.isfinite(vectors).all()
    assert len(vectors) == len(texts)


def test_many_threads_get_the_same_vectors_as_one(local):
    texts = [f"question number {number} about valves " + "and more " * (number % 7) for number in range(64)]
    alone = [local.embed([text])[0] for text in texts]
    with ThreadPoolExecutor(8) as threads:
        together = list(threads.map(lambda text: local.embed([text])[0], texts))
    np.testing.assert_allclose(together, alone, atol=1e-3)


def test_threads_that_start_at_once_load_one_model(monkeypatch):
    loaded = []
    load = LocalEmbedder._load
    monkeypatch.setattr(LocalEmbedder, "_load", lambda self: loaded.append(1) or load(self))
    embedder = LocalEmbedder()
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda number: embedder.embed([f"text {number}"]), range(8)))
    assert loaded == [1]


def test_nothing_is_loaded_before_first_use():
    embedder = LocalEmbedder()
    embedder.count_tokens("counting needs no model")
    embedder.windows(title_path="Nor do", text="windows.")
    assert not embedder._models._models


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_builds_its_own_model(local):
    before = local.embed(["before the fork"])
    inherited = local._model()
    child = os.fork()
    if child == 0:  # no assertion may escape into pytest's copy here
        is_same = np.allclose(local.embed(["before the fork"]), before, atol=1e-3)
        os._exit(0 if is_same and local._model() is not inherited else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_the_configured_number_of_threads_is_used(settings):
    settings.LEXIC_EMBEDDER_THREADS = 1
    embedder = LocalEmbedder()
    assert embedder._model()._compiled.network.get_property("INFERENCE_NUM_THREADS") == 1
    assert embedder._model()._compiled.network.get_property("NUM_STREAMS") == 1


def test_several_texts_are_read_at_once(settings):
    settings.LEXIC_EMBEDDER_THREADS = 2
    assert LocalEmbedder()._model()._compiled.network.get_property("NUM_STREAMS") == 2


def test_rows_of_similar_length_share_a_shape():
    widths = {pad_rows([[101, *[7] * length, 102]], value=PAD_ID).shape for length in range(1, 15)}
    assert widths == {(1, 8), (1, 16)}


def test_local_has_no_variants():
    with pytest.raises(UnknownEmbedder):
        get_embedder("local:large")


def test_states_come_once_for_each_token_of_a_chunk_but_punctuation_and_leave_its_vectors_as_they_are() -> None:
    embedder = LocalEmbedder()
    long = " ".join(
        f"Rule {number}: naïve staff of section {number} get {number} days of paid leave." for number in range(40)
    )
    texts = [("Handbook > Leave", long), ("Handbook", "Doors are green."), ("", "x")]
    with_states, without = embedder.embed_chunks(texts, keeps_states=True), embedder.embed_chunks(texts)
    for (_, text), one, plain in zip(texts, with_states, without, strict=True):
        assert (one.vectors == plain.vectors).all()
        assert len(one.states) == len(one.vectors)
        assert plain.states == ()
        found = unpack(one.states)
        assert found is not None
        spoken = [place for place in embedder.tokenizer.tokens(text).offsets if text[slice(*place)] not in (".", ":")]
        assert [tuple(place) for place in found.places] == spoken
    assert len(with_states[0].states) > 1


def test_a_kept_state_is_that_of_the_token_in_its_window() -> None:
    embedder = LocalEmbedder()
    title, text = "Handbook > Leave", "Staff get 25 days of leave. " * 30
    (chunk,) = embedder.embed_chunks([(title, text)], keeps_states=True)
    found = unpack(chunk.states)
    assert found is not None
    window = embedder.windows(title_path=title, text=text)[0]
    ((states, places),) = embedder.token_states([window])
    own = range(embedder.count_tokens(embedder.prefix(title)), len(states))
    inside = states[[number for number in own if window[slice(*places[number])] != "."]][:50]
    rows = inside / np.linalg.norm(inside, axis=1, keepdims=True)
    assert np.allclose(np.diag(found.cosines(project(rows))[:, :50]), 1, atol=0.02)
