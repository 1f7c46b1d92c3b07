"""A question that a plugin answers, for the examples of how to ask it: whoever copies one gets an answer."""

from __future__ import annotations

from collections.abc import Iterable

from accounts.models import User
from evaluation.golden.propose_questions import answerable_questions, propose_questions
from knowledge.documents.expert_answers import TITLE as EXPERT_ANSWERS
from marketplace.listings.release_documents import titled_documents
from marketplace.plugin_page.code_snippets import MAX_QUESTION_LENGTH
from plugins.models import Plugin

# How many golden questions are looked through for one that is short enough.
_MAX_LOOKED_AT = 20


def first_question(plugin: Plugin, *, viewer: User | None, titles: Iterable[str] | None = None) -> str:
    """A golden question that passed, or one that the documents suggest; at last the title of a document. Who does not
    work on the plugin gets a sample or a title, for nothing else is theirs to read. `titles` are those that its page
    shows, which are looked up where they are not given. "" where the plugin has no release, or reads nothing but
    answers of experts."""
    is_colleague = viewer is not None and Plugin.objects.viewable_by(viewer).contains(plugin)
    golden = answerable_questions(plugin)
    offered = golden if is_colleague else golden.filter(is_public=True)
    found = _short_one(offered.values_list("question", flat=True)[:_MAX_LOOKED_AT])
    if not found and is_colleague:
        found = _short_one(one.question for one in propose_questions(plugin))
    if not found:
        shown = _titles_of_release(plugin) if titles is None else titles
        # “Expert answers” is a heap of answers, and no subject that one could ask about.
        found = _short_one(f"What does “{title}” say?" for title in shown if title != EXPERT_ANSWERS)
    return found


def _titles_of_release(plugin: Plugin) -> list[str]:
    release = plugin.latest_release()
    if release is None:
        return []
    titled = titled_documents(release).exclude(title_then=EXPERT_ANSWERS).order_by("title_then", "pk")
    return list(titled.values_list("title_then", flat=True)[:1])


def _short_one(questions: Iterable[str]) -> str:
    return next((question for question in questions if len(" ".join(question.split())) <= MAX_QUESTION_LENGTH), "")
