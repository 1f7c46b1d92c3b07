"""How long a whole question takes: `python -m benchmarks.query` (some four minutes, most of it reading).

A made-up code of practice of some 5,000 chunks is read by the real readers, cutters and embedder into a throw-away
PostgreSQL, published, and asked through the whole pipeline with the extractive answerer, one question after another:
milliseconds of the whole and of each of its steps (median, and the 95th percentile of the whole), beside those of the
search alone in the same run. `--quick` reads 500 chunks and asks twenty questions. `--json` prints the figures for
programs.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from benchmarks._harness import run_benchmark, temporary_database

if TYPE_CHECKING:
    from plugins.models import Plugin, Release

CHUNKS = 5_000
DOCUMENTS = 50
SECTIONS = 100
SENTENCES = 9
QUESTIONS = 80

MEMBERS = [
    "beam",
    "column",
    "slab",
    "footing",
    "pile",
    "wall",
    "stair",
    "lintel",
    "truss",
    "girder",
    "culvert",
    "raft",
]
MATERIALS = ["concrete", "masonry", "steel", "timber", "aluminium", "grout", "mortar", "asphalt", "glass", "bamboo"]
PLACES = ["a coast", "a tunnel", "frozen ground", "a laboratory", "a dry room", "sea water", "a chimney", "a mine"]
QUALITIES = [
    "cover",
    "span",
    "slope",
    "spacing",
    "strength",
    "thickness",
    "camber",
    "deflection",
    "tolerance",
    "lap",
]
OCCUPATIONS = ["inspector", "designer", "contractor", "surveyor", "supervisor", "manufacturer"]
ACTIONS = ["measures", "records", "approves", "repeats", "rejects", "photographs", "witnesses", "compares"]
UNITS = ["mm", "m", "kN", "MPa", "%", "days", "kg/m3"]


def main() -> None:
    run_benchmark(__doc__, run_with_database, quick=partial(run_with_database, chunks=500, questions=20))


def run_with_database(*, chunks: int = CHUNKS, questions: int = QUESTIONS) -> dict[str, float]:
    with temporary_database():
        return measure_query(chunks=chunks, questions=questions)


def measure_query(*, chunks: int, questions: int) -> dict[str, float]:
    from knowledge.models import Chunk
    from plugins.models import Release

    dice = random.Random(5)
    plugin, asked = create_published_plugin(dice, chunks=chunks)
    release = Release.objects.get(plugin=plugin)
    time_answer(release, asked[-1])  # loads the model
    whole = [time_answer(release, text) for text in asked[:questions]]
    steps = defaultdict(list)
    for timings in recorded_step_timings(plugin):
        for name, milliseconds in timings.items():
            steps[name].append(milliseconds)
    searched = [time_search(release, text) for text in asked[:questions]]
    return {
        "chunks": Chunk.objects.count(),
        "whole, p50 ms": statistics.median(whole),
        "whole, p95 ms": statistics.quantiles(whole, n=20)[-1],
        "search again alone, p50 ms": statistics.median(searched),
        "whole to search": statistics.median(whole) / statistics.median(searched),
        **{f"{name}, p50 ms": statistics.median(values) for name, values in steps.items()},
    }


def time_answer(release: Release, text: str) -> float:
    from asgiref.sync import async_to_sync

    from querying import pipeline
    from querying.types.events import Done
    from querying.types.question import Caller, Question

    question = Question(text=text, release=release, caller=Caller(name="benchmark"))
    begun = time.perf_counter()
    last = async_to_sync(pipeline.answer)(question)
    spent = 1000 * (time.perf_counter() - begun)
    assert isinstance(last, Done), last
    return spent


def time_search(release: Release, text: str) -> float:
    from querying.retrieval import retriever
    from querying.types.question import Caller, Question

    begun = time.perf_counter()
    retriever.retrieve(Question(text=text, release=release, caller=Caller(name="benchmark")))
    return 1000 * (time.perf_counter() - begun)


def recorded_step_timings(plugin: Plugin) -> Iterator[dict[str, float]]:
    from querying.models import Query

    yield from Query.objects.filter(plugin=plugin).order_by("created_at").values_list("timings", flat=True)[1:]


# The made-up code of practice


def create_published_plugin(dice: random.Random, *, chunks: int = CHUNKS) -> tuple[Plugin, list[str]]:
    """The plugin, and questions that its documents answer. Reading stops at so many chunks."""
    from accounts.models import User
    from knowledge.documents.lifecycle import add_text
    from knowledge.ingest import ingest
    from knowledge.models import Chunk
    from knowledge.plugin_knowledge_base import own_knowledge_base
    from marketplace.publishing.publish import publish
    from plugins.models import Plugin

    owner = User.objects.create_user("bench@example.org", "correct horse battery")
    plugin = Plugin.objects.create(owner=owner, name="Code", slug="code", domain="building", system_prompt="Answer.")
    base = own_knowledge_base(plugin)
    questions: list[str] = []
    for number in range(1, DOCUMENTS + 1):
        text, asked = random_document(dice)
        questions += asked
        added = add_text(knowledge_base=base, title=f"Part {number}", text=text, enqueue=False)
        ingest(added.document.pk)
        print_progress(f"{Chunk.objects.count()} chunks read")
        if Chunk.objects.count() >= chunks:
            break
    publish(plugin, by=owner)
    dice.shuffle(questions)
    return plugin, list(islice(questions, QUESTIONS + 1))


def random_document(dice: random.Random, *, sections: int = SECTIONS) -> tuple[str, list[str]]:
    """A part of the code of practice, and a question on each of its sections."""
    texts, questions = [], []
    for number in range(1, sections + 1):
        member, material, place = dice.choice(MEMBERS), dice.choice(MATERIALS), dice.choice(PLACES)
        rules = [random_rule(dice, member, material, place) for _ in range(SENTENCES)]
        texts.append(f"## {number} The {member} of {material} in {place}\n\n{' '.join(rules)}")
        questions.append(f"What is the least {dice.choice(QUALITIES)} of a {material} {member} in {place}?")
    return "\n\n".join(texts), questions


def random_rule(dice: random.Random, member: str, material: str, place: str) -> str:
    quality, doer, deed = dice.choice(QUALITIES), dice.choice(OCCUPATIONS), dice.choice(ACTIONS)
    value, unit, other = dice.randint(2, 900), dice.choice(UNITS), dice.choice(PLACES)
    forms = [
        f"The least {quality} of a {material} {member} in {place} is {value} {unit}.",
        f"The {doer} {deed} the {quality} of every {member} before the {material} is covered, and after {value} days.",
        f"Where the {member} passes through {other}, its {quality} does not fall below {value} {unit} at any support.",
        f"Unless the drawings say otherwise, a {member} next to {other} has the {quality} of its neighbour.",
    ]
    return dice.choice(forms)


def print_progress(words: str) -> None:
    if sys.stderr.isatty():
        print(f"\r{words}", end="", file=sys.stderr)


if __name__ == "__main__":
    main()
