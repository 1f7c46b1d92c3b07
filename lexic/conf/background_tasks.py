"""How Celery keeps and routes tasks. What needs Celery to be said is in `lexic.celery` and `lexic.periodic_tasks`."""

from __future__ import annotations

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
# Reading documents and reviewing contracts take long, and everything else is waited for: both have workers of their
# own. Backups have a queue of their own, which the readers take in turn with documents, so that no backup waits behind
# all of them. A worker that is not told which queue is its own serves all.
CELERY_TASK_DEFAULT_QUEUE, READING_QUEUE, REVIEW_QUEUE, BACKUP_QUEUE = "lexic", "reading", "reviews", "backups"
TASK_QUEUES = (CELERY_TASK_DEFAULT_QUEUE, READING_QUEUE, REVIEW_QUEUE, BACKUP_QUEUE)
CELERY_TASK_ROUTES = {
    # What finds documents whose message got lost must not wait behind all those whose message is there.
    "knowledge.resume_unfinished": {"queue": CELERY_TASK_DEFAULT_QUEUE, "routing_key": CELERY_TASK_DEFAULT_QUEUE},
    "knowledge.*": {"queue": READING_QUEUE, "routing_key": READING_QUEUE},
    "backups.*": {"queue": BACKUP_QUEUE, "routing_key": BACKUP_QUEUE},
    "contracts.review": {"queue": REVIEW_QUEUE, "routing_key": REVIEW_QUEUE},
    "api.work_on_batch": {"queue": REVIEW_QUEUE, "routing_key": REVIEW_QUEUE},
}
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BEAT_SCHEDULER = "lexic.beat_scheduler:Timetable"
