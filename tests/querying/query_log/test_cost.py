"""What an answer cost: known where the operator gave the price and the provider counted, and never made up."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexic.conf.model_prices import parse_prices
from plugins.models import Plugin
from querying.answering.llms.extractive import Extractive
from querying.answering.llms.openai import OpenAIChat
from querying.models import Query
from querying.query_log.cost import cost_of
from querying.types.token_usage import Usage
from tests.querying.scripted import Scripted
from tests.querying.test_pipeline import ask, question

PRICES = "gpt-4o=2.5/10, meta/llama:free=0/0"
SOME = Usage(prompt_tokens=1000, completion_tokens=200)


@pytest.fixture(autouse=True)
def prices(settings: Any) -> None:
    settings.LEXIC_LLM_PRICES = PRICES


@pytest.mark.parametrize(
    ("model", "usage", "was_called", "cost"),
    [
        ("gpt-4o", SOME, True, Decimal("0.0045")),
        ("meta/llama:free", SOME, True, Decimal(0)),
        ("gpt-5", SOME, True, None),
        ("gpt-4o", Usage(), True, None),  # a provider that does not count
        ("gpt-4o", Usage(), False, Decimal(0)),  # refused before anything was written
        ("gpt-4o", SOME, False, Decimal("0.0045")),  # facts were read out of the question
    ],
)
def test_a_cost_is_known_where_there_is_a_price_and_a_count(
    model: str, usage: Usage, was_called: bool, cost: Decimal | None
) -> None:
    assert cost_of(usage, llm=OpenAIChat(model=model), was_called=was_called) == cost


def test_quoting_costs_nothing() -> None:
    assert cost_of(Usage(), llm=Extractive(), was_called=True) == 0


def test_without_prices_nothing_is_known(settings: Any) -> None:
    settings.LEXIC_LLM_PRICES = ""
    assert cost_of(SOME, llm=OpenAIChat(model="gpt-4o"), was_called=True) is None


@pytest.mark.parametrize("text", ["gpt-4o", "gpt-4o=2", "=1/2", "gpt-4o=a/b", "a=-1/2", "a=NaN/1", "a=1e99/1"])
def test_what_is_no_price_is_said(text: str) -> None:
    with pytest.raises(ValueError, match="is not a price"):
        parse_prices(text)


@given(st.text(max_size=60))
def test_any_text_is_prices_or_a_complaint(text: str) -> None:
    try:
        found = parse_prices(text)
    except ValueError:
        return
    assert all(price.cost(read=10, written=10) >= 0 for price in found.values())


class Counting(Scripted):
    """A model with a price, whose provider counts."""

    name = "openai:gpt-4o"
    is_offline = False


@pytest.mark.django_db
def test_the_audit_row_says_what_it_cost(published: Plugin) -> None:
    ask(question("What is the nominal cover for severe exposure?", published), Counting("It is 45 mm [Source 1]."))
    query = Query.objects.get()
    read, written = query.prompt_tokens * Decimal("2.5"), query.completion_tokens * 10
    assert query.completion_tokens
    assert query.cost == ((read + written) / 1_000_000).quantize(Decimal("0.000001"))


@pytest.mark.django_db
def test_the_audit_row_of_a_quotation_costs_nothing(published: Plugin) -> None:
    ask(question("What is the nominal cover for severe exposure?", published))
    assert Query.objects.get().cost == 0
