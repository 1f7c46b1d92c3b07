"""Checks of concepts by themselves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from lexibrarian.artefacts.concept import FIELDS, STATUSES
from lexibrarian.checks.snapshot import Snapshot
from lexibrarian.concepts import folded


def front_matter(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Front matter that is missing, or says something that means nothing."""
    for concept in snapshot.concepts:
        path = snapshot.concept_path(concept)
        missing = [name for name in FIELDS if name not in concept.fields]
        if missing:
            yield path, f"The front matter has no {', '.join(missing)}."
        if concept.status not in STATUSES:
            yield path, f"The status {concept.status} is none of {', '.join(STATUSES)}."


def alias_conflicts(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Names that two concepts claim: titles, file names and aliases."""
    owners: dict[str, dict[str, str]] = defaultdict(dict)
    for concept in snapshot.concepts:
        for name in (concept.name, concept.title, *concept.aliases):
            owners[folded(name)].setdefault(concept.name, name)
    paths = {concept.name: snapshot.concept_path(concept) for concept in snapshot.concepts}
    for claims in owners.values():
        for name, claimed in claims.items() if len(claims) > 1 else ():
            others = ", ".join(other for other in claims if other != name)
            yield paths[name], f"The name {claimed} also belongs to {others}."


def missing_aliases(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Concepts that can only be found by their own name; drafts have time."""
    for concept in snapshot.concepts:
        kinds = (("alias", "aliases", concept.aliases), ("tag", "tags", concept.tags))
        # A field that is missing altogether is the finding of another check.
        missing = [what for what, field, found in kinds if field in concept.fields and not found]
        if missing and concept.status == "active":
            yield snapshot.concept_path(concept), f"It has no {' and no '.join(missing)}."
