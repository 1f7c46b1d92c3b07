"""The addresses that there are, read off the URLconf."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import URLPattern, URLResolver, get_resolver

# What an id in an address stands for, by its name there: those that mean the same behind every door.
EVERYWHERE = {
    "document": "knowledge.Document",
    "tree": "trees.DecisionTree",
    "case": "trees.TreeCase",
    "golden": "evaluation.GoldenQuestion",
    "run": "evaluation.EvaluationRun",
    "query": "querying.Query",
    "batch": "api.Batch",
    "response_id": "querying.StoredResponse",
    "webhook": "webhooks.Webhook",
    "delivery": "webhooks.Delivery",
    "grant": "knowledge.KnowledgeGrant",
    "source": "knowledge.Source",
    "project": "conversations.Project",
    "conversation": "conversations.ChatSession",
    "review": "contracts.ContractReview",
    "agent_run": "agents.AgentRun",
}


def routes(below: str) -> Iterator[tuple[str, URLPattern]]:
    """Route and pattern of every address that begins like this."""
    return ((route, pattern) for route, pattern in _walk(get_resolver(), "") if route.startswith(below))


def _walk(resolver: URLResolver, prefix: str) -> Iterator[tuple[str, URLPattern]]:
    for pattern in resolver.url_patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _walk(pattern, route)
        else:
            yield route, pattern
