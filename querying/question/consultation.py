"""What the decision trees of a plugin said of a question. Without a tree, nothing of them is loaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from querying.sanitize import sanitize
from querying.types.answer import Clarification
from querying.types.token_usage import Usage

if TYPE_CHECKING:
    from trees.definition.nodes import TreeAction
    from trees.walk import MissingFact, Walk


@dataclass(frozen=True, kw_only=True)
class Consultation:
    """What the trees said. Without a tree for this question everything is empty. `outcomes` is where each answer would
    lead, in pairs, where the person does not know the answer. `options_by_words` has the words of the question that
    stated a fact by which the tree decided, with the options that they stand for; a number has none.
    `knows_words` says that the tree has to do with every word of substance of the question, numbers aside.
    `left_to_documents` is that of a tree which has something to ask and was left alone for them: it asks where they do
    not answer."""

    tree_name: str = ""
    walk: Walk | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    outcomes: tuple[tuple[str, TreeAction], ...] = ()
    options_by_words: Mapping[str, Sequence[str]] = field(default_factory=dict)
    knows_words: bool = False
    left_to_documents: Consultation | None = None

    @property
    def path(self) -> tuple[Mapping[str, Any], ...]:
        if self.walk is None:
            return ()
        from trees.walk import decision_path  # slow import

        return tuple(decision_path(self.walk))

    @property
    def action(self) -> TreeAction | None:
        return self.walk.action if self.walk else None

    @property
    def recommendation(self) -> str:
        return self.action.recommendation if self.action else ""

    @property
    def source_hint(self) -> str:
        return (self.action.source_hint or "") if self.action else ""

    @property
    def clarification(self) -> Clarification | None:
        if self.outcomes or self.walk is None or self.walk.missing is None:
            return None
        return clarification_for(self.walk.missing)

    @property
    def has_decided(self) -> bool:
        return bool(self.recommendation)

    @property
    def has_replies(self) -> bool:
        """Whether a fact by which it decided was given with the question, as one answers what a tree asks back."""
        return self.walk is not None and any(fact.source == "request" for fact in self.walk.facts_used.values())

    @property
    def answers_question(self) -> bool:
        """Whether its end is what was asked for, though no page may say so: what was replied to it is, and a question
        that says nothing but what the tree has to do with."""
        return self.has_decided and (self.has_replies or self.knows_words)

    @property
    def decision_text(self) -> str:
        """What the tree adds to the question, in words: the facts it used and what it recommends."""
        if self.outcomes:
            return " ".join(action.recommendation for _, action in self.outcomes)
        if not self.has_decided:
            return ""
        values = (str(step.get("value", "")) for step in self.path)
        return " ".join(filter(None, [*values, self.recommendation]))


def clarification_for(missing: MissingFact) -> Clarification:
    """A fact that a tree misses, as the question to ask back."""
    return Clarification(question=sanitize(missing.question), options=tuple(missing.options), field=missing.field)
