"""Reconstructs from the audit log who could read a document on a given day, and who gave them access."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from operator import attrgetter

from django.db.models import Q, QuerySet

from accounts.models import User
from audit.actions import Action
from audit.earlier_rows import Columns, check_covered, rows_before
from audit.exports import last_names
from audit.models import AuditEntry
from knowledge.models import BaseKind, BaseMember, Consent, Document, KnowledgeBase, KnowledgeGrant
from lexic.errors import NotFound
from organisations.models import READING_ROLES, Membership
from plugins.collaborators import present_roles
from plugins.models import Plugin, Release
from plugins.visibility import WITH_PAGE, Visibility

_PERSON_ACTIONS = (Action.ACCOUNT_CREATED, Action.ACCOUNT_DELETED, Action.ROLE_CHANGED)
_ROLE_ACTIONS = (Action.ROLE_GIVEN, Action.ROLE_TAKEN)
_MEMBER_ACTIONS = (Action.MEMBER_ADDED, Action.MEMBER_CHANGED, Action.MEMBER_REMOVED)
_MEMBERSHIP_ACTIONS = Membership.audit_rule.actions
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
class PermittedReader:
    """`who` is a reference (`person:ID`, `member:ID`) or `anybody`; `name` is empty where it was erased."""

    who: str
    why: str
    name: str = ""


@dataclass(frozen=True, kw_only=True)
class DocumentAccessHistory:
    """Who could read the document at some time of the day, and what had been done until its end to open or close it."""

    readers: tuple[PermittedReader, ...]
    deeds: tuple[AuditEntry, ...]


def document_access(document: uuid.UUID, *, day: date) -> DocumentAccessHistory:
    """For the whole day in UTC. Raises `UnknownToTheLog`, `BeforeTheLog`."""
    begin = datetime.combine(day, time(), UTC)
    end = begin + timedelta(days=1)
    check_covered(end)
    history = _History.of_document(document)
    present = history.present()
    later = history.entries_since(begin)
    times = {end, *(entry.at for entry in later if entry.at < end)}
    readers = {reader for at in times for reader in history.at(at, present, later).readers()}
    named = last_names({reader.who for reader in readers})
    return DocumentAccessHistory(
        readers=tuple(
            sorted(
                (PermittedReader(who=each.who, why=each.why, name=named.get(each.who, "")) for each in readers),
                key=lambda each: (each.who != ANYBODY, each.name, each.who, each.why),
            )
        ),
        deeds=tuple(history.deeds_before(end)),
    )


@dataclass(frozen=True, kw_only=True)
class _Rows:
    """What decides who reads the document: rows by id, as `AuditRule.present` has them."""

    documents: dict[str, Columns]
    bases: dict[str, Columns]
    base_members: dict[str, Columns]
    grants: dict[str, Columns]
    plugins: dict[str, Columns]
    roles: dict[str, dict[str, Columns]]
    memberships: dict[str, Columns]
    people: dict[str, Columns]
    # Of rows by their id: the plugin of a grant, the organisation and the person of a membership.
    grant_plugins: dict[str, str]
    members: dict[str, tuple[str, str]]


@dataclass(frozen=True, kw_only=True)
class _State(_Rows):
    """The rows as they were at one time."""

    at: datetime
    document_id: str
    base_id: int

    @property
    def document(self) -> Columns | None:
        return self.documents.get(self.document_id)

    @property
    def base(self) -> Columns | None:
        return self.bases.get(str(self.base_id))

    def readers(self) -> Iterable[PermittedReader]:
        """The people who could read the document; none if it did not exist."""
        if self.document is None or self.base is None or self.document["removed_in"] is not None:
            return
        # The database gives the base of a plugin the owner of the plugin, without an entry of its own.
        owner = self.plugins.get(str(self.base["plugin_id"]), self.base)["owner_id"]
        yield from self._active(owner, "owns the knowledge base")
        if self.base["kind"] != BaseKind.PLUGIN:
            for pk, member in self.base_members.items():
                yield PermittedReader(
                    who=f"member:{pk}", why=f"let in as {member['role']}, once the address was confirmed"
                )
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

    def _active(self, pk: str, why: str) -> Iterable[PermittedReader]:
        if self.people.get(pk, {"is_active": False})["is_active"]:
            yield PermittedReader(who=f"person:{pk}", why=why)

    def _people_of(self, plugin: str, why: str) -> Iterable[PermittedReader]:
        if plugin not in self.plugins:
            return
        yield from self._active(self.plugins[plugin]["owner_id"], f"{why} {plugin} as owner")
        for pk, columns in self.roles.get(plugin, {}).items():
            if columns["role"]:
                yield from self._active(pk, f"{why} {plugin} as {columns['role']}")
        owner = self.plugins[plugin].get("organisation_id")  # plugins of earlier versions had none
        for row, columns in self.memberships.items():
            organisation, pk = self.members[row]
            if organisation == owner and columns["role"] in READING_ROLES:
                yield from self._active(pk, f"{why} {plugin} as {columns['role']} of organisation {organisation}")

    def _public(self, pk: str, consent: str) -> Iterable[PermittedReader]:
        """What the plugin shows to everybody: quotations where it was published, pages where it was shared as well."""
        plugin = self.plugins.get(pk)
        if not plugin or not plugin["is_published"] or consent == Consent.DRAFT or self.document is None:
            return
        seen = plugin.get("visibility", Visibility.MARKETPLACE)  # plugins of earlier versions had none
        if seen == Visibility.PEOPLE:
            return
        releases = Release.objects.filter(plugin=uuid.UUID(pk))
        release = releases.filter(created_at__lte=self.at).order_by("-created_at").first()
        if release and all(pin["knowledge_base"] != self.base_id for pin in release.knowledge):
            return
        only_public = release.public_only if release else plugin["public_only"]
        is_open = self.document["is_public"] and not self.document["is_template"]
        if is_open or not only_public:
            yield PermittedReader(who=ANYBODY, why=f"quotations in answers of published plugin {pk}")
        is_narrowed = plugin["public_chat"] or only_public
        is_copied = plugin["is_shared"] and consent == Consent.SHARED and seen in WITH_PAGE
        if is_copied and (is_open or not is_narrowed):
            yield PermittedReader(who=ANYBODY, why=f"pages and copies of shared plugin {pk}")


@dataclass(frozen=True, kw_only=True)
class _History:
    """The document, its base, the plugins that ever read it, and the organisations that ever owned one of these."""

    document: str
    base: int
    plugins: frozenset[str]
    organisations: frozenset[uuid.UUID]

    @classmethod
    def of_document(cls, document: uuid.UUID) -> _History:
        """Raises `UnknownToTheLog`."""
        known = Document.objects.filter(pk=document).values_list("knowledge_base_id", flat=True).first()
        entries = AuditEntry.objects.filter(object=f"document:{document}").exclude(subject="")
        base = known or next((int(entry.subject_id) for entry in entries[:1]), None)
        if base is None:
            raise UnknownToTheLog
        own = KnowledgeBase.objects.filter(pk=base, plugin__isnull=False).values_list("plugin", flat=True)
        granted = KnowledgeGrant.objects.filter(knowledge_base=base).values_list("plugin", flat=True)
        logged = AuditEntry.objects.filter(object=f"base:{base}", subject__startswith="plugin:")
        plugins = frozenset({*map(str, own), *map(str, granted), *(entry.subject_id for entry in logged)})
        return cls(document=str(document), base=base, plugins=plugins, organisations=_owning_organisations(plugins))

    def entries_since(self, since: datetime) -> list[AuditEntry]:
        """What the log has of all this, and of who runs the site, newest first."""
        found = AuditEntry.objects.filter(Q(object__in=self._objects()) | Q(action__in=_PERSON_ACTIONS))
        return list(found.filter(at__gte=since, number__isnull=False).order_by("-number"))

    def deeds_before(self, end: datetime) -> QuerySet[AuditEntry]:
        """What the log has of all this, oldest first."""
        found = AuditEntry.objects.filter(object__in=self._objects(), at__lt=end, number__isnull=False)
        return found.order_by("number")

    def _objects(self) -> list[str]:
        plugins = (f"plugin:{pk}" for pk in self.plugins)
        organisations = (f"organisation:{pk}" for pk in self.organisations)
        return [f"document:{self.document}", f"base:{self.base}", *plugins, *organisations]

    def present(self) -> _Rows:
        """As the database has them now. Read them before the entries that are undone in them."""
        grants = KnowledgeGrant.objects.filter(knowledge_base=self.base)
        memberships = Membership.objects.filter(organisation__in=self.organisations)
        return _Rows(
            documents=Document.audit_rule.present(Document.objects.filter(pk=self.document)),
            bases=KnowledgeBase.audit_rule.present(KnowledgeBase.objects.filter(pk=self.base)),
            base_members=BaseMember.audit_rule.present(BaseMember.objects.filter(knowledge_base=self.base)),
            grants=KnowledgeGrant.audit_rule.present(grants),
            plugins=Plugin.audit_rule.present(Plugin.objects.filter(pk__in=self.plugins)),
            roles=_roles_on(self.plugins),
            memberships=Membership.audit_rule.present(memberships),
            people=User.audit_rule.present(User.objects.all()),
            grant_plugins={str(pk): str(plugin) for pk, plugin in grants.values_list("pk", "plugin")},
            members={
                str(pk): (str(organisation), str(person))
                for pk, organisation, person in memberships.values_list("pk", "organisation", "user")
            },
        )

    def at(self, moment: datetime, present: _Rows, later: Sequence[AuditEntry]) -> _State:
        """Just before the moment. `later`: all entries since, and maybe before."""
        since = [entry for entry in later if entry.at >= moment]

        def of(*actions: Action) -> list[AuditEntry]:
            return [entry for entry in since if entry.action in actions]

        return _State(
            at=moment,
            document_id=self.document,
            base_id=self.base,
            documents=rows_before(present.documents, of(*_DOCUMENT_ACTIONS)),
            bases=rows_before(present.bases, of(*_BASE_ACTIONS)),
            base_members=rows_before(present.base_members, of(*_MEMBER_ACTIONS)),
            grants=rows_before(present.grants, of(*_GRANT_ACTIONS)),
            plugins=rows_before(present.plugins, of(*_PLUGIN_ACTIONS)),
            roles={pk: _undo_roles(roles, pk, of(*_ROLE_ACTIONS)) for pk, roles in present.roles.items()},
            memberships=rows_before(present.memberships, of(*_MEMBERSHIP_ACTIONS)),
            people=rows_before(present.people, of(*_PERSON_ACTIONS)),
            grant_plugins=present.grant_plugins
            | {entry.row_id: entry.subject_id for entry in later if entry.action in _GRANT_ACTIONS},
            members=present.members
            | {
                entry.row_id: (entry.object_id, entry.subject_id)
                for entry in later
                if entry.action in _MEMBERSHIP_ACTIONS
            },
        )


def _roles_on(plugins: Iterable[str]) -> dict[str, dict[str, Columns]]:
    """What each person has on each of these plugins."""
    roles: dict[str, dict[str, Columns]] = {pk: {} for pk in plugins}
    for (plugin, person), role in present_roles().items():
        if plugin in roles:
            roles[plugin][person] = {"role": role}
    return roles


def _undo_roles(roles: dict[str, Columns], plugin: str, entries: Iterable[AuditEntry]) -> dict[str, Columns]:
    of_plugin = (each for each in entries if each.object == f"plugin:{plugin}")
    return rows_before(roles, of_plugin, key=attrgetter("subject_id"))


def _owning_organisations(plugins: Iterable[str]) -> frozenset[uuid.UUID]:
    """Of any of these plugins, now or at any time that the log knows."""
    now = Plugin.objects.filter(pk__in=plugins, organisation__isnull=False).values_list("organisation", flat=True)
    entries = AuditEntry.objects.filter(object__in=[f"plugin:{pk}" for pk in plugins])
    logged = entries.values_list("details__was__organisation_id", "details__now__organisation_id")
    return frozenset(uuid.UUID(str(pk)) for pk in (*now, *(pk for pair in logged for pk in pair)) if pk)
