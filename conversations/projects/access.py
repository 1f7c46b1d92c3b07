"""Finds a project among those that a person may see, change or own. The site and the API use the same rule."""

from __future__ import annotations

from uuid import UUID

from accounts.models import Principal
from conversations.projects.models import Project
from lexic.errors import NotAllowed, NotFound


class UnknownProject(NotFound):
    """There is no such project among yours."""

    code = "unknown_project"


class ReadOnlyProject(NotAllowed):
    """You may read this project but not change it."""

    code = "read_only"
    hint = "Ask its owner to make you an editor."


class NotProjectOwner(NotAllowed):
    """Only the owner of the project may do this."""

    code = "only_its_owner"


class OwnerMayNotLeave(NotAllowed):
    """The owner of a project does not leave it."""

    code = "owner_may_not_leave"
    hint = "Delete the project where it is needed no longer."


def find_project(principal: Principal, pk: UUID, *, for_editing: bool = False) -> Project:
    """The project with this person's `role`, to look at or to change. Raises `UnknownProject`, `ReadOnlyProject`."""
    project = Project.objects.visible_to(principal).as_seen_by(principal).filter(pk=pk).first()
    if project is None:
        raise UnknownProject
    if for_editing and project.role == "viewer":
        raise ReadOnlyProject
    return project


def find_own_project(principal: Principal, pk: UUID) -> Project:
    """The project, for what its owner alone may do. Raises `NotProjectOwner`, and what `find_project` raises."""
    project = find_project(principal, pk, for_editing=True)
    if project.role != "owner":
        raise NotProjectOwner
    return project


def find_shared_project(principal: Principal, pk: UUID) -> Project:
    """A project of another person of which this person is a member. Raises `UnknownProject`, `OwnerMayNotLeave`."""
    project = find_project(principal, pk)
    if project.role == "owner":
        raise OwnerMayNotLeave
    return project
