"""How fast the marketplace is when it is full: `python -m benchmarks.marketplace` (some five minutes).

10,000 plugins with a release and a listing each, and 1,000,000 questions, are made in a throw-away PostgreSQL; then the
public pages and their JSON are asked again and again in this process, through all of Django: milliseconds of the
server (median and 95th percentile), and how long counting all the questions took. `--json` prints them for programs.
`--explain` prints how PostgreSQL finds one page instead.
"""

from __future__ import annotations

import random
import statistics
import sys
from functools import partial
from typing import TYPE_CHECKING

from benchmarks._harness import run_benchmark, temporary_database, time_call

if TYPE_CHECKING:
    from django.test import Client

PLUGINS, QUESTIONS = 10_000, 1_000_000
ROUNDS = 60
EXPLAIN = "--explain" in sys.argv

_SUBJECTS = [
    "concrete",
    "steel",
    "timber",
    "masonry",
    "glass",
    "roof",
    "stair",
    "facade",
    "elevator",
    "boiler",
    "chimney",
    "payroll",
    "overtime",
    "pension",
    "patent",
    "trademark",
    "customs",
    "export",
    "tenancy",
    "mortgage",
    "invoice",
    "allergen",
    "pesticide",
    "milk",
    "wine",
    "honey",
    "poultry",
    "fishery",
    "vaccine",
    "dosage",
    "x-ray",
    "dialysis",
    "billing",
    "referral",
    "crane",
    "scaffold",
    "ladder",
    "asbestos",
    "radon",
    "noise",
    "groundwater",
    "sewage",
    "privacy",
    "cookie",
    "encryption",
    "firewall",
    "aviation",
    "drone",
    "railway",
    "harbour",
    "bicycle",
    "tyre",
]
_ASPECTS = [
    "cover",
    "joints",
    "inspection",
    "labelling",
    "limits",
    "deadlines",
    "permits",
    "storage",
    "transport",
    "tests",
    "fees",
    "contracts",
    "training",
    "records",
    "repairs",
    "insurance",
    "emergencies",
    "tolerances",
    "disposal",
]
_TITLE_ENDINGS = ["handbook", "review", "checks", "in practice", "for beginners", "case by case", "explained"]
_DOMAINS = [
    "Structural engineering",
    "Contract law",
    "Clinic billing",
    "Fire safety",
    "Food labelling",
    "Payroll",
    "Site safety",
    "Building services",
    "Tax law",
    "Privacy",
    "Water",
    "Agriculture",
    "Patents",
    "Customs",
]
_TAGS = ["eurocode", "is 456", "gdpr", "medicare", "iso 9001", "haccp", "vat", "nec", "osha", "reach", "gmp", "din"]
_SEARCH_TERMS = [
    "concrete cover",
    "who must label allergens",
    "escape route width",
    "overtime",
    "radon in cellars",
    "customs",
    "asbestos removal rules",
    "secrecy agreement",
    "sling a load in wind",
    "gutter size",
    "patent",
    "vat invoice",
]
# No listing has a word of these.
_MISSPELT_TERMS = ["asbetos disposl", "groundwatr tets", "trademrk contrcts", "scafold inspecton"]

_SAMPLE_ANSWER = {
    "question": "What is the limit?",
    "facts": {},
    "seconds": 0.4,
    "answer": "The limit is 45 mm. [Source 1]",
    "citations": [
        {
            "id": "src_1",
            "document": "Handbook",
            "page": 12,
            "section": "4.2 Limits",
            "excerpt": "The limit is 45 mm.",
            "documentId": "0b8f2c1e-7b5a-4c43-9d5e-0e6f0d1c2b3a",
            "start": 0,
            "end": 19,
            "url": "/source/17?start=0&end=19#cited",
            "score": 0.83,
        }
    ],
    "decisionPath": [],
    "confidence": "high",
    "confidenceBasis": None,
    "pluginVersion": "1.0.0",
    "outcome": "answered",
    "reason": None,
    "why": [],
    "nearest": [],
    "clarification": None,
    "queryId": "5f9d3c52-2a54-4a53-8e0e-0d6a2c1f7b11",
    "release": "plugin@1.0.0",
    "usage": {"promptTokens": 0, "completionTokens": 0},
}

_INSERT_QUERIES = """
INSERT INTO querying_query (id, plugin_id, release_id, release_name, knowledge, question, context, options, facts, plan,
    passages, answer, citations, decision_path, confidence, outcome, reason, error, timings, latency_ms, prompt_tokens,
    completion_tokens, llm, embedder, sentences, unproven, created_at)
SELECT gen_random_uuid(), plugin_id, release_id, 'x@1.0.0', '[]', 'What is the limit?', '[]', '{}', '{}', '{}',
    '[]', repeat('The limit is 45 mm. ', 20), '[]', '[]', 'medium',
    (ARRAY['answered', 'answered', 'answered', 'refused', 'clarify', 'failed'])[1 + n %% 6], '', '', '{}',
    100 + n %% 900, 0, 0, 'extractive', 'local', 4, n %% 2, now() - (n %% 86400) * interval '1 minute'
FROM (
    SELECT n, (%s::uuid[])[1 + (n * 7919) %% %s] AS plugin_id, (%s::uuid[])[1 + (n * 7919) %% %s] AS release_id
    FROM generate_series(1, %s::bigint) AS n(n)
) numbered
"""


def main() -> None:
    if EXPLAIN:
        sys.argv.remove("--explain")
    run_benchmark(__doc__, run_with_database)


def run_with_database() -> dict[str, float | str]:
    with temporary_database(with_redis=True):
        return measure_marketplace()


def measure_marketplace() -> dict[str, float | str]:
    from django.conf import settings
    from django.test import Client

    settings.ALLOWED_HOSTS = ["*"]
    settings.READER_PER_MINUTE = 10**9
    figures: dict[str, float | str] = {}
    figures["plugins and questions made, s"] = time_call(fill_marketplace)
    figures["counting all questions, s"] = time_call(count_all_figures)
    figures["counting what is new, s"] = time_call(count_new_figures)
    if EXPLAIN:
        return {"plan": "\n" + explain_queries()}
    client = Client()
    for name, addresses in page_addresses().items():
        figures |= time_pages(client, name, addresses)
    return figures


def time_pages(client: Client, name: str, addresses: list[str]) -> dict[str, float]:
    """Each once before it is timed: templates and the embedder are loaded then."""
    for address in addresses[:3]:
        assert client.get(address).status_code == 200, address
    took = [1000 * time_call(partial(client.get, address)) for address in addresses]
    took.sort()
    return {
        f"{name}, p50 ms": statistics.median(took),
        f"{name}, p95 ms": took[int(0.95 * len(took))],
    }


def page_addresses() -> dict[str, list[str]]:
    dice = random.Random(3)
    words = [_SEARCH_TERMS[n % len(_SEARCH_TERMS)].replace(" ", "+") for n in range(ROUNDS)]
    slugs = [f"plugin-{dice.randrange(PLUGINS)}" for _ in range(ROUNDS)]
    facets = [f"domain={dice.choice(_DOMAINS)}&tag={dice.choice(_TAGS)}&trust=measured" for _ in range(ROUNDS)]
    return {
        "landing": ["/"] * ROUNDS,
        "browse": ["/marketplace"] * ROUNDS,
        "browse, a later page": [f"/marketplace?page={dice.randrange(2, 400)}" for _ in range(ROUNDS)],
        "browse, searched": [f"/marketplace?q={one}" for one in words],
        "browse, misspelt": [
            f"/marketplace?q={one}" for _ in range(ROUNDS // len(_MISSPELT_TERMS)) for one in _MISSPELT_TERMS
        ],
        "browse, narrowed": [f"/marketplace?{one}" for one in facets],
        "browse, searched and narrowed": [f"/marketplace?q={one}&domain={_DOMAINS[0]}" for one in words],
        "plugin page": [f"/marketplace/{slug}" for slug in slugs],
        "JSON, list of 50": ["/api/marketplace"] * ROUNDS,
        "JSON, searched": [f"/api/marketplace?limit=10&q={one}" for one in words],
        "JSON, a plugin": [f"/api/marketplace/{slug}" for slug in slugs],
        "JSON, its stats": [f"/api/marketplace/{slug}/stats" for slug in slugs],
    }


# --- What is there ----------------------------------------------------------------------------------------------


def fill_marketplace() -> None:
    from django.db import connection

    from marketplace.catalogue import spelling

    dice = random.Random(5)
    plugins, releases = make_plugins(dice)
    make_listings(dice, plugins, releases)
    spelling.update_known_words()
    ids, release_ids = [one.pk for one in plugins], [one.pk for one in releases]
    with connection.cursor() as cursor:
        cursor.execute(_INSERT_QUERIES, [ids, len(ids), release_ids, len(ids), QUESTIONS])
        cursor.execute("VACUUM ANALYZE")


def make_plugins(dice: random.Random) -> tuple[list, list]:
    from accounts.models import User
    from plugins.models import Plugin, Release
    from tests.marketplace.catalogue.made import scorecard

    owners = [User.objects.create_user(f"author{n}@example.org", display_name=f"Author {n}") for n in range(20)]
    plugins = [
        Plugin(
            owner=dice.choice(owners),
            name=f"{thing} {side} {dice.choice(_TITLE_ENDINGS)} {n}".capitalize(),
            slug=f"plugin-{n}",
            tagline=f"What is asked about the {side} of {thing}, {dice.choice(_TITLE_ENDINGS)}.",
            description=" ".join(f"Says what holds for {thing} {dice.choice(_ASPECTS)}." for _ in range(8)),
            domain=dice.choice(_DOMAINS),
            tags=dice.sample(_TAGS, 3),
            system_prompt="You answer. " * 100,
            is_published=True,
            is_shared=n % 3 == 0,
            public_chat=n % 2 == 0,
        )
        for n in range(PLUGINS)
        for thing, side in [(dice.choice(_SUBJECTS), dice.choice(_ASPECTS))]
    ]
    Plugin.objects.bulk_create(plugins, batch_size=1000)
    releases = [
        Release(
            plugin=plugin,
            version="1.0.0",
            notes="The first one.",
            system_prompt=plugin.system_prompt,
            scorecard=scorecard(dice.randrange(30, 60), 60) if dice.random() < 0.8 else {},
        )
        for plugin in plugins
    ]
    Release.objects.bulk_create(releases, batch_size=1000)
    return plugins, releases


def make_listings(dice: random.Random, plugins: list, releases: list) -> None:
    """As `relist` and the worker would, in batches."""
    from knowledge.embedders import get_embedder
    from marketplace.listings import listing_embeddings, listing_text, scorecard_columns, update_listing
    from marketplace.models import Listing

    vectors = get_embedder(listing_embeddings.LISTING_EMBEDDER).embed(
        [listing_text.embedding_text(one)[:200] for one in plugins]
    )
    rows = []
    for plugin, release, vector in zip(plugins, releases, vectors, strict=True):
        columns = scorecard_columns.scorecard_columns(release)
        rows.append(
            Listing(
                plugin=plugin,
                release=release,
                domain=listing_text.plugin_domain(plugin),
                tags=listing_text.plugin_tags(plugin),
                label=scorecard_columns.listing_label(columns, attention=""),
                sources=dice.randrange(1, 20),
                pages=dice.randrange(1, 3000),
                released_at=release.created_at,
                search=update_listing._listing_search_vector(plugin),
                vector=vector.tolist(),
                embedder=listing_embeddings.LISTING_EMBEDDER,
                sample=_SAMPLE_ANSWER,
                **columns,
            )
        )
    Listing.objects.bulk_create(rows, batch_size=500)


def count_all_figures() -> None:
    from marketplace.listings.daily_counts import count_days, update_listing_counts

    count_days(backfill=True)
    update_listing_counts()


def count_new_figures() -> None:
    from marketplace.listings.daily_counts import count_days, update_listing_counts

    count_days()
    update_listing_counts()


def explain_queries() -> str:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from marketplace.catalogue.listing_query import ListingQuery
    from marketplace.catalogue.listing_search import search_listings

    plans = []
    for wanted in (ListingQuery(), ListingQuery(words="concrete cover")):
        with CaptureQueriesContext(connection) as captured:
            search_listings(wanted)
        with connection.cursor() as cursor:
            cursor.execute("EXPLAIN (ANALYZE, BUFFERS) " + captured[0]["sql"])
            plans.append("\n".join(row[0] for row in cursor.fetchall()))
    return "\n\n".join(plans)


if __name__ == "__main__":
    main()
