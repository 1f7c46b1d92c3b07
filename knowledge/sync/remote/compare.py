"""Compares what a remote source holds with the manifest: what is new, what changed, and what is gone.

A source that is away often answers all the same: with a page to sign in, an empty list, or half of itself. So one
answer in the place of several pages is not believed, and neither is it that most documents are gone, before a person
says so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from knowledge.models import SourceItem
from knowledge.sync.remote.remote_listing import RemoteFile, RemoteListing
from knowledge.sync.remote.source_errors import SourceEmpty

# Fewer may be more than half of a source without being an outage.
_MIN_HELD = 5
ONE_ANSWER = (
    "Several addresses now give one and the same page, as a page to sign in does. This document stays as it was."
)


@dataclass(kw_only=True)
class RemotePlan:
    """`touched` have the same bytes under another entity tag. `held` says why documents that seem to be gone were not
    retired; they are in `kept`, as is what could not be read now."""

    added: list[RemoteFile] = field(default_factory=list)
    changed: list[tuple[SourceItem, RemoteFile]] = field(default_factory=list)
    touched: list[tuple[SourceItem, RemoteFile]] = field(default_factory=list)
    renamed: list[tuple[SourceItem, RemoteFile]] = field(default_factory=list)
    removed: list[SourceItem] = field(default_factory=list)
    kept: dict[str, str] = field(default_factory=dict)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    unchanged: int = 0
    held: str = ""


def compare(items: Mapping[str, SourceItem], listing: RemoteListing, *, allows_removals: bool) -> RemotePlan:
    """What a sync has to do; with `allows_removals` a person has confirmed that what is gone is gone.

    Raises `SourceEmpty` for a source that suddenly has nothing.
    """
    live = {path: item for path, item in items.items() if item.live_document}
    if live and not allows_removals and not (listing.files or listing.same or listing.kept):
        raise SourceEmpty("The source, which had documents before, gives nothing that can be read.")
    plan = RemotePlan(kept=dict(listing.kept), left_out=list(listing.left_out))
    files = {one.path: one for one in listing.files}
    _compare_known(plan, live, files)
    # A page that is not believed may have led to others.
    is_whole = listing.is_whole and len(plan.kept) == len(listing.kept)
    gone = _gone_items(live, listing, is_whole=is_whole)
    _match_renamed(plan, gone, files)
    _compare_new(plan, live, files)
    _retire(plan, gone, total=len(live), allows_removals=allows_removals)
    plan.unchanged = len(plan.touched) + len(listing.same & set(live))
    return plan


def _compare_known(plan: RemotePlan, live: Mapping[str, SourceItem], files: dict[str, RemoteFile]) -> None:
    changed: dict[str, list[tuple[SourceItem, RemoteFile]]] = defaultdict(list)
    for path in [path for path in files if path in live]:
        item, file = live[path], files.pop(path)
        if item.sha256 == file.sha256:
            plan.touched.append((item, file))
        else:
            changed[file.sha256].append((item, file))
    for pairs in changed.values():
        if len(pairs) > 1:
            plan.kept |= {item.path: ONE_ANSWER for item, _ in pairs}
        else:
            plan.changed += pairs


def _gone_items(live: Mapping[str, SourceItem], listing: RemoteListing, *, is_whole: bool) -> dict[str, SourceItem]:
    known = {one.path for one in listing.files} | listing.same | set(listing.kept)
    left_out = {path for path, _ in listing.left_out}
    return {
        path: item
        for path, item in live.items()
        if path not in known and (is_whole or path in listing.gone or path in left_out)
    }


def _match_renamed(plan: RemotePlan, gone: dict[str, SourceItem], files: dict[str, RemoteFile]) -> None:
    """The same bytes under another path are the same document."""
    by_hash = {item.sha256: path for path, item in gone.items()}
    for path, file in list(files.items()):
        if (old := by_hash.pop(file.sha256, None)) is not None:
            plan.renamed.append((gone.pop(old), files.pop(path)))


def _compare_new(plan: RemotePlan, live: Mapping[str, SourceItem], files: Mapping[str, RemoteFile]) -> None:
    taken = {item.sha256: path for path, item in live.items()} | {file.sha256: file.path for _, file in plan.changed}
    for path, file in files.items():
        if file.sha256 in taken:
            plan.left_out.append((path, f"the same as {taken[file.sha256]}"))
        else:
            taken[file.sha256] = path
            plan.added.append(file)


def _retire(plan: RemotePlan, gone: dict[str, SourceItem], *, total: int, allows_removals: bool) -> None:
    is_much = len(gone) == total or (len(gone) >= _MIN_HELD and len(gone) > total / 2)
    if gone and is_much and not allows_removals:
        plan.held = (
            f"{len(gone)} of its {total} documents are not there any more. None was retired, because a source that is "
            "out of order looks like this: confirm it if they are gone."
        )
        plan.kept |= dict.fromkeys(gone, "It is not there any more, and waits to be confirmed.")
    else:
        plan.removed = list(gone.values())
