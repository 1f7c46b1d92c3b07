"""How Celery keeps and routes tasks, and the timetable of those that come again and again."""

from __future__ import annotations

from celery.schedules import crontab
from kombu.entity import Exchange, Queue

CELERY_TASK_IGNORE_RESULT = True  # progress and results live in our own tables
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 5
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = True
CELERY_WORKER_MAX_MEMORY_PER_CHILD = 1_500_000  # in kB; a child above it is replaced after its task
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # a worker waits for its broker as long as it takes
CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 900, "socket_timeout": 1.0, "socket_connect_timeout": 1.0}
# Reading documents, backups and reviewing contracts take long, and everything else is waited for: they have workers of
# their own.
# One that is not told which queue is its own serves all.
CELERY_TASK_DEFAULT_QUEUE, READING_QUEUE, REVIEW_QUEUE = "lexic", "reading", "reviews"
CELERY_TASK_QUEUES = [
    Queue(name, Exchange(name), routing_key=name)  # type: ignore[no-untyped-call]
    for name in (CELERY_TASK_DEFAULT_QUEUE, READING_QUEUE, REVIEW_QUEUE)
]
CELERY_TASK_ROUTES = {
    # What finds documents whose message got lost must not wait behind all those whose message is there.
    "knowledge.resume_unfinished": {"queue": CELERY_TASK_DEFAULT_QUEUE, "routing_key": CELERY_TASK_DEFAULT_QUEUE},
    "knowledge.*": {"queue": READING_QUEUE, "routing_key": READING_QUEUE},
    "backups.*": {"queue": READING_QUEUE, "routing_key": READING_QUEUE},
    "contracts.review": {"queue": REVIEW_QUEUE, "routing_key": REVIEW_QUEUE},
    "api.work_on_batch": {"queue": REVIEW_QUEUE, "routing_key": REVIEW_QUEUE},
}
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BEAT_SCHEDULER = "lexic.beat_scheduler:Timetable"
CELERY_BEAT_SCHEDULE = {
    "resume-unfinished-documents": {
        "task": "knowledge.resume_unfinished",
        "schedule": 20.0,
        "options": {"expires": 20},
    },
    "resume-runs": {"task": "agents.resume_interrupted", "schedule": 20.0, "options": {"expires": 20}},
    "sync-sources": {"task": "knowledge.sync_sources", "schedule": 900.0, "options": {"expires": 900}},
    "prune-knowledge": {"task": "knowledge.prune_knowledge", "schedule": 3600.0},
    "resume-reviews": {"task": "contracts.resume", "schedule": 20.0, "options": {"expires": 20}},
    "resume-publishing": {"task": "marketplace.resume_publishing", "schedule": 60.0, "options": {"expires": 60}},
    "pick-up-deliveries": {"task": "webhooks.pick_up", "schedule": 20.0, "options": {"expires": 20}},
    "revoke-google-tokens": {"task": "connectors.revoke_tokens", "schedule": 300.0, "options": {"expires": 300}},
    "refresh-listings": {"task": "marketplace.refresh_listings", "schedule": 300.0, "options": {"expires": 300}},
    "forget-conversations": {"task": "conversations.forget", "schedule": 3600.0},
    "forget-shared-files": {"task": "marketplace.forget_shared_files", "schedule": 3600.0},
    "recount-reviews": {"task": "marketplace.recount_reviews", "schedule": 3600.0},
    "erase-old-questions": {"task": "marketplace.erase_old_questions", "schedule": 3600.0},
    "sweep-storage": {"task": "marketplace.sweep_storage", "schedule": 6 * 3600.0},
    # By the clock (UTC) and one after the other: an interval of a day would begin anew with each deployment.
    "make-backup": {"task": "backups.create", "schedule": crontab(minute=30, hour=1), "options": {"expires": 3600}},
    "verify-audit-log": {"task": "audit.verify", "schedule": crontab(minute=0, hour=3), "options": {"expires": 3600}},
    "prune-audit-log": {"task": "audit.prune", "schedule": crontab(minute=30, hour=3), "options": {"expires": 3600}},
    "verify-backup": {
        "task": "backups.verify",
        "schedule": crontab(minute=0, hour=4, day_of_week="sunday"),
        "options": {"expires": 3600},
    },
    "resume-batches": {"task": "api.resume_batches", "schedule": 20.0, "options": {"expires": 20}},
    "send-notifications": {
        "task": "notifications.send_due",
        "schedule": crontab(minute=7),
        "options": {"expires": 3000},
    },
    "forget-tokens": {"task": "accounts.forget_tokens", "schedule": 3600.0},
    "forget-requests": {"task": "api.forget_requests", "schedule": 3600.0},
    "forget-deliveries": {"task": "webhooks.forget_deliveries", "schedule": 3600.0},
}
