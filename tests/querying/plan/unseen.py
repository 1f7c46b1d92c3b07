"""Sixty more questions, written without sight of the planner, read as on Saturday, 21 November 2026.

Each is as in asked.py: the question, the days from and to (inclusive), the labels that filter, and whether the metadata
alone is asked ("list"), the text under filters ("search"), the text alone ("open") or a time is missing ("which time").
"""

from __future__ import annotations

from querying.plan.vocabulary import Vocabulary

OFFICE = Vocabulary(
    doc_types=("memo", "minutes", "press-release", "report"),
    statuses=("draft", "final", "withdrawn"),
    projects=("Clean Harbour", "Open Streets", "Fair Rents"),
    tags=(
        "air quality", "budget", "consultation", "cycling", "data protection", "flooding", "freight", "housing", "noise",
        "parking", "public transport", "schools", "waste",
    ),
    dated=0.95,
)  # fmt: skip
LAB = Vocabulary(
    doc_types=("experiment", "field-note", "literature-note", "meeting-note", "protocol"),
    statuses=("planned", "ongoing", "completed", "shelved"),
    projects=("Lichen survey", "Bluefin", "thesis"),
    tags=("microscopy", "statistics", "grants", "teaching", "soil", "peer review", "field work", "ethics", "birds"),
    dated=0.85,
)

Asked = tuple[str, tuple[str | None, str | None] | None, dict[str, object], str]

OF_OFFICE: list[Asked] = [
    ("could you pull up the memos on air quality from q2 2023 please", ("2023-04-01", "2023-06-30"), {"doc_types": ("memo",), "tags": ("air quality",)}, "list"),
    ("press releases since august", ("2026-08-01", None), {"doc_types": ("press-release",)}, "list"),
    ("minutes from the week of 9 september", ("2026-09-07", "2026-09-13"), {"doc_types": ("minutes",)}, "list"),
    ("any withdrawn reports in the second half of last year?", ("2025-07-01", "2025-12-31"), {"doc_types": ("report",), "statuses": ("withdrawn",)}, "list"),
    ("the last 3 memos about parking", None, {"doc_types": ("memo",), "tags": ("parking",), "limit": 3}, "list"),
    ("what have we published on housing recently", ("2026-10-22", "2026-11-21"), {"tags": ("housing",)}, "list"),
    ("documents labelled data protection, 2019 to 2021", ("2019-01-01", "2021-12-31"), {"tags": ("data protection",)}, "list"),
    ("which open streets memos are still in draft?", None, {"doc_types": ("memo",), "statuses": ("draft",), "project": "Open Streets", "intent": "in_flight"}, "list"),
    ("reports from the nineties", ("1990-01-01", "1999-12-31"), {"doc_types": ("report",)}, "list"),
    ("press releases on flooding between 2025-02-10 and 2025-03-05", ("2025-02-10", "2025-03-05"), {"doc_types": ("press-release",), "tags": ("flooding",)}, "list"),
    ("what did we get finished last quarter?", ("2026-07-01", "2026-09-30"), {"statuses": ("final",), "intent": "accomplishments"}, "list"),
    ("what are we still drafting", None, {"statuses": ("draft",), "intent": "in_flight"}, "list"),
    ("a quick recap of this week, please", ("2026-11-16", "2026-11-22"), {"intent": "recap"}, "list"),
    ("what happened with clean harbour in autumn 2025", ("2025-09-01", "2025-11-30"), {"project": "Clean Harbour", "intent": "recap"}, "list"),
    ("give me ten documents about freight from the last 3 weeks", ("2026-10-31", "2026-11-21"), {"tags": ("freight",), "limit": 10}, "list"),
    ("everything filed on 2026-04-15", ("2026-04-15", "2026-04-15"), {}, "list"),
    ("how many press releases did we put out in december?", ("2025-12-01", "2025-12-31"), {"doc_types": ("press-release",)}, "list"),
    ("#schools papers from before 2022", (None, "2021-12-31"), {"tags": ("schools",)}, "list"),
    ("which reports on waste mention incinerators?", None, {"doc_types": ("report",), "tags": ("waste",)}, "search"),
    ("what do the minutes from thursday say about the bridge closure", ("2026-11-19", "2026-11-19"), {"doc_types": ("minutes",)}, "search"),
    ("who objected to the rent cap in fair rents?", None, {"project": "Fair Rents"}, "search"),
    ("did parking fees go up in april 2024", ("2024-04-01", "2024-04-30"), {}, "search"),
    ("why was the tram line delayed during the winter of 2023-24", ("2023-12-01", "2024-02-29"), {}, "search"),
    ("how many minutes does the ferry crossing take?", None, {}, "open"),
    ("who do harbour wardens report to", None, {}, "open"),
    ("what's the budget for repainting the footbridge?", None, {}, "open"),
    ("which streets are open to lorries at night", None, {}, "open"),
    ("is there a final deadline for objections", None, {}, "open"),
    ("what did we achieve?", None, {"statuses": ("final",), "intent": "accomplishments"}, "which time"),
    ("can you catch me up", None, {"intent": "recap"}, "which time"),
]  # fmt: skip

OF_LAB: list[Asked] = [
    ("which experiments are ongoing?", None, {"doc_types": ("experiment",), "statuses": ("ongoing",), "intent": "in_flight"}, "list"),
    ("field notes from the first week of june", ("2026-06-01", "2026-06-07"), {"doc_types": ("field-note",)}, "list"),
    ("what did i complete for bluefin in the first half of this year", ("2026-01-01", "2026-06-30"), {"project": "Bluefin", "statuses": ("completed",), "intent": "accomplishments"}, "list"),
    ("literature notes on statistics from the last 10 days", ("2026-11-11", "2026-11-21"), {"doc_types": ("literature-note",), "tags": ("statistics",)}, "list"),
    ("shelved experiments, any year", None, {"doc_types": ("experiment",), "statuses": ("shelved",)}, "list"),
    ("what was i up to three days ago", ("2026-11-18", "2026-11-18"), {"intent": "recap"}, "list"),
    ("notes labelled peer review from last winter", ("2025-12-01", "2026-02-28"), {"tags": ("peer review",)}, "list"),
    ("meeting notes for the thesis since wednesday", ("2026-11-18", None), {"doc_types": ("meeting-note",), "project": "thesis"}, "list"),
    ("the two newest protocols on microscopy", None, {"doc_types": ("protocol",), "tags": ("microscopy",), "limit": 2}, "list"),
    ("list planned experiments for the lichen survey", None, {"doc_types": ("experiment",), "statuses": ("planned",), "project": "Lichen survey"}, "list"),
    ("everything about soil from the 2010s", ("2010-01-01", "2019-12-31"), {"tags": ("soil",)}, "list"),
    ("what got done in week 40", ("2026-09-28", "2026-10-04"), {"statuses": ("completed",), "intent": "accomplishments"}, "list"),
    ("please list my field notes up to the end of 2023", (None, "2023-12-31"), {"doc_types": ("field-note",)}, "list"),
    ("show me notes about grants from two months ago", ("2026-09-01", "2026-09-30"), {"tags": ("grants",)}, "list"),
    ("what did i write about teaching over the past fortnight", ("2026-11-07", "2026-11-21"), {"tags": ("teaching",)}, "list"),
    ("anything tagged ethics or birds, 2022 onwards", ("2022-01-01", None), {"tags": ("ethics", "birds")}, "list"),
    ("recap the lichen survey for me", None, {"project": "Lichen survey", "intent": "recap"}, "list"),
    ("round-up of july, please", ("2026-07-01", "2026-07-31"), {"intent": "recap"}, "list"),
    ("what's on my plate right now", None, {"statuses": ("ongoing",), "intent": "in_flight"}, "list"),
    ("which experiments from 2024 used ethanol as a solvent?", ("2024-01-01", "2024-12-31"), {"doc_types": ("experiment",)}, "search"),
    ("what did the reviewer object to in the bluefin paper", None, {"project": "Bluefin"}, "search"),
    ("where did i see the marsh harrier on the 5th of may?", ("2026-05-05", "2026-05-05"), {}, "search"),
    ("what temperature was the incubator at the day before yesterday", ("2026-11-19", "2026-11-19"), {}, "search"),
    ("in the field notes about birds, where are nests described", None, {"doc_types": ("field-note",), "tags": ("birds",)}, "search"),
    ("how long should a thesis be?", None, {}, "open"),
    ("which spring feeds the pond at the north plot", None, {}, "open"),
    ("is the fume hood in room 2019 free to book?", None, {}, "open"),
    ("who was august krogh", None, {}, "open"),
    ("where are the shelved jars from the bog kept", None, {}, "open"),
    ("what have i completed", None, {"statuses": ("completed",), "intent": "accomplishments"}, "which time"),
]  # fmt: skip
