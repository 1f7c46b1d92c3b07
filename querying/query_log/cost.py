"""The cost of an answer: its tokens at the prices that the operator has set."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from typing import TYPE_CHECKING

from django.conf import settings

from lexic.conf.model_prices import parse_prices
from querying.types.token_usage import Usage

if TYPE_CHECKING:
    from querying.llm_interface import LLM

_parsed_prices = cache(parse_prices)
NO_COST = Decimal(0)
# The precision of the database column.
_PRECISION = Decimal("0.000001")


def cost_of(usage: Usage, *, llm: LLM, was_called: bool) -> Decimal | None:
    """The cost in the operator's currency; None if it is unknown, because the model has no price or not all tokens were
    counted.

    `was_called` says whether the model was called to write the answer; a question that was refused before costs
    nothing.
    """
    is_counted = usage.completion_tokens > 0
    if llm.is_offline or not (was_called or is_counted):
        return NO_COST
    price = _parsed_prices(settings.LEXIC_LLM_PRICES).get(llm.name.partition(":")[2])
    if price is None or not is_counted:
        return None
    cost = price.cost(read=usage.prompt_tokens, written=usage.completion_tokens)
    return cost.quantize(_PRECISION, rounding=ROUND_HALF_UP)
