import os
from pathlib import Path

from lexic.settings import *  # noqa: F403
from lexic.settings import CACHES, CELERY_BROKER_URL, DATABASES, METRICS, MIDDLEWARE

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
ACCOUNT_RATE_LIMITS = False
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
SERVESTATIC_USE_FINDERS = True
_STATIC = "servestatic.middleware.ServeStaticMiddleware"
MIDDLEWARE = [{_STATIC: "tests.static_files.static_files"}.get(name, name) for name in MIDDLEWARE]
ALLOWED_HOSTS = ["*"]

# A worker that a test starts as a process of its own works on the test's database.
if database := os.environ.get("LEXIC_TEST_DATABASE"):
    DATABASES["default"]["NAME"] = database

# Test processes that run side by side share one Redis: each has a database of its own for its messages.
_process = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
CELERY_BROKER_URL = f"{CELERY_BROKER_URL}?virtual_host={2 + _process % 14}"
CACHES["default"]["KEY_PREFIX"] = f"gw{_process}"
# What one test worked out must not be what another is shown.
CACHES["process"] = {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}
# Thousands of requests of one run come from one address.
READER_PER_MINUTE = 10**9
# An answer that nobody reads any more is stopped sooner than on a site, so that tests need not wait.
RESUME_SECONDS = 1
# As tests.embedded_services has it, without which nobody counts here.
METRICS = {**METRICS, "folder": Path(os.environ.get("PROMETHEUS_MULTIPROC_DIR") or METRICS["folder"])}
