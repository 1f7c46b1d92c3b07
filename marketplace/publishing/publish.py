"""Publishing makes a release: an immutable snapshot that agents ask from then on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from accounts.models import User
from evaluation.golden import golden_dataset, golden_runs
from evaluation.plugin_counts import PluginCounts, counts_by_plugin
from knowledge.models import Consent
from lexic.errors import Conflict, InvalidInput, LexicError, NotFound
from lexic.publish_task import publish_task
from marketplace.listings.update_listing import update_and_enqueue_listing
from marketplace.models import PublishingRun
from marketplace.publishing.approval import approval_blocker
from marketplace.publishing.audience_change import AudienceChange, save_audience_with_release
from marketplace.publishing.knowledge_consent import consent_blockers
from marketplace.publishing.publishing_gate import GateResult, gate_result, gate_result_for_run
from plugins.models import SEMVER, AnswerPolicy, Plugin, PublishingBlocked, Release
from querying import releases
from querying.answering.llms import get_llm
from webhooks import outbox
from webhooks.models import Event

# After a day nobody waits for topics of the inbox to close; the next release closes them.
_DAY = 86_400


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


class PublisherGone(NotFound):
    """The person who asked to publish may not change this plugin any more, so nothing was published."""

    code = "publisher_gone"
    hint = "Somebody who may change it can publish it."


class InvalidVersion(InvalidInput):
    """A version looks like 1.2.0."""

    code = "invalid_version"
    hint = "Three whole numbers with full stops between them; or leave it out to get the next one."


class VersionNotNew(Conflict):
    """The version is not newer than the latest one."""

    code = "version_not_new"


class DraftChanged(Conflict):
    """The draft or its golden questions were changed while they were run, so nothing was published."""

    code = "draft_changed"
    hint = "Publish again: the golden questions are then run on the draft as it is now."


@dataclass(frozen=True, kw_only=True)
class Publication:
    """`warning` is what the golden gate has to say, empty where it has nothing."""

    release: Release
    is_new: bool
    warning: str = ""


def publish(
    plugin: Plugin, *, by: User, version: str | None = None, notes: str = "", audience: AudienceChange | None = None
) -> Publication:
    """Release the plugin as it stands, and let agents ask it. Who can see it changes to `audience` together with the
    release, or not at all.

    Its golden questions are run before, where nobody has: the release keeps their scorecard and the curve of
    confidence fitted on them. Where the plugin's gate blocks, enough of them have to pass; where it warns, the
    publication says so.

    Publishing twice what has not changed gives the release that exists, unless another version is asked for.
    Raises `NotReady` with every reason, `InvalidVersion` and `VersionNotNew`, `PublisherGone` where `by` lost the
    right to change the plugin while the questions were run, and what `save_audience_with_release` raises.
    """
    might_edit = Plugin.objects.editable_by(by).contains(plugin)
    # Outside the transaction: asking takes seconds, and nobody else should wait for the plugin's row meanwhile.
    if plugin.golden_questions.exists() and not publish_blockers(plugin):
        golden_runs.ensure_draft_run(plugin)
    with transaction.atomic():
        if might_edit and not Plugin.objects.select_for_update(of=("self",)).editable_by(by).contains(plugin):
            raise PublisherGone
        done = make_release(plugin, by=by, version=version, notes=notes, audience=audience)
        PublishingRun.objects.filter(plugin=plugin).cancel()
        return done


def make_release(
    plugin: Plugin,
    *,
    by: User,
    version: str | None = None,
    notes: str = "",
    audience: AudienceChange | None = None,
    fingerprint: str | None = None,
) -> Publication:
    """What `publish` does once the golden questions are run. Raises `DraftChanged` where the draft and its golden
    questions are not those of this `fingerprint` (`evaluation.golden.golden_dataset.run_fingerprint`)."""
    with transaction.atomic():
        plugin = Plugin.objects.select_for_update().get(pk=plugin.pk)
        draft = releases.snapshot(plugin)
        if fingerprint not in (None, golden_dataset.run_fingerprint(draft, llm=get_llm())):
            raise DraftChanged
        run = golden_runs.latest_matching_run(draft)
        golden = gate_result_for_run(plugin, run=run)
        if reasons := publish_blockers(plugin, golden=golden):
            raise NotReady(reasons)
        # The curve of this very content or none: an older one would claim what nobody has checked.
        golden_runs.store_calibration(plugin, run.calibration if run else None)
        release, latest = releases.snapshot(plugin), plugin.latest_release()
        if reason := approval_blocker(plugin, release=release):  # of exactly what is published
            raise NotReady([reason])
        if audience:
            save_audience_with_release(plugin, audience, release=release, by=by)
        if latest and version in (None, latest.version) and has_same_content(release, latest):
            make_live(plugin, latest, is_news=not plugin.is_published)
            return Publication(release=latest, is_new=False, warning=golden.warning)
        release.version = next_version(plugin) if version is None else validated_version(version, latest)
        release.notes, release.created_by = notes, by
        release.scorecard = golden_runs.build_scorecard(run) if run else {}
        release.save()
        make_live(plugin, release)
        plugin.keep_next_notes("")
        return Publication(release=release, is_new=True, warning=golden.warning)


def make_live(plugin: Plugin, release: Release, *, is_news: bool = True, returns_to: Release | None = None) -> None:
    """Agents get this release from now on, the listing shows it, and webhooks are told where it `is_news`. Called in
    the transaction that made the release; `returns_to` is the earlier one that it repeats. Raises
    `PublishingBlocked`."""
    plugin.set_live_release(release)
    update_and_enqueue_listing(plugin)
    if is_news:
        close = partial(publish_task, "marketplace.close_answered", plugin_id=str(plugin.pk), expires=_DAY)
        transaction.on_commit(close)
        data = {
            "release": {"id": str(release.pk), "version": release.version, "notes": release.notes},
            "returnsTo": returns_to.version if returns_to else None,
        }
        outbox.record_event([plugin.pk], kind=Event.RELEASE_PUBLISHED, data=data)


def next_version(plugin: Plugin) -> str:
    """The version that the next release gets unless another one is asked for."""
    latest = plugin.latest_release()
    if latest is None:
        return "1.0.0"
    major, minor, _ = _version_numbers(latest.version)
    return f"{major}.{minor + 1}.0"


def latest_if_unchanged(plugin: Plugin) -> Release | None:
    """The latest release where the draft has its content, so that publishing would return it again; else None."""
    latest = plugin.latest_release()
    return latest if latest and has_same_content(releases.snapshot(plugin), latest) else None


def publish_blockers(
    plugin: Plugin, *, golden: GateResult | None = None, counts: PluginCounts | None = None
) -> list[str]:
    """What still blocks publishing, each a sentence. `golden` and `counts` spare looking again."""
    reasons, counts = _policy_errors(plugin), counts or counts_by_plugin([plugin])[plugin.pk]
    if plugin.is_held:
        reasons.insert(0, PublishingBlocked().message_with_hint)
    if not plugin.system_prompt.strip():
        reasons.append("It has no persona.")
    if not counts.answering:
        reasons.append("None of its documents is ready.")
    if counts.unfinished:
        verb = "is" if counts.unfinished == 1 else "are"
        reasons.append(f"{counts.unfinished} of its documents {verb} still being read.")
    if counts.unverified:
        unverified = f"{counts.unverified} of its documents are not verified against their files."
        reasons.append(f"{unverified} Read them again, or remove them.")
    reasons += [*counts.tree_problems, *consent_blockers(plugin, least=Consent.PUBLISHED)]
    gates = ((golden or gate_result(plugin)).reason, approval_blocker(plugin))
    return [*reasons, *filter(None, gates)]


def has_same_content(one: Release, other: Release) -> bool:
    same_policy = one.policy() == other.policy()
    return same_policy and one.trees == other.trees and one.knowledge == other.knowledge


def _policy_errors(plugin: Plugin) -> list[str]:
    """The persona has a sentence of its own; without a disclaimer one can do."""
    names = [name for name in AnswerPolicy.policy_fields() if name != "system_prompt"]
    others = [field.name for field in plugin._meta.fields if field.name not in names]
    try:
        plugin.clean_fields(exclude=others)
    except ValidationError as error:
        labels = {field.name: field.verbose_name for field in plugin._meta.fields}
        return [f"Its {labels[name]}: {reasons[0]}" for name, reasons in error.message_dict.items()]
    return []


def validated_version(version: str, latest: Release | None) -> str:
    """The version. Raises `InvalidVersion` and `VersionNotNew`."""
    try:
        SEMVER(version)
    except ValidationError:
        raise InvalidVersion from None
    if latest and _version_numbers(version) <= _version_numbers(latest.version):
        raise VersionNotNew(f"{version} is not newer than {latest.version}, the latest version.")
    return version


def _version_numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in version.split("."))
