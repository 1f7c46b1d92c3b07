"""What an answer cost: its tokens at the operator's prices."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from typing import TYPE_CHECKING

from django.conf import settings

from lexic.conf.model_prices import parse_prices
from querying.types import Usage

if TYPE_CHECKING:
    from querying.llm_interface import LLM

_parsed_prices = cache(parse_prices)
NO_COST = Decimal(0)
# The precision of the column.
_PRECISION = Decimal("0.000001")


def cost_of(usage: Usage, *, llm: LLM, was_called: bool) -> Decimal | None:
    """In the operator's currency, None where it is not known: the model has no price, or not all that it wrote was
    counted.

    `was_called` says whether the model was asked to write the answer; a question refused before that cost nothing.
    """
    is_counted = usage.completion_tokens > 0
    if llm.is_offline or not (was_called or is_counted):
        return NO_COST
    price = _parsed_prices(settings.LEXIC_LLM_PRICES).get(llm.name.partition(":")[2])
    if price is None or not is_counted:
        return None
    cost = price.cost(read=usage.prompt_tokens, written=usage.completion_tokens)
    return cost.quantize(_PRECISION, rounding=ROUND_HALF_UP)
