"""What every reranker promises.

To add one, subclass `Reranker`, write its one required method `rerank`, and return it from `get_reranker` of this
package. Raise `RerankerFailed` for whatever goes wrong: the query goes on without it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from lexic.errors import LexicError


class RerankerFailed(LexicError):
    """The reranker gave no usable scores."""

    code = "reranker_failed"
    status = 502


class Reranker(ABC):
    """Reads a question together with each text, and says how well the text answers it."""

    name: str

    @abstractmethod
    def rerank(self, question: str, texts: Sequence[str]) -> list[float]:
        """One score a text, in the order of the texts; higher is better, and 0 to 1 wherever the model can say so.

        At least one text. Raises `RerankerFailed`.
        """
