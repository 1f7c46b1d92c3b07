"""Who could read a document on a given day, and who opened it to them: what the audit log says of it."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.db.models import Q

from accounts.models import User
from audit.actions import Action
from audit.models import AuditEntry, AuditName
from audit.past import Columns, check_covered, object_id, row_id, subject_id, undo
from knowledge.models import BaseKind, BaseMember, Consent, Document, KnowledgeBase, KnowledgeGrant
from lexic.errors import NotFound
from plugins.models import Plugin, Release, Role

_PERSON_ACTIONS = (Action.ACCOUNT_CREATED, Action.ACCOUNT_DELETED, Action.ROLE_CHANGED)
_ROLE_ACTIONS = (Action.ROLE_GIVEN, Action.ROLE_TAKEN)
_MEMBER_ACTIONS = (Action.MEMBER_ADDED, Action.MEMBER_CHANGED, Action.MEMBER_REMOVED)
_GRANT_ACTIONS = (Action.GRANT_CREATED, Action.GRANT_CHANGED)
_PLUGIN_ACTIONS = (Action.PLUGIN_CREATED, Action.PLUGIN_DELETED, *Plugin.audit_rule.change_actions)
_BASE_ACTIONS = (Action.BASE_CREATED, Action.BASE_MOVED, Action.BASE_DELETED)
_DOCUMENT_ACTIONS = (Action.DOCUMENT_ADDED, *Document.audit_rule.change_actions)
ANYBODY = "anybody"


class UnknownToTheLog(NotFound):
    """Neither the database nor the audit log knows this document."""

    code = "unknown_document"
    hint = "It is the id of a document, as its address has it."


@dataclass(frozen=True, kw_only=True)
class Reader:
    """`who` is a reference (`person:ID`, `member:ID`) or `anybody`; `name` is empty where it was erased."""

    who: str
    why: str
    name: str = ""


@dataclass(frozen=True, kw_only=True)
class DocumentAccess:
    """Who could read the document at some time of the day, and what had been done until its end to open or close it."""

    readers: tuple[Reader, ...]
    deeds: tuple[AuditEntry, ...]


def document_access(document: uuid.UUID, *, day: date) -> DocumentAccess:
    """For the whole day in UTC. Raises `UnknownToTheLog`, `BeforeTheLog`."""
    begin = datetime.combine(day, time(), UTC)
    end = begin + timedelta(days=1)
    check_covered(end)
    history = _History.of_document(document)
    later = history.entries(since=begin)
    times = [end, *(entry.at for entry in later if entry.at < end)]
    readers = {reader for at in times for reader in history.at(at, later).readers()}
    named = _names({reader.who for reader in readers})
    deeds = [entry for entry in history.entries() if entry.at < end and entry.action not in _PERSON_ACTIONS]
    return DocumentAccess(
        readers=tuple(
            sorted(
                (Reader(who=each.who, why=each.why, name=named.get(each.who, "")) for each in readers),
                key=lambda each: (each.who != ANYBODY, each.name, each.who, each.why),
            )
        ),
        deeds=tuple(reversed(deeds)),
    )


@dataclass(frozen=True, kw_only=True)
class _State:
    """What decides who reads the document, at one time. Rows by id, as `AuditRule.present` has them."""

    at: datetime
    document: Columns | None
    base_id: int
    base: Columns | None
    members: dict[str, Columns]
    grants: dict[str, Columns]
    plugins: dict[str, Columns]
    roles: dict[str, dict[str, Columns]]
    people: dict[str, Columns]
    grant_plugins: dict[str, str] = field(default_factory=dict)

    def readers(self) -> Iterable[Reader]:
        """Nobody where the document was not there."""
        if self.document is None or self.base is None or self.document["removed_in"] is not None:
            return
        # The database gives the base of a plugin the owner of the plugin, without an entry of its own.
        owner = self.plugins.get(str(self.base["plugin_id"]), self.base)["owner_id"]
        yield from self._active(owner, "owns the knowledge base")
        if self.base["kind"] != BaseKind.PLUGIN:
            for pk, member in self.members.items():
                yield Reader(who=f"member:{pk}", why=f"let in as {member['role']}, once the address was confirmed")
            return
        for pk, columns in self.people.items():
            if columns.get("is_superuser"):
                yield from self._active(pk, "runs the site")
        if own := self.base["plugin_id"]:
            yield from self._people_of(own, "may open the documents of plugin")
            yield from self._public(own, Consent.SHARED)
        for pk, grant in self.grants.items():
            if grant["granted_at"] and not grant["ended_at"]:
                yield from self._people_of(self.grant_plugins[pk], "gets quotations from drafts of plugin")
                yield from self._public(self.grant_plugins[pk], grant["consent"])

    def _active(self, pk: str, why: str) -> Iterable[Reader]:
        if self.people.get(pk, {"is_active": False})["is_active"]:
            yield Reader(who=f"person:{pk}", why=why)

    def _people_of(self, plugin: str, why: str) -> Iterable[Reader]:
        if plugin not in self.plugins:
            return
        yield from self._active(self.plugins[plugin]["owner_id"], f"{why} {plugin} as owner")
        for pk, columns in self.roles.get(plugin, {}).items():
            if columns["role"]:
                yield from self._active(pk, f"{why} {plugin} as {columns['role']}")

    def _public(self, pk: str, consent: str) -> Iterable[Reader]:
        """What the plugin shows to everybody: quotations where it was published, pages where it was shared as well."""
        plugin = self.plugins.get(pk)
        if not plugin or not plugin["is_published"] or consent == Consent.DRAFT or self.document is None:
            return
        releases = Release.objects.filter(plugin=uuid.UUID(pk))
        release = releases.filter(created_at__lte=self.at).order_by("-created_at").first()
        if release and all(pin["knowledge_base"] != self.base_id for pin in release.knowledge):
            return
        only_public = release.public_only if release else plugin["public_only"]
        is_open = self.document["is_public"] and not self.document["is_template"]
        if is_open or not only_public:
            yield Reader(who=ANYBODY, why=f"quotations in answers of published plugin {pk}")
        is_narrowed = plugin["public_chat"] or only_public
        if plugin["is_shared"] and consent == Consent.SHARED and (is_open or not is_narrowed):
            yield Reader(who=ANYBODY, why=f"pages and copies of shared plugin {pk}")


@dataclass(frozen=True, kw_only=True)
class _History:
    """The document, its base and the plugins that ever read it."""

    document: str
    base: int
    plugins: frozenset[str]

    @classmethod
    def of_document(cls, document: uuid.UUID) -> _History:
        """Raises `UnknownToTheLog`."""
        known = Document.objects.filter(pk=document).values_list("knowledge_base_id", flat=True).first()
        entries = AuditEntry.objects.filter(object=f"document:{document}").exclude(subject="")
        base = known or next((int(subject_id(entry)) for entry in entries[:1]), None)
        if base is None:
            raise UnknownToTheLog
        own = KnowledgeBase.objects.filter(pk=base, plugin__isnull=False).values_list("plugin", flat=True)
        granted = KnowledgeGrant.objects.filter(knowledge_base=base).values_list("plugin", flat=True)
        logged = AuditEntry.objects.filter(object=f"base:{base}", subject__startswith="plugin:")
        plugins = {*map(str, own), *map(str, granted), *map(subject_id, logged)}
        return cls(document=str(document), base=base, plugins=frozenset(plugins))

    def entries(self, *, since: datetime | None = None) -> list[AuditEntry]:
        """What the log has of all this, and of who runs the site, newest first."""
        objects = [f"document:{self.document}", f"base:{self.base}", *(f"plugin:{pk}" for pk in self.plugins)]
        found = AuditEntry.objects.filter(Q(object__in=objects) | Q(action__in=_PERSON_ACTIONS), number__isnull=False)
        return list((found.filter(at__gte=since) if since else found).order_by("-number"))

    def at(self, moment: datetime, later: Sequence[AuditEntry]) -> _State:
        """Just before the moment. `later`: all entries since, and maybe before."""
        since = [entry for entry in later if entry.at >= moment]

        def of(*actions: Action) -> list[AuditEntry]:
            return [entry for entry in since if entry.action in actions]

        documents = Document.objects.filter(pk=self.document)
        bases = KnowledgeBase.objects.filter(pk=self.base)
        grants = KnowledgeGrant.objects.filter(knowledge_base=self.base)
        return _State(
            at=moment,
            document=undo(Document.audit_rule.present(documents), of(*_DOCUMENT_ACTIONS), key=object_id).get(
                self.document
            ),
            base_id=self.base,
            base=undo(KnowledgeBase.audit_rule.present(bases), of(*_BASE_ACTIONS), key=object_id).get(str(self.base)),
            members=undo(
                BaseMember.audit_rule.present(BaseMember.objects.filter(knowledge_base=self.base)),
                of(*_MEMBER_ACTIONS),
                key=row_id,
            ),
            grants=undo(KnowledgeGrant.audit_rule.present(grants), of(*_GRANT_ACTIONS), key=row_id),
            plugins=undo(
                Plugin.audit_rule.present(Plugin.objects.filter(pk__in=self.plugins)),
                of(*_PLUGIN_ACTIONS),
                key=object_id,
            ),
            roles={pk: self._roles(pk, of(*_ROLE_ACTIONS)) for pk in self.plugins},
            people=undo(User.audit_rule.present(User.objects.all()), of(*_PERSON_ACTIONS), key=object_id),
            grant_plugins={str(pk): str(plugin) for pk, plugin in grants.values_list("pk", "plugin")}
            | {row_id(entry): subject_id(entry) for entry in later if entry.action in _GRANT_ACTIONS},
        )

    def _roles(self, plugin: str, entries: Iterable[AuditEntry]) -> dict[str, Columns]:
        present: dict[str, Any] = {}
        for role, people in ((Role.VIEWER, Plugin.viewers.through), (Role.EDITOR, Plugin.editors.through)):
            ids = people._default_manager.filter(plugin_id=plugin).values_list("user_id", flat=True)
            present |= {str(pk): {"role": role.value} for pk in ids}
        return undo(present, (each for each in entries if object_id(each) == plugin), key=subject_id)


def _names(references: set[str]) -> dict[str, str]:
    """The last name of each that was not erased."""
    return dict(AuditName.objects.filter(reference__in=references).values_list("reference", "name"))
