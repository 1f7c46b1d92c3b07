"""The kinds of facts that tables have of a thing, and questions about "it" that ask for each."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

# The words before the name of a thing, which are no part of it.
ARTICLES = frozenset(["a", "an", "the", "my", "your", "our", "this", "that"])


class ColumnKind(StrEnum):
    MONEY = "money"
    COUNT = "count"
    DURATION = "duration"
    DATE = "date"
    START = "start"
    END = "end"
    HOURS = "hours"
    PERSON = "person"
    PLACE = "place"
    MEASURE = "measure"
    OTHER = "other"


# Questions for each kind, about "it". They are compared in the embedder's space, so a few of each will do. Those of
# OTHER are for what tables of things seldom have: what is nearest to them asks for no column of another kind.
QUESTIONS: Mapping[ColumnKind, tuple[str, ...]] = {
    ColumnKind.MONEY: (
        "How much does it cost?",
        "What do you charge for it?",
        "How much do I have to pay for it?",
        "What is the price of it?",
    ),
    ColumnKind.COUNT: ("How many are there?", "How many are left?", "How many do you have?", "How many are available?"),
    ColumnKind.DURATION: ("How long does it take?", "How long does it last?", "How much time does it need?"),
    ColumnKind.DATE: ("When is it?", "What is the date of it?"),
    ColumnKind.START: ("When does it begin?", "When does it start?"),
    ColumnKind.END: ("When does it end?", "When is it due?", "Until when is it?", "What is the deadline for it?"),
    ColumnKind.HOURS: (
        "What time does it open?",
        "When is it open?",
        "What time does it start?",
        "When can I go there?",
    ),
    ColumnKind.PERSON: (
        "Who does it?",
        "Who is responsible for it?",
        "Who is in charge of it?",
        "Whom do I ask about it?",
    ),
    ColumnKind.PLACE: (
        "Where is it?",
        "Where does it take place?",
        "Where do I find it?",
        "Where can I get it?",
    ),
    ColumnKind.OTHER: (
        "How heavy is it?",
        "How big is it?",
        "What is it made of?",
        "What colour is it?",
        "How old is it?",
        "How old must I be for it?",
        "How often is it done?",
        "On which days is it?",
        "How does it work?",
        "How do I do it?",
        "Why is it?",
        "What is it?",
        "What kind is it?",
        "Who made it?",
        "What is needed for it?",
        "Is it allowed?",
        "What is the warranty of it?",
        "How long is the warranty of it?",
        "How long is it valid?",
        "How long do I have to wait for it?",
        "What is the period of notice of it?",
        "What are the terms of it?",
        "How many were sold?",
        "How many were ordered?",
        "How much was it last year?",
    ),
}
