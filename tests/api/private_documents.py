"""Documents that somebody adds for themselves or a project, read at once."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from rest_framework.test import APIClient

from accounts.models import User
from knowledge.ingest import ingest

PERSONAL = "/api/knowledge/documents"


def add(client: APIClient, address: str, title: str, text: str) -> str:
    """The id of the document."""
    answer = client.post(address, {"title": title, "text": text}, format="json")
    assert answer.status_code == 201, answer.content
    assert answer["Location"] == f"{address}/{answer.json()['id']}"
    ingest(answer.json()["id"])
    return str(answer.json()["id"])


def make_project(client: APIClient, **fields: Any) -> str:
    """The address of a new project."""
    answer = client.post("/api/projects", {"name": "Marrow", **fields}, format="json")
    assert answer.status_code == 201, answer.content
    return str(answer["Location"])


def confirm(*people: User) -> None:
    for person in people:
        EmailAddress.objects.create(user=person, email=person.email, verified=True, primary=True)


def found(client: APIClient, query: str, **fields: Any) -> list[str]:
    """The titles of what a search in one's documents finds."""
    answer = client.post("/api/knowledge/search", {"query": query, **fields}, format="json")
    assert answer.status_code == 200, answer.content
    return [one["title"] for one in answer.json()["results"]]
