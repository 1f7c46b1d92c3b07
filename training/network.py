"""The cross-encoder in PyTorch: MiniLM whose upper layers learn, and two heads.

The same computation as `knowledge.embedders.cross_encoder`, which runs it; tests hold the two together through the
weights that are shipped.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn import functional

from knowledge.embedders.bert import DIMENSIONS, HEADS
from knowledge.embedders.cross_encoder import FROZEN_LAYERS
from knowledge.embedders.cross_encoder_input import MARK_COUNT, SHARED_TEXT, TEXT
from knowledge.embedders.minilm import LAYERS
from knowledge.embedders.wordpiece import PAD_ID
from training import minilm

EPSILON = 1e-12
_OUTSIDE = -30.0  # the place logit of what is no part of the text


class Linear(nn.Linear):
    """A linear layer with the pretrained weights of this name."""

    def __init__(self, name: str) -> None:
        weight, bias = _pretrained(f"{name}.weight"), _pretrained(f"{name}.bias")
        super().__init__(weight.shape[1], weight.shape[0])
        self.weight, self.bias = nn.Parameter(weight), nn.Parameter(bias)


class Norm(nn.LayerNorm):
    """A layer norm with the pretrained weights of this name."""

    def __init__(self, name: str) -> None:
        super().__init__(DIMENSIONS, eps=EPSILON)
        self.weight, self.bias = nn.Parameter(_pretrained(f"{name}.weight")), nn.Parameter(_pretrained(f"{name}.bias"))


class Layer(nn.Module):
    """One layer of BERT, [batch, tokens, 384] → the same."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.query, self.key, self.value = (
            Linear(f"{name}.attention.self.{part}") for part in ("query", "key", "value")
        )
        self.mixed, self.mixed_norm = (
            Linear(f"{name}.attention.output.dense"),
            Norm(f"{name}.attention.output.LayerNorm"),
        )
        self.inner, self.outer = Linear(f"{name}.intermediate.dense"), Linear(f"{name}.output.dense")
        self.outer_norm = Norm(f"{name}.output.LayerNorm")

    def forward(self, states: Tensor, attended: Tensor) -> Tensor:
        heads = (part(states).unflatten(2, (HEADS, -1)).transpose(1, 2) for part in (self.query, self.key, self.value))
        mixed = functional.scaled_dot_product_attention(*heads, attn_mask=attended[:, None, None, :])
        states = self.mixed_norm(states + self.mixed(mixed.transpose(1, 2).flatten(2)))
        return self.outer_norm(states + self.outer(functional.gelu(self.inner(states))))


class CrossEncoderNetwork(nn.Module):
    """Token numbers and marks, each int64 [batch, tokens] → answer logits [batch] and place logits [batch, tokens]."""

    word: Tensor
    position: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("word", _pretrained("embeddings.word_embeddings.weight"), persistent=False)
        positions = _pretrained("embeddings.position_embeddings.weight")
        positions = positions + _pretrained("embeddings.token_type_embeddings.weight")[0]
        self.register_buffer("position", positions, persistent=False)
        self.norm = Norm("embeddings.LayerNorm").requires_grad_(False)
        self.layers = nn.ModuleList(Layer(f"encoder.layer.{number}") for number in range(LAYERS))
        self.layers[:FROZEN_LAYERS].requires_grad_(False)
        self.marks = nn.Embedding(MARK_COUNT, DIMENSIONS)
        nn.init.zeros_(self.marks.weight)
        self.place, self.hidden, self.answers = (
            nn.Linear(DIMENSIONS, 1),
            nn.Linear(2 * DIMENSIONS, 128),
            nn.Linear(128, 1),
        )
        self.dropout = nn.Dropout(0.1)

    def forward(self, ids: Tensor, marks: Tensor) -> tuple[Tensor, Tensor]:
        attended = ids != PAD_ID
        states = self.norm(self.word[ids] + self.position[: ids.shape[1]])
        for number, layer in enumerate(self.layers):
            if number == FROZEN_LAYERS:
                states = states + self.marks(marks)
            states = layer(states, attended)
        place = self.place(states)[..., 0].masked_fill(~self.is_text(marks), _OUTSIDE)
        pooled = (place.float().softmax(1).to(states.dtype)[..., None] * states).sum(1)
        hidden = functional.gelu(self.hidden(torch.cat([states[:, 0], pooled], 1)))
        return self.answers(self.dropout(hidden))[:, 0], place

    @staticmethod
    def is_text(marks: Tensor) -> Tensor:
        """Which tokens are the text's: bool [batch, tokens]."""
        return (marks == TEXT) | (marks == SHARED_TEXT)

    def pretrained_parameters(self) -> list[nn.Parameter]:
        return list(self.layers[FROZEN_LAYERS:].parameters())

    def new_parameters(self) -> list[nn.Parameter]:
        return [parameter for part in self.new_parts().values() for parameter in part.parameters()]

    def new_parts(self) -> dict[str, nn.Module]:
        return {"marks": self.marks, "place": self.place, "hidden": self.hidden, "answers": self.answers}

    def trained_weights(self) -> Iterator[tuple[str, Tensor]]:
        """What differs from MiniLM, by the names that the product uses: those of MiniLM where it has the same part."""
        names = {
            "query": "attention.self.query",
            "key": "attention.self.key",
            "value": "attention.self.value",
            "mixed": "attention.output.dense",
            "mixed_norm": "attention.output.LayerNorm",
            "inner": "intermediate.dense",
            "outer": "output.dense",
            "outer_norm": "output.LayerNorm",
        }
        for number in range(FROZEN_LAYERS, LAYERS):
            for name, weight in self.layers[number].state_dict().items():
                part, _, kind = name.partition(".")
                yield f"encoder.layer.{number}.{names[part]}.{kind}", weight
        for part, module in self.new_parts().items():
            for kind, weight in module.state_dict().items():
                yield f"{part}.{kind}", weight


def _pretrained(name: str) -> Tensor:
    return torch.from_numpy(minilm.weights()[name].copy()).float()
