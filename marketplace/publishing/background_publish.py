"""Publishing by a worker: it asks the golden questions, keeps each result at once, and publishes at the end.

One worker works on a run; one that is interrupted goes on with the questions that are left. Whoever cancels it stops it
before the next question, and nothing is published.
"""

from __future__ import annotations

import logging
from uuid import UUID

from django.db import IntegrityError, transaction

from accounts.models import User
from audit.actor import on_behalf_of
from audit.references import person
from evaluation.eval_types import QuestionScores
from evaluation.golden import golden_dataset, golden_runs
from evaluation.scoring.scores_json import parse_scores, scores_as_json
from knowledge.lease import LeaseLost, confirm_held, try_lease
from lexic.errors import Conflict, LexicError
from lexic.publish_task import publish_task
from marketplace.models import PublishingRun
from marketplace.publishing.audience_change import AudienceChange
from marketplace.publishing.publish import (
    DraftChanged,
    NotReady,
    PublisherGone,
    make_release,
    publish_blockers,
    validated_version,
)
from marketplace.publishing.publishing_gate import gate_result
from plugins.history import log_change
from plugins.models import Plugin
from querying import releases
from querying.answering.llms import get_llm

logger = logging.getLogger(__name__)

# A worker that is killed so often at one question would be killed again.
MAX_STARTS = 3


class AlreadyPublishing(Conflict):
    """This plugin is being published already."""

    code = "already_publishing"
    hint = "Wait until it is done, or cancel it."


class WorkerKeepsStopping(LexicError):
    """Every worker that asked the next golden question stopped without a word, so nothing was published."""

    code = "worker_keeps_stopping"
    hint = "Change or delete the question and publish again; the operator’s logs say what stopped the workers."


class _Cancelled(Exception):
    """The run is not active any more."""


def start_publishing(
    plugin: Plugin, *, by: User, version: str | None = None, notes: str = "", audience: AudienceChange | None = None
) -> PublishingRun | None:
    """Has a worker run the golden questions and publish the draft as it is now. Who can see it changes to `audience`
    together with the release.

    None if there is nothing to wait for (no questions, a run of this very draft, or a model that costs money, which is
    never called without being asked for), or if no broker takes the message: then the caller publishes it directly.
    Raises `NotReady`, `InvalidVersion`, `VersionNotNew`, `AlreadyPublishing`.
    """
    draft = releases.snapshot(plugin)
    questions = plugin.golden_questions.count()
    if not questions or not golden_runs.can_run_unasked() or golden_runs.latest_matching_run(draft):
        return None
    if reasons := publish_blockers(plugin, golden=gate_result(plugin, has_worker=True)):
        raise NotReady(reasons)
    if version is not None:
        validated_version(version, plugin.latest_release())
    run = PublishingRun(
        plugin=plugin,
        requested_by=by,
        version=version or "",
        notes=notes,
        audience=audience.as_json() if audience else {},
        fingerprint=_as_kept(golden_dataset.run_fingerprint(draft, llm=get_llm()), has_audience=audience is not None),
        total=questions,
    )
    try:
        with transaction.atomic():
            plugin.publishing_runs.exclude(state__in=PublishingRun.ACTIVE).delete()
            run.save()
    except IntegrityError:
        raise AlreadyPublishing from None
    if publish_task("marketplace.publish_plugin", run_id=str(run.pk)):
        return run
    run.delete()
    return None


def continue_publishing(run_id: UUID) -> None:
    """Ask what is left of the golden questions, then publish. Nothing happens while another worker does, or once it is
    over: the same message may come twice."""
    with try_lease(f"publishing:{run_id}") as is_ours:
        run = PublishingRun.objects.active().select_related("plugin__owner", "requested_by").filter(pk=run_id).first()
        if not is_ours or run is None:
            return
        try:
            _count_start(run)
            _run_questions(run)
            _publish(run)
        except _Cancelled:
            logger.info("publishing %s was cancelled", run.plugin.slug)
        except LeaseLost as error:
            logger.warning("publishing %s goes on elsewhere: %s", run.plugin.slug, error.message)
        except LexicError as error:
            run.fail(error)
        except Exception:
            run.fail("It broke off, and nothing was published. Try again; the worker’s log says why.")
            raise


def _count_start(run: PublishingRun) -> None:
    """Raises `WorkerKeepsStopping`, which names the question, and `_Cancelled`."""
    if run.starts >= MAX_STARTS:
        raise WorkerKeepsStopping(_next_question(run))
    if not run.update_if_active(starts=run.starts + 1):
        raise _Cancelled


def _next_question(run: PublishingRun) -> str:
    known = {one["id"] for one in run.scores}
    questions = golden_dataset.golden_dataset(run.plugin).questions
    left = next((one.text for one in questions if one.id not in known), "")
    at = f" at the golden question “{left}”" if left else " behind the last golden question"
    return f"{MAX_STARTS} workers stopped without a word{at}, so nothing was published."


def _run_questions(run: PublishingRun) -> None:
    draft = releases.snapshot(run.plugin)
    if golden_dataset.run_fingerprint(draft, llm=get_llm()) != _as_computed(run.fingerprint):
        raise DraftChanged
    if not run.update_if_active(state=PublishingRun.State.ASKING):
        raise _Cancelled
    if golden_runs.latest_matching_run(draft) is None:
        golden_runs.run_golden(draft, journal=_RunJournal(run))


def _publish(run: PublishingRun) -> None:
    with transaction.atomic():
        # As both are now: the questions took a while.
        Plugin.objects.select_for_update(of=("self",)).get(pk=run.plugin_id)
        by = User.objects.filter(pk=run.requested_by_id).first()
        if by is None or not Plugin.objects.editable_by(by).contains(run.plugin):
            raise PublisherGone
        _publish_for(run, by=by)


def _publish_for(run: PublishingRun, *, by: User) -> None:
    with on_behalf_of(person(by)):
        confirm_held()
        done = make_release(
            run.plugin,
            by=by,
            version=run.version or None,
            notes=run.notes,
            audience=AudienceChange.from_json(run.audience) if run.audience else None,
            fingerprint=_as_computed(run.fingerprint),
        )
        # The evaluation run has the scores from now on.
        columns = {
            "state": PublishingRun.State.PUBLISHED,
            "release": done.release,
            "warning": done.warning,
            "scores": [],
        }
        if not run.update_if_active(**columns):  # cancelled at the last moment: the release is not made
            raise _Cancelled
        log_change(run.plugin, by=by, sentence=f"Published as {done.release.version}.")


def _as_kept(fingerprint: str, *, has_audience: bool) -> str:
    """In capitals where an audience belongs to the run. A worker of a version that knows no audiences would publish for
    the earlier one: so it finds that the draft has changed, and publishes nothing."""
    return fingerprint.upper() if has_audience else fingerprint


def _as_computed(kept: str) -> str:
    return kept.lower()


class _RunJournal:
    """Keeps the scores on the row of the run. Raises `_Cancelled` once it is not active any more."""

    def __init__(self, run: PublishingRun) -> None:
        self._run = run
        self._known = {one["id"]: one for one in run.scores}

    def find(self, question_id: str) -> QuestionScores | None:
        return parse_scores(self._known[question_id]) if question_id in self._known else None

    def add(self, scores: QuestionScores) -> None:
        if not self._run.update_if_active(scores=[*self._run.scores, scores_as_json(scores)], starts=0):
            raise _Cancelled
