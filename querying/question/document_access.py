"""Which documents somebody may be answered from: the one place that keeps private notes out of answers.

Anybody in a public chat reads only documents that are marked public, no templates, and nothing that is superseded.
Whoever does not work on a plugin is answered from no templates of it, such as playbooks, and where it says so only from
what is public. The asker's own documents, in private layers, need no mark; what is asked in private is answered from no
templates. Those that are to be filled in keep to the same marks. It is asked of the documents as they are marked today:
what is made private disappears from the answers of every release at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts.models import User
from knowledge.models import Consent, Document, KnowledgeBase
from knowledge.search.filters import Filters
from lexic.compiled_query import CompiledRows
from plugins.models import Plugin, Release
from querying.types.question import Question

PUBLIC_FILTERS = Filters(is_public=True, exclude_templates=True)
_NO_TEMPLATES = Filters(exclude_templates=True)


def access_filters(question: Question) -> Filters | None:
    """What every search for this question has to keep to; None: there is nothing to keep to."""
    own = _plugin_filters(question)
    if not question.layers:
        return _NO_TEMPLATES if own is None and _is_kept_from_templates(question) else own
    layers = Filters(knowledge_base_ids=tuple(layer.knowledge_base_id for layer in question.layers))
    return Filters(exclude_templates=True, any_of=(own, layers) if own else ())


def _is_kept_from_templates(question: Question) -> bool:
    """Whether the caller must not be answered from the release's templates, such as playbooks: in private questions
    this holds for everybody, and elsewhere for all who do not work on the plugin."""
    if question.caller.is_evaluation:
        return False
    bases = [pin["knowledge_base"] for pin in question.release.knowledge]
    return _hold_templates(bases) and (question.is_private or not works_on_plugin(question))


def _hold_templates(bases: Sequence[int]) -> bool:
    if len(bases) == 1:
        return bool(_first_template.rows(base=bases[0]))
    return Document.objects.filter(knowledge_base__in=bases, is_template=True).exists()


def _first_template_of(*, base: int) -> QuerySet[Document, tuple[UUID]]:
    return Document.objects.filter(knowledge_base=base, is_template=True).order_by().values_list("pk")[:1]


# Most releases have one base.
_first_template = CompiledRows(_first_template_of, base=-1)


def usable_templates(question: Question) -> QuerySet[Document]:
    """The templates that may be filled in for the asker: their own, and of the plugin's those that are not closed to
    them."""
    marked, own = Document.objects.filter(is_template=True), _plugin_filters(question)
    if own is None:
        return marked
    layers = [layer.knowledge_base_id for layer in question.layers]
    shown = replace(own, exclude_templates=False).documents()
    return marked.filter(Q(knowledge_base__in=layers) | Q(pk__in=shown.values("pk")))


def _plugin_filters(question: Question) -> Filters | None:
    """What keeps the asker from documents of the plugin."""
    caller = question.caller
    if caller.is_public_caller:
        return public_filters()
    if not question.release.public_only or caller.is_evaluation:
        return None
    return None if works_on_plugin(question) else PUBLIC_FILTERS


def works_on_plugin(question: Question) -> bool:
    """Whether the asker is somebody who may look at the plugin in the builder."""
    caller = question.caller
    person = User.objects.filter(pk=caller.user_id).first() if caller.user_id and not caller.is_public_caller else None
    return person is not None and Plugin.objects.viewable_by(person).filter(pk=question.release.plugin_id).exists()


def public_filters() -> Filters:
    """What anybody at all may read today."""
    return replace(PUBLIC_FILTERS, as_of=timezone.localdate())


def restricts_to_public(release: Release) -> bool:
    """Whether the author of the plugin marks documents as public. If so, visitors get answers from public documents
    only, through every interface."""
    return release.public_only or release.plugin.public_chat


def shows_public_only(release: Release, *, is_visitor: bool) -> bool:
    """Whether those who do not work on the plugin are told of public documents alone: visitors, who come without a key
    or an account, or those who come with one."""
    return restricts_to_public(release) if is_visitor else release.public_only


def publicly_quoted(
    documents: Iterable[UUID | str],
    *,
    plugin: Plugin,
    only_public: bool,
    in_force: bool = True,
    with_templates: bool = True,
) -> set[str]:
    """Those of these documents that the published plugin may quote today. They belong to its own knowledge or to
    granted bases. With `only_public` they are marked as public, and never templates. Unless `in_force` is False they
    are not superseded. No statement for an empty list."""
    named = set(documents)
    if not named:
        return set()
    granted = KnowledgeBase.objects.open_to(plugin, least=Consent.PUBLISHED).values("pk")
    public = public_filters() if in_force else PUBLIC_FILTERS
    others = Document.objects.all() if with_templates else _NO_TEMPLATES.documents()
    marked = public.documents() if only_public else others
    quoted = marked.filter(pk__in=named, knowledge_base__in=granted)
    return {str(pk) for pk in quoted.values_list("pk", flat=True)}


def combine_filters(filters: Filters | None, allowed: Filters | None) -> Filters | None:
    """Both conditions at once. Nothing that the first one says can widen the second."""
    if allowed is None:
        return filters
    return Filters(all_of=(allowed, filters)) if filters else allowed
