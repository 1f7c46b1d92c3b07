"""Publishing makes a release: an immutable snapshot that agents ask from then on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from accounts.models import User
from lexic.errors import Conflict, InvalidInput, LexicError
from marketplace.announce import announce
from marketplace.catalogue.listing import listed_anew
from marketplace.golden_gate import Verdict, verdict, verdict_on
from plugins.models import SEMVER, AnswerPolicy, IsHeld, Plugin, Release
from querying import releases
from querying.counts import Counts, counts_of
from querying.evaluation import runs


class NotReady(LexicError):
    """The plugin cannot be published yet."""

    code = "not_ready"
    status = 409

    def __init__(self, reasons: list[str]) -> None:
        self.reasons = reasons
        super().__init__(f"The plugin cannot be published yet: {' '.join(reasons)}")

    def as_dict(self) -> dict[str, Any]:
        """Each reason by itself as well, under `missing`."""
        return {**super().as_dict(), "missing": self.reasons}


class InvalidVersion(InvalidInput):
    """A version looks like 1.2.0."""

    code = "invalid_version"
    hint = "Three whole numbers with full stops between them; or leave it out to get the next one."


class VersionNotNew(Conflict):
    """The version is not newer than the latest one."""

    code = "version_not_new"


@dataclass(frozen=True, kw_only=True)
class Publication:
    """`warning` is what the golden gate has to say, empty where it has nothing."""

    release: Release
    is_new: bool
    warning: str = ""


def publish(plugin: Plugin, *, by: User, version: str | None = None, notes: str = "") -> Publication:
    """Release the plugin as it stands, and let agents ask it.

    Its golden questions are run before, where nobody has: the release keeps their scorecard and the curve of
    confidence fitted on them. Where the plugin's gate blocks, enough of them have to pass; where it warns, the
    publication says so.

    Publishing twice what has not changed gives the release that exists, unless another version is asked for.
    Raises `NotReady` with every reason, `InvalidVersion` and `VersionNotNew`.
    """
    # Outside the transaction: asking takes seconds, and nobody else should wait for the plugin's row meanwhile.
    if plugin.golden_questions.exists() and not missing(plugin):
        runs.examined(plugin)
    with transaction.atomic():
        plugin = Plugin.objects.select_for_update().get(pk=plugin.pk)
        run = runs.run_of(releases.snapshot(plugin))
        golden = verdict_on(plugin, run=run)
        if reasons := missing(plugin, golden=golden):
            raise NotReady(reasons)
        # The curve of this very content or none: an older one would claim what nobody has checked.
        runs.keep_calibration(plugin, run.calibration if run else None)
        release, latest = releases.snapshot(plugin), plugin.latest_release()
        if latest and version in (None, latest.version) and decides_the_same(release, latest):
            if not plugin.is_published:
                announce(plugin, latest)
            plugin.go_live(latest)
            listed_anew(plugin)
            return Publication(release=latest, is_new=False, warning=golden.warning)
        release.version = next_version(plugin) if version is None else _checked(version, latest)
        release.notes, release.created_by = notes, by
        release.scorecard = runs.scorecard(run) if run else {}
        release.save()
        plugin.go_live(release)
        listed_anew(plugin)
        announce(plugin, release)
        return Publication(release=release, is_new=True, warning=golden.warning)


def next_version(plugin: Plugin) -> str:
    """The version that the next release gets unless another one is asked for."""
    latest = plugin.latest_release()
    if latest is None:
        return "1.0.0"
    major, minor, _ = _numbers(latest.version)
    return f"{major}.{minor + 1}.0"


def unchanged_since(plugin: Plugin) -> Release | None:
    """The latest release, where the plugin as it stands answers as that one does: publishing would give it again."""
    latest = plugin.latest_release()
    return latest if latest and decides_the_same(releases.snapshot(plugin), latest) else None


def missing(plugin: Plugin, *, golden: Verdict | None = None, counts: Counts | None = None) -> list[str]:
    """What still stands in the way of publishing, each a sentence. `golden` and `counts` spare looking again."""
    reasons, counts = _wrong_settings(plugin), counts or counts_of([plugin])[plugin.pk]
    if plugin.is_held:
        reasons.insert(0, f"{IsHeld().message} {IsHeld.hint}")
    if not plugin.system_prompt.strip():
        reasons.append("It has no persona.")
    if not counts.answering:
        reasons.append("None of its documents is ready.")
    if counts.unfinished:
        reasons.append(f"{counts.unfinished} of its documents are still being read.")
    reasons += counts.tree_problems
    held_back = (golden or verdict(plugin)).reason
    return [*reasons, held_back] if held_back else reasons


def decides_the_same(one: Release, other: Release) -> bool:
    same_policy = one.policy() == other.policy()
    return same_policy and one.trees == other.trees and one.knowledge == other.knowledge


def _wrong_settings(plugin: Plugin) -> list[str]:
    """The persona has a sentence of its own; without a disclaimer one can do."""
    names = [name for name in AnswerPolicy.policy_fields() if name != "system_prompt"]
    others = [field.name for field in plugin._meta.fields if field.name not in names]
    try:
        plugin.clean_fields(exclude=others)
    except ValidationError as error:
        labels = {field.name: field.verbose_name for field in plugin._meta.fields}
        return [f"Its {labels[name]}: {reasons[0]}" for name, reasons in error.message_dict.items()]
    return []


def _checked(version: str, latest: Release | None) -> str:
    try:
        SEMVER(version)
    except ValidationError:
        raise InvalidVersion from None
    if latest and _numbers(version) <= _numbers(latest.version):
        raise VersionNotNew(f"{version} is not newer than {latest.version}, the latest version.")
    return version


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in version.split("."))
