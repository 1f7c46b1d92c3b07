"""Trains the cross-encoder of querying/retrieval/answer_cross_encoder.py and writes its weights.

    python -m training.train OUT/pairs.jsonl.gz OUT
    python -m training.train OUT/last.jsonl.gz OUT --start WEIGHTS --epochs 2 --learning-rate 4e-5 --share .5

OUT gets `answer_cross_encoder.safetensors` and `training.json`: the hash of the pairs, the settings, the loss and the
area under the ROC curve on pairs held out, as they went. About forty minutes on two cores for 46,000 pairs; a GPU is
used where there is one. The same seed gives the same order of pairs; sums of several threads differ in their last
digits.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
import torch
from torch.nn import functional

from training.export import average_weights, load_weights, save_weights
from training.inputs import Example, collate, prepare_pair
from training.network import CrossEncoderNetwork
from training.pairs import read_pairs, sha256_of_lines


@dataclass(frozen=True, kw_only=True)
class Settings:
    seed: int = 1
    epochs: float = 1.0
    batch_size: int = 32
    learning_rate: float = 8e-5  # of MiniLM's layers; the new parts learn five times as fast
    new_parts_factor: float = 5.0
    warm_up_steps: int = 150
    weight_decay: float = 0.01
    place_loss_weight: float = 0.5
    unanswerable_place_weight: float = 0.2
    held_out_share: float = 1 / 30
    max_held_out: int = 1200


def split_by_group(prepared: list[Example], settings: Settings) -> tuple[list[Example], list[Example]]:
    """Examples to learn from, and those held out; a group stays on one side."""
    rng = random.Random(settings.seed)
    groups = sorted({example.group for example in prepared})
    rng.shuffle(groups)
    held = set(groups[: max(1, round(len(groups) * settings.held_out_share))])
    out = [example for example in prepared if example.group in held][: settings.max_held_out]
    return [example for example in prepared if example.group not in held], out


class HasLength(Protocol):
    @property
    def length(self) -> int: ...


Read = TypeVar("Read", bound=HasLength)


def batches(examples: Sequence[Read], settings: Settings, rng: random.Random) -> Iterator[list[Read]]:
    """The examples in random order, each batch of similar length."""
    examples = [*examples]
    rng.shuffle(examples)
    size = settings.batch_size
    for start in range(0, len(examples), size * 40):
        part = sorted(examples[start : start + size * 40], key=lambda example: example.length)
        parts = [part[at : at + size] for at in range(0, len(part), size)]
        rng.shuffle(parts)
        yield from parts


def train(
    examples: list[Example],
    held_out: list[Example],
    settings: Settings,
    log: list[dict[str, Any]],
    *,
    start: Path | None = None,
) -> CrossEncoderNetwork:
    """The trained network, from the weights of `start` on; `log` grows by the loss of every 50 steps and the figures of
    every 400."""
    torch.manual_seed(settings.seed)
    rng = random.Random(settings.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    network = CrossEncoderNetwork()
    if start:
        load_weights(network, start)
    network.to(device)
    optimizer = make_optimizer(network, settings)
    steps = int(settings.epochs * len(examples) / settings.batch_size)
    losses: list[float] = []
    started = time.monotonic()
    network.train()
    while len(losses) < steps:
        for batch in batches(examples, settings, rng):
            set_learning_rate(optimizer, settings, step=len(losses), steps=steps)
            losses.append(_learn(network, optimizer, batch, settings, device, rng))
            if len(losses) % 50 == 0:
                log.append({"step": len(losses), "loss": round(float(np.mean(losses[-200:])), 4)})
                print(f"{len(losses)} of {steps}: {log[-1]['loss']}, {time.monotonic() - started:.0f} s", flush=True)
            if len(losses) % 400 == 0 or len(losses) == steps:
                log.append({"step": len(losses), "auc": held_out_auc(network, held_out, device)})
                print(log[-1], flush=True)
            if len(losses) == steps:
                break
    return network


def make_optimizer(network: CrossEncoderNetwork, settings: Settings) -> torch.optim.AdamW:
    slow, fast = network.pretrained_parameters(), network.new_parameters()
    groups: list[dict[str, Any]] = [
        {"params": slow, "factor": 1.0},
        {"params": fast, "factor": settings.new_parts_factor},
    ]
    return torch.optim.AdamW(groups, lr=settings.learning_rate, weight_decay=settings.weight_decay)


def set_learning_rate(optimizer: torch.optim.Optimizer, settings: Settings, *, step: int, steps: int) -> None:
    """A linear warm-up, then a cosine down to a twentieth."""
    warm = min(1.0, (step + 1) / settings.warm_up_steps)
    share = 0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * step / steps))
    for group in optimizer.param_groups:
        group["lr"] = settings.learning_rate * group["factor"] * warm * share


def _learn(
    network: CrossEncoderNetwork,
    optimizer: torch.optim.Optimizer,
    batch: Sequence[Example],
    settings: Settings,
    device: str,
    rng: random.Random,
) -> float:
    ids, marks, places = (tensor.to(device) for tensor in collate(batch, rng))
    answerable = torch.tensor([float(example.is_answerable) for example in batch], device=device)
    with torch.autocast(device, dtype=torch.bfloat16):
        answers, where = network(ids, marks)
    answers, where = answers.float(), where.float()
    answer_loss = functional.binary_cross_entropy_with_logits(answers, answerable)
    weight = torch.where(answerable[:, None] > 0, 1.0, settings.unanswerable_place_weight)
    weight = weight * network.is_text(marks)
    place_loss = functional.binary_cross_entropy_with_logits(where, places, reduction="none")
    loss = answer_loss + settings.place_loss_weight * (place_loss * weight).sum() / weight.sum()
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    optimizer.step()
    return float(answer_loss.item())


@torch.no_grad()
def held_out_auc(network: CrossEncoderNetwork, held_out: Sequence[Example], device: str) -> dict[str, float]:
    """By kind of pair, the area under the ROC curve of the answerable ones against the others."""
    network.eval()
    scores = defaultdict[str, tuple[list[float], list[float]]](lambda: ([], []))
    for start in range(0, len(held_out), 32):
        part = held_out[start : start + 32]
        ids, marks, _ = (tensor.to(device) for tensor in collate(part, random.Random(start)))
        with torch.autocast(device, dtype=torch.bfloat16):
            answers, _ = network(ids, marks)
        for example, score in zip(part, answers.float().tolist(), strict=True):
            scores[example.kind.rstrip("-~=")][0 if example.is_answerable else 1].append(score)
    network.train()
    return {kind: round(_auc(*both), 3) for kind, both in sorted(scores.items()) if all(both)}


def _auc(positive: Sequence[float], negative: Sequence[float]) -> float:
    better = np.asarray(positive)[:, None] - np.asarray(negative)[None, :]
    return float((better > 0).mean() + 0.5 * (better == 0).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--start", type=Path, help="weights to go on from, as a run writes them")
    parser.add_argument("--epochs", type=float, default=Settings.epochs)
    parser.add_argument("--learning-rate", type=float, default=Settings.learning_rate)
    parser.add_argument("--share", type=float, default=1.0, help="of what was learnt; the rest stays as in --start")
    given = parser.parse_args()
    settings = Settings(epochs=given.epochs, learning_rate=given.learning_rate)
    given.out.mkdir(parents=True, exist_ok=True)
    pairs = read_pairs(given.pairs)
    examples, held_out = split_by_group([prepare_pair(pair) for pair in pairs], settings)
    log: list[dict[str, Any]] = []
    network = train(examples, held_out, settings, log, start=given.start)
    if given.start:
        average_weights(network, given.start, share=given.share)
    save_weights(network, given.out / "answer_cross_encoder.safetensors")
    record = {
        "pairs": len(pairs),
        "share": given.share,
        "pairs_sha256": sha256_of_lines(pairs),
        "settings": asdict(settings),
        "log": log,
    }
    (given.out / "training.json").write_text(f"{json.dumps(record, indent=1)}\n")


if __name__ == "__main__":
    main()
