"""The training program, where PyTorch is installed: it is no dependency of the product."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.training.test_pairs import PUBLISHED

torch = pytest.importorskip("torch", reason="PyTorch is not installed; only training needs it (training/README.md)")


def test_a_short_training_writes_weights_that_the_product_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from querying.retrieval import answer_cross_encoder
    from training import pairs
    from training.export import average_weights, load_weights, save_weights
    from training.inputs import prepare_pair
    from training.network import CrossEncoderNetwork
    from training.train import Settings, split_by_group, train

    settings = Settings(batch_size=8, epochs=0.5)
    examples, held_out = split_by_group([prepare_pair(pair) for pair in pairs.build_pairs(PUBLISHED)[:60]], settings)
    assert not {example.group for example in examples} & {example.group for example in held_out}
    log: list[dict[str, object]] = []
    network = train(examples, held_out, settings, log)
    assert log
    save_weights(network, tmp_path / "weights.safetensors")
    monkeypatch.setattr(answer_cross_encoder, "WEIGHTS", tmp_path / "weights.safetensors")
    encoder = answer_cross_encoder.AnswerCrossEncoder(precision="f32", threads=1)
    excerpt = answer_cross_encoder.Excerpt(title="Bridge", text=PUBLISHED[0]["text"], center=(0, 20))
    assert 0 < encoder.probability(PUBLISHED[0]["q"], excerpt) < 1
    again, halfway = CrossEncoderNetwork(), CrossEncoderNetwork()
    untrained = [weight.clone() for _, weight in halfway.trained_weights()]
    load_weights(again, tmp_path / "weights.safetensors")
    average_weights(halfway, tmp_path / "weights.safetensors", share=0.5)
    parts = (network.trained_weights(), again.trained_weights(), untrained, halfway.trained_weights())
    for (_, trained), (_, loaded), before, (_, mean) in zip(*parts, strict=True):
        rounding = float(trained.abs().max()) / 200
        assert torch.allclose(trained, loaded, atol=rounding)
        assert torch.allclose((trained + before) / 2, mean, atol=rounding)


def test_the_answer_is_inside_what_is_read_of_a_long_text() -> None:
    from training.inputs import collate, prepare_pair

    text = "Early words about nothing. " * 60 + "The fee is 40 euros." + " Late words." * 60
    at = text.index("The fee")
    pair = {"kind": "made", "q": "What is the fee?", "title": "Fees", "text": text, "gold": [[at, at + 20]], "g": "a"}
    for seed in range(5):
        _, _, places = collate([prepare_pair(pair)], random.Random(seed))
        assert places.sum() == len(prepare_pair(pair).answering)
