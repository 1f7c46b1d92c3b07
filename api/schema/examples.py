"""Examples for the operations that most people begin with."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiExample

_CITATION = {
    "id": "src_1",
    "document": "Cover handbook",
    "page": 12,
    "section": "4.2 Nominal cover",
    "excerpt": "The nominal cover for a beam exposed to weather is 45 mm.",
    "documentId": "0b8f2c1e-7b5a-4c43-9d5e-0e6f0d1c2b3a",
    "start": 1040,
    "end": 1097,
    "url": "https://lexic.example.org/source/17?start=1040&end=1097#cited",
    "score": 0.83,
}
_ANSWER = {
    "answer": "The nominal cover for a beam exposed to weather is 45 mm. [Source 1]",
    "citations": [_CITATION],
    "decisionPath": [],
    "confidence": "high",
    "confidenceBasis": None,
    "pluginVersion": "1.2.0",
    "outcome": "answered",
    "reason": None,
    "why": [],
    "nearest": [],
    "clarification": None,
    "queryId": "5f9d3c52-2a54-4a53-8e0e-0d6a2c1f7b11",
    "release": "cover@1.2.0",
    "usage": {"promptTokens": 0, "completionTokens": 0},
}
_CLARIFICATION = {
    **_ANSWER,
    "answer": "How is the member exposed?",
    "citations": [],
    "confidence": "low",
    "outcome": "clarify",
    "clarification": {
        "question": "How is the member exposed?",
        "options": ["mild", "severe"],
        "field": "exposure",
        "token": "eyJ…",
    },
}
_QUESTION = {"plugin": "cover", "query": "What cover does a beam exposed to weather need?"}

QUERY_EXAMPLES = [
    OpenApiExample("A question", value=_QUESTION, request_only=True),
    OpenApiExample(
        "Of one release, with what is known already",
        value={**_QUESTION, "plugin": "cover@1.2.0", "facts": {"exposure": "severe"}},
        request_only=True,
    ),
    OpenApiExample("An answer", value=_ANSWER, response_only=True, media_type="application/json"),
    OpenApiExample("A question back", value=_CLARIFICATION, response_only=True, media_type="application/json"),
]

CHAT_EXAMPLES = [
    OpenApiExample(
        "A question",
        value={"model": "cover", "messages": [{"role": "user", "content": _QUESTION["query"]}]},
        request_only=True,
    ),
]

_LISTING = {
    "slug": "cover",
    "name": "Concrete cover and durability",
    "tagline": "Nominal cover, exposure classes and laps.",
    "description": "",
    "domain": "structural-engineering",
    "tags": ["concrete"],
    "author": "Ananya Rao",
    "version": "2.3.0",
    "releasedAt": "2026-11-14T09:12:00Z",
    "url": "https://lexic.example.org/marketplace/cover",
    "label": "measured",
    "attention": None,
    "answered": {"right": 117, "total": 120, "low": 0.929, "high": 0.991},
    "refused": {"right": 30, "total": 30, "low": 0.886, "high": 1.0},
    "measuredOn": "2026-11-14",
    "sources": {"documents": 14, "pages": 2312, "newest": "2019-07-01", "superseded": 1},
    "asked30Days": 18406,
    "installs": 41,
    "reviews": {"relied": 19, "care": 3, "wrong": 1},
    "isShared": True,
    "hasChat": True,
}
MARKETPLACE_EXAMPLES = [
    OpenApiExample(
        "What is found",
        value={
            "results": [_LISTING],
            "count": 1,
            "next": None,
            "previous": None,
            "facets": {
                "domains": {"Structural engineering": 1},
                "tags": {"concrete": 1},
                "trust": {"any": 1, "measured": 1, "right": 1},
                "uses": {"api": 1, "chat": 1, "install": 1},
            },
        },
        response_only=True,
    ),
]

PUBLIC_CHAT_EXAMPLES = [
    OpenApiExample(
        "Of notes", value={"message": "What did I finish?", "timezone": "Europe/Oslo"}, request_only=True
    ),
    OpenApiExample(
        "The answer to a question back",
        value={"message": "In March 2026", "followup": {"originalQuestion": "What did I finish?"}},
        request_only=True,
    ),
    OpenApiExample(
        "An answer in public",
        value="The oak bench is glued with hide glue. [Source 1]\n\nSources:\n[Source 1] Oak bench",
        response_only=True,
        media_type="text/plain",
    ),
    OpenApiExample(
        "A question back in public",
        value={
            "type": "followup",
            "followupQuestion": "Which time do you mean?",
            "originalQuestion": "What did I finish?",
        },
        response_only=True,
        media_type="application/json",
    ),
]
