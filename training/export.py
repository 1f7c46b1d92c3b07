"""The trained part of the network as the product reads it: matrices as int8 with one scale a row, in safetensors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from training.inputs import function_word_ids
from training.network import CrossEncoderNetwork

# Matrices with fewer rows are small, and stay as they are.
_MIN_QUANTIZED_ROWS = 128


def save_weights(network: CrossEncoderNetwork, path: Path) -> None:
    arrays: dict[str, NDArray[Any]] = {"function_word_ids": np.array(sorted(function_word_ids()), np.int32)}
    for name, tensor in network.trained_weights():
        values = tensor.detach().float().cpu().numpy()
        if values.ndim == 2 and values.shape[0] >= _MIN_QUANTIZED_ROWS:
            scale = np.maximum(np.abs(values).max(axis=1), 1e-12) / 127
            arrays[name] = np.round(values / scale[:, None]).astype(np.int8)
            arrays[f"{name}.scale"] = scale.astype(np.float32)
        else:
            arrays[name] = values
    save_file(arrays, path)


def load_weights(network: CrossEncoderNetwork, path: Path) -> None:
    """Into the network, from a file as `save_weights` writes it: what was rounded stays rounded."""
    average_weights(network, path, share=0.0)


@torch.no_grad()
def average_weights(network: CrossEncoderNetwork, path: Path, *, share: float) -> None:
    """The mean of the network's weights and those of the file, the network's counting `share` of 1.

    What was learnt last generalises better so, where it was little and of one kind (Wortsman et al. 2022, robust
    fine-tuning by averaging weights).
    """
    arrays = load_file(path)
    for name, tensor in network.trained_weights():
        values = arrays[name].astype(np.float32)
        if f"{name}.scale" in arrays:
            values *= arrays[f"{name}.scale"][:, None]
        tensor.lerp_(torch.from_numpy(values).to(tensor.device), 1 - share)
