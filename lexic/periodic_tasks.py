"""The tasks that Celery starts by the clock, and when."""

from __future__ import annotations

from celery.schedules import crontab

# Each expires at the latest when the next of its kind comes: what has waited while no worker was there is done once,
# and not as often as it was due. What deletes by a period of retention may wait for three hours, so that it is done
# behind a backlog of more than one too: three messages of a kind at most pile up.
_RETENTION_WAIT = 3 * 3600
PERIODIC_TASKS = {
    "resume-unfinished-documents": {
        "task": "knowledge.resume_unfinished",
        "schedule": 20.0,
        "options": {"expires": 20},
    },
    "resume-runs": {"task": "agents.resume_interrupted", "schedule": 20.0, "options": {"expires": 20}},
    "sync-sources": {"task": "knowledge.sync_sources", "schedule": 900.0, "options": {"expires": 900}},
    "prune-knowledge": {
        "task": "knowledge.prune_knowledge",
        "schedule": 3600.0,
        "options": {"expires": _RETENTION_WAIT},
    },
    "resume-reviews": {"task": "contracts.resume", "schedule": 20.0, "options": {"expires": 20}},
    "resume-publishing": {"task": "marketplace.resume_publishing", "schedule": 60.0, "options": {"expires": 60}},
    "resume-golden-runs": {"task": "evaluation.resume_golden_runs", "schedule": 60.0, "options": {"expires": 60}},
    "pick-up-deliveries": {"task": "webhooks.pick_up", "schedule": 20.0, "options": {"expires": 20}},
    "revoke-google-tokens": {"task": "connectors.revoke_tokens", "schedule": 300.0, "options": {"expires": 300}},
    "refresh-listings": {"task": "marketplace.refresh_listings", "schedule": 300.0, "options": {"expires": 300}},
    "forget-conversations": {
        "task": "conversations.forget",
        "schedule": 3600.0,
        "options": {"expires": _RETENTION_WAIT},
    },
    "forget-shared-files": {
        "task": "marketplace.forget_shared_files",
        "schedule": 3600.0,
        "options": {"expires": _RETENTION_WAIT},
    },
    "recount-reviews": {"task": "marketplace.recount_reviews", "schedule": 3600.0, "options": {"expires": 3600}},
    "erase-old-questions": {
        "task": "marketplace.erase_old_questions",
        "schedule": 3600.0,
        "options": {"expires": _RETENTION_WAIT},
    },
    "sweep-storage": {"task": "marketplace.sweep_storage", "schedule": 6 * 3600.0, "options": {"expires": 6 * 3600}},
    # By the clock (UTC) and one after the other: an interval of a day would begin anew with each deployment.
    # A backup that comes late is better than none: it may wait until the next one is due.
    "make-backup": {
        "task": "backups.create",
        "schedule": crontab(minute=30, hour=1),
        "options": {"expires": 23 * 3600},
    },
    "verify-audit-log": {
        "task": "audit.verify",
        "schedule": crontab(minute=0, hour=3),
        "options": {"expires": 23 * 3600},
    },
    "prune-audit-log": {
        "task": "audit.prune",
        "schedule": crontab(minute=30, hour=3),
        "options": {"expires": 23 * 3600},
    },
    "verify-backup": {
        "task": "backups.verify",
        "schedule": crontab(minute=0, hour=4, day_of_week="sunday"),
        "options": {"expires": 23 * 3600},
    },
    "resume-batches": {"task": "api.resume_batches", "schedule": 20.0, "options": {"expires": 20}},
    "send-notifications": {
        "task": "notifications.send_due",
        "schedule": crontab(minute=7),
        "options": {"expires": 3000},
    },
    "forget-tokens": {"task": "accounts.forget_tokens", "schedule": 3600.0, "options": {"expires": _RETENTION_WAIT}},
    "forget-requests": {"task": "api.forget_requests", "schedule": 3600.0, "options": {"expires": _RETENTION_WAIT}},
    "forget-deliveries": {
        "task": "webhooks.forget_deliveries",
        "schedule": 3600.0,
        "options": {"expires": _RETENTION_WAIT},
    },
}
