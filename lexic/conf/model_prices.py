"""The prices of language models. The operator sets them, because prices are agreed with each customer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

_TOKENS_PER_PRICE = 1_000_000
_MAX_PRICE = Decimal(1_000_000)


@dataclass(frozen=True, kw_only=True)
class Price:
    """The price of a million tokens that a model reads, and of a million that it writes."""

    input_per_million: Decimal
    output_per_million: Decimal

    def cost(self, *, read: int, written: int) -> Decimal:
        """What so many tokens cost."""
        return (self.input_per_million * read + self.output_per_million * written) / _TOKENS_PER_PRICE


def parse_prices(text: str) -> Mapping[str, Price]:
    """`gpt-4o=2.5/10,gpt-4o-mini=0.15/0.6` by the name of the model. Raises ValueError."""
    entries = (entry.strip() for entry in text.split(","))
    return dict(_parse_price(entry) for entry in entries if entry)


def _parse_price(entry: str) -> tuple[str, Price]:
    model, _, both = entry.rpartition("=")
    read, _, written = both.partition("/")
    if not model.strip():
        raise ValueError(f"“{entry}” is not a price. It looks like gpt-4o=2.5/10.")
    return model.strip(), Price(
        input_per_million=_parse_amount(read, entry), output_per_million=_parse_amount(written, entry)
    )


def _parse_amount(text: str, entry: str) -> Decimal:
    try:
        amount = Decimal(text.strip())
    except InvalidOperation:
        amount = Decimal(-1)
    if not (amount.is_finite() and 0 <= amount <= _MAX_PRICE):
        raise ValueError(f"“{entry}” is not a price. It looks like gpt-4o=2.5/10.")
    return amount
