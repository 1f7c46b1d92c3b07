"""Settings, all from the environment (see `.env.example`). With none set, everything runs from `var/`.

A value that makes no sense stops the start with a sentence that names the variable.
"""

from __future__ import annotations

import os
from decimal import Decimal

from environs import Env, ValidationError, validate

from lexic.conf import languages
from lexic.conf.admin_theme import UNFOLD as UNFOLD
from lexic.conf.agents import read_agent_settings
from lexic.conf.audit import read_audit
from lexic.conf.background_tasks import *  # noqa: F403
from lexic.conf.backups import read_backups
from lexic.conf.database import EMBEDDED_DATABASE as EMBEDDED_DATABASE
from lexic.conf.database import read_database, read_replica
from lexic.conf.egress import SOURCES_VARIABLE, SSO_VARIABLE, read_policy, read_webhook_policy
from lexic.conf.folders import BASE_DIR, read_data_folder, read_files_folder, read_folder, resolve_folder
from lexic.conf.language_models import read_language_models
from lexic.conf.logging import read_logging
from lexic.conf.metrics import read_metrics
from lexic.conf.model_prices import parse_prices
from lexic.conf.oauth import oauth_settings
from lexic.conf.quotas import read_quotas
from lexic.conf.redaction import read_redaction
from lexic.conf.rest_api import OPENAPI
from lexic.conf.rest_api import REST_FRAMEWORK as REST_FRAMEWORK
from lexic.conf.secret_keys import load_or_create_secret, read_fallbacks
from lexic.conf.service_urls import read_database_url, read_http_url, read_redis_url
from lexic.conf.sign_in import *  # noqa: F403
from lexic.conf.site_addresses import read_public_url, read_trusted_sites
from lexic.conf.social_providers import read_google_drive, read_social_providers, social_account_name
from lexic.conf.static_files import read_static_url, static_origins
from lexic.conf.storage import read_files_keys, read_storage
from lexic.conf.tracing import read_tracing
from lexic.http.origins import read_origin
from local import embedded_services

env = Env()
env.read_env(str(BASE_DIR / ".env"), recurse=False)

VAR_DIR = read_data_folder(env, "LEXIC_VAR_DIR", default=BASE_DIR / "var")
DEBUG = env.bool("LEXIC_DEBUG", False)

SECRET_KEY = load_or_create_secret(env, "SECRET_KEY", folder=VAR_DIR)
ENCRYPTION_KEY = load_or_create_secret(env, "ENCRYPTION_KEY", folder=VAR_DIR)
# What was signed or sealed under these is still believed and read. `manage.py rotate_keys` says when they can go.
SECRET_KEY_FALLBACKS = read_fallbacks(env, "SECRET_KEY", folder=VAR_DIR)
ENCRYPTION_KEY_FALLBACKS = read_fallbacks(env, "ENCRYPTION_KEY", folder=VAR_DIR)

ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS: list[str] = env.list("CSRF_TRUSTED_ORIGINS", [])
PUBLIC_URL = read_public_url(env)

# --- Apps -----------------------------------------------------------------------------------------------

INSTALLED_APPS = [
    "lexic",
    # Before our apps, which show some of its models in the builder in their own way.
    "allauth",
    "allauth.account",
    "lexic.apps.UnloadedSocialAccountConfig",
    "allauth.socialaccount.providers.google",
    "allauth.socialaccount.providers.github",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.mfa",
    "allauth.usersessions",
    "oauth2_provider",
    "audit",
    "accounts",
    "organisations",
    "plugins",
    "webhooks",
    "knowledge",
    "connectors",
    "trees",
    "querying",
    "contracts",
    "evaluation",
    "marketplace",
    "notifications",
    "conversations",
    "agents",
    "privacy",
    "backups",
    "api",
    "builder",
    "workspace",
    "rest_framework",
    "drf_spectacular",
    "django_htmx",
    "lexic.apps.UnloadedUnfoldConfig",
    "lexic.apps.UnloadedAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
]

MIDDLEWARE = [
    "lexic.middleware.request_id.request_id",
    "lexic.middleware.request_metrics.request_metrics",
    "plugins.visibility.unlisted_pages",
    "django.middleware.security.SecurityMiddleware",
    "lexic.middleware.csp.ContentSecurityPolicyMiddleware",
    # Static files wait for no view. Whatever reads the database comes behind the limit.
    "servestatic.middleware.ServeStaticMiddleware",
    "api.compression.JsonCompressionMiddleware",
    "lexic.middleware.interface_language.interface_language",
    "lexic.middleware.method_not_allowed.page_for_wrong_method",
    "lexic.middleware.sign_in_return.sign_in_returns_to_form",
    "lexic.middleware.request_limit.request_limit",
    "audit.actor.remember_request",
    "api.cors.cors",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "lexic.middleware.cache_control.private_cache_control",
    "lexic.middleware.trailing_slash.without_trailing_slash",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "api.throttling.rate_limit_headers",
]

STATIC_URL = read_static_url(env)
_OUR_FILES = ["'self'", *static_origins(STATIC_URL)]
# A browser loads our own files and nothing from another site: no inline script, no inline style, no `eval`.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": _OUR_FILES,
        "style-src": _OUR_FILES,
        "img-src": [*_OUR_FILES, "data:"],
        "font-src": _OUR_FILES,
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    }
}

ROOT_URLCONF = "lexic.urls"
WSGI_APPLICATION = "lexic.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            # Every page speaks several languages, and writes figures as they do.
            "builtins": ["django.templatetags.i18n", "django.templatetags.l10n", "lexic.templatetags.languages"],
        },
    }
]

# --- Database and broker: built in, or elsewhere by URL ----------------------------------------------------

DATABASE_URL = read_database_url(env, "DATABASE_URL")
# A copy of that database which searches may ask.
DATABASE_REPLICA_URL = read_database_url(env, "DATABASE_REPLICA_URL")
REDIS_URL = read_redis_url(env, "REDIS_URL")
_POOL_SIZE = env.int("LEXIC_DB_POOL", 0, validate=validate.Range(min=0, max=100))
DATABASES = {"default": read_database(DATABASE_URL, data_folder=VAR_DIR, pool_size=_POOL_SIZE)}
if DATABASE_REPLICA_URL:
    DATABASES["replica"] = read_replica(DATABASE_REPLICA_URL, data_folder=VAR_DIR, pool_size=_POOL_SIZE)

_redis_socket = embedded_services.Redis(VAR_DIR).socket
CELERY_BROKER_URL = REDIS_URL or f"redis+socket://{_redis_socket}"
CACHE_URL = REDIS_URL or f"unix://{_redis_socket}?db=1"
CACHES = {
    "default": {"BACKEND": "lexic.redis_cache.RedisCacheWithFallback", "LOCATION": CACHE_URL},
    # What every process may work out for itself again, and what must not wait for Redis.
    "process": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
}

# --- People -----------------------------------------------------------------------------------------------

EMAIL_BACKEND = env.str("EMAIL_BACKEND", "lexic.mail.FileEmailBackend")
# The mail server of Django's backend for SMTP.
EMAIL_HOST = env.str("EMAIL_HOST", "localhost")
EMAIL_PORT = env.int("EMAIL_PORT", 25, validate=validate.Range(min=1, max=65_535))
EMAIL_HOST_USER = env.str("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = env.str("EMAIL_HOST_PASSWORD", "")
# A server that does not answer holds nobody up for longer.
EMAIL_TIMEOUT = env.float("EMAIL_TIMEOUT", 10.0, validate=validate.Range(min=1, max=300))
EMAIL_USE_TLS = env.bool("EMAIL_USE_TLS", False)
EMAIL_USE_SSL = env.bool("EMAIL_USE_SSL", False)
if EMAIL_USE_TLS and EMAIL_USE_SSL:
    raise ValidationError("Set EMAIL_USE_TLS (STARTTLS) or EMAIL_USE_SSL, not both.")
# Only where people prove an address before they come in can sign-up be silent about who has an account.
ACCOUNT_EMAIL_VERIFICATION = env.str(
    "LEXIC_EMAIL_VERIFICATION",
    "optional" if EMAIL_BACKEND == "lexic.mail.FileEmailBackend" else "mandatory",
    validate=validate.OneOf(["mandatory", "optional", "none"]),
)
# A link ends where it was opened; a code is typed where somebody signed up, and takes them on to where they were going.
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = ACCOUNT_EMAIL_VERIFICATION == "mandatory"
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if env.bool("LEXIC_HTTPS", False) else "http"
# Limits are counted by address: behind a proxy, by the last one that it names.
ALLAUTH_TRUSTED_PROXY_COUNT = int(env.bool("LEXIC_BEHIND_PROXY", False))
SOCIALACCOUNT_PROVIDERS = read_social_providers(env)
GOOGLE_DRIVE = read_google_drive(env)
SOCIALACCOUNT_SOCIALACCOUNT_STR = social_account_name
EMAIL_FILE_PATH = VAR_DIR / "mail"
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", "Lexic <lexic@localhost>")
OAUTH2_PROVIDER = oauth_settings(PUBLIC_URL)
OPEN_AUTHORS = env.str("LEXIC_OPEN_AUTHORS", "on", validate=validate.OneOf(["on", "confirmed", "off"]))
API_KEY_REVEAL = env.bool("LEXIC_API_KEY_REVEAL", True)
# The most that people may give a key of theirs; superusers may give more in the builder.
KEY_MAX_PER_MINUTE = env.int("LEXIC_KEY_MAX_PER_MINUTE", 600, validate=validate.Range(min=1))
KEY_MAX_PER_DAY = env.int("LEXIC_KEY_MAX_PER_DAY", 50_000, validate=validate.Range(min=1))

# What accounts, plugins and the site may hold, and do at once.
QUOTAS = read_quotas(env)

# What one web process works on at once, and how many wait in line: questions, and requests until their view has
# returned. As many requests as the pool has connections: some views take seconds, and questions, which hold a
# connection for a tenth of one, share them.
ANSWERS_AT_ONCE = env.int("LEXIC_ANSWERS_AT_ONCE", min(4, os.cpu_count() or 2), validate=validate.Range(min=1))
ANSWER_QUEUE = env.int("LEXIC_ANSWER_QUEUE", 500, validate=validate.Range(min=0))
REQUESTS_AT_ONCE = env.int("LEXIC_REQUESTS_AT_ONCE", _POOL_SIZE or 8, validate=validate.Range(min=1))
REQUEST_QUEUE = env.int("LEXIC_REQUEST_QUEUE", 1000, validate=validate.Range(min=0))

# How long an answer is still written after the connection of its reader broke, so that the reader can fetch the rest.
RESUME_SECONDS = env.int("LEXIC_RESUME_SECONDS", 10, validate=validate.Range(min=0, max=300))

# What visitors without a key may ask of one plugin on its page: each of them, and all of them together.
VISITOR_PER_MINUTE = env.int("LEXIC_VISITOR_PER_MINUTE", 8, validate=validate.Range(min=0))
VISITOR_PER_DAY = env.int("LEXIC_VISITOR_PER_DAY", 20, validate=validate.Range(min=0))
VISITORS_PER_DAY = env.int("LEXIC_VISITORS_PER_DAY", 2_000, validate=validate.Range(min=0))

# The requests of one IP address to the parts of the API that need no key, in a minute.
READER_PER_MINUTE = env.int("LEXIC_READER_PER_MINUTE", 300, validate=validate.Range(min=1))


def _validate_origins(origins: list[str]) -> None:
    for origin in set(origins) - {"*"}:
        try:
            read_origin(origin)
        except ValueError as error:
            raise ValidationError(str(error)) from error


# Pages of these origins may call the API from a browser with any key; "*": of all. A key can name more for itself.
CORS_ORIGINS: list[str] = env.list("LEXIC_CORS_ORIGINS", [], validate=_validate_origins)
WEBHOOK_POLICY = read_webhook_policy(env)
SSO_EGRESS = read_policy(env, SSO_VARIABLE)
SOURCES_EGRESS = read_policy(env, SOURCES_VARIABLE)  # web sites, feeds, repositories and buckets

# --- API ----------------------------------------------------------------------------------------------------

SPECTACULAR_SETTINGS = {**OPENAPI, "SERVERS": [{"url": PUBLIC_URL}]}

# --- Knowledge and answers --------------------------------------------------------------------------------------

LEXIC_FILES_DIR = read_files_folder(env, "LEXIC_FILES_DIR", default=VAR_DIR / "files")
S3 = read_storage(env)
FILES_KEYS = read_files_keys(env)
LEXIC_MAX_DOCUMENT_BYTES = env.int("LEXIC_MAX_DOCUMENT_MB", 50, validate=validate.Range(min=1)) * 1024 * 1024
LEXIC_PICTURES_MAX_BYTES = env.int("LEXIC_PICTURES_MB", 512, validate=validate.Range(min=1)) * 1024 * 1024
# Whether pages that are pictures are read by OCR, and the languages that they may be in (none: all that OCR knows).
LEXIC_OCR = env.bool("LEXIC_OCR", True)
LEXIC_OCR_LANGUAGES: list[str] = env.list("LEXIC_OCR_LANGUAGES", [])
# Folders on this server whose sources are synced by the timetable. Empty: none, only by somebody's command.
_sync_roots: list[str] = env.list("LEXIC_SYNC_ROOTS", [])
LEXIC_SYNC_ROOTS = [str(resolve_folder(one)) for each in _sync_roots if (one := each.strip())]
# Sites whose signed releases are believed: the address of each and its key, “https://example.org=KEY”.
LEXIC_TRUSTED_SITES = read_trusted_sites(env)
LEXIC_SHARED_MAX_BYTES = env.int("LEXIC_SHARED_MB", 2048, validate=validate.Range(min=1)) * 1024 * 1024
# How many days a plugin keeps what it was asked, its public conversations and its removed documents, where it says
# nothing else. 0: until the plugin is deleted.
KEEP_QUESTIONS_DAYS = env.int("LEXIC_KEEP_QUESTIONS_DAYS", 0, validate=validate.Range(min=0, max=36_500))
KEEP_CHATS_DAYS = env.int("LEXIC_KEEP_CHATS_DAYS", 90, validate=validate.Range(min=0, max=36_500))
KEEP_FILES_DAYS = env.int("LEXIC_KEEP_FILES_DAYS", 1, validate=validate.Range(min=0, max=36_500))
_REDACTION = read_redaction(env)
REDACT_QUESTIONS, REDACT_NAMES, PHONE_REGIONS = _REDACTION.questions, _REDACTION.names, _REDACTION.phone_regions
AUDIT = read_audit(env)
BACKUPS = read_backups(env, uploads=S3)
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024
FILE_UPLOAD_TEMP_DIR = None

MODELS = read_language_models(env)
OPENAI_API_KEY = MODELS.key
OPENAI_BASE_URL = MODELS.base_url


def _validate_prices(text: str) -> None:
    try:
        parse_prices(text)
    except ValueError as error:
        raise ValidationError(str(error)) from error


LEXIC_LLM = env.str(
    "LEXIC_LLM",
    "openai" if OPENAI_API_KEY else "extractive",
    validate=validate.OneOf(["extractive", "openai"]),
)
LEXIC_LLM_MODEL = MODELS.chat
LEXIC_PLANNER_MODEL = MODELS.planner
LEXIC_LLM_THINKING = MODELS.thinking
LEXIC_LLM_TIMEOUT = env.float("LEXIC_LLM_TIMEOUT", 60.0, validate=validate.Range(min=1))
# The most that a model may write for one answer.
LEXIC_LLM_MAX_TOKENS = env.int("LEXIC_LLM_MAX_TOKENS", 2000, validate=validate.Range(min=100))
# What answers may cost in a calendar month, in the currency below: those that one account asks for, and all. 0: no cap.
ACCOUNT_SPENDING_CAP = env.decimal("LEXIC_ACCOUNT_SPENDING_CAP", Decimal(0), validate=validate.Range(min=0))
SITE_SPENDING_CAP = env.decimal("LEXIC_SITE_SPENDING_CAP", Decimal(0), validate=validate.Range(min=0))
LEXIC_LLM_PRICES = env.str("LEXIC_LLM_PRICES", "", validate=_validate_prices)
LEXIC_LLM_CURRENCY = env.str("LEXIC_LLM_CURRENCY", "USD")
LEXIC_EMBEDDER = MODELS.embedder
EMBEDDING_SERVER_URL = MODELS.embedding_server
AGENTS = read_agent_settings(env)
TRACING = read_tracing(env)
METRICS = read_metrics(env, folder=VAR_DIR / "metrics")
# Compiled models, which each process would compile anew otherwise.
LEXIC_MODEL_CACHE_DIR = VAR_DIR / "models"
LEXIC_EMBEDDER_THREADS = env.int("LEXIC_EMBEDDER_THREADS", 0, validate=validate.Range(min=0))
# Up to how many chunks a knowledge base stores the local embedder's token states with its vectors.
LEXIC_TOKEN_STATES_MAX_CHUNKS = env.int("LEXIC_TOKEN_STATES_MAX_CHUNKS", 50_000, validate=validate.Range(min=0))
LEXIC_RERANK_URL = read_http_url(env, "LEXIC_RERANK_URL")
LEXIC_RERANK_KEY = env.str("LEXIC_RERANK_KEY", "")
LEXIC_RERANK_MODEL = env.str("LEXIC_RERANK_MODEL", "")
LEXIC_RERANK_TIMEOUT = env.float("LEXIC_RERANK_TIMEOUT", 3.0, validate=validate.Range(min=0.1))

# --- Pages ------------------------------------------------------------------------------------------------------

# The slug of the plugin whose sample answer the first page shows. Empty: that of the best measured one.
FEATURED = env.str("LEXIC_FEATURED", "")

STATIC_ROOT = read_folder(env, "LEXIC_STATIC_ROOT", default=VAR_DIR / "static")
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "lexic.static_files.CollectedFilesStorage"},
}
# `up` and the release command collect them, see lexic/static_files.py.
SERVESTATIC_USE_FINDERS = DEBUG or not (STATIC_ROOT / "staticfiles.json").is_file()
SERVESTATIC_AUTOREFRESH = DEBUG
LANGUAGE_CODE = languages.ENGLISH
LANGUAGES = languages.LANGUAGES
LANGUAGE_COOKIE_NAME = languages.COOKIE_NAME
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = "lexic.formats"
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True

# --- Safety -----------------------------------------------------------------------------------------------------

HTTPS = env.bool("LEXIC_HTTPS", False)
SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^api/health$"]  # asked from inside, past the proxy
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_HSTS_SECONDS = env.int("LEXIC_HSTS_SECONDS", 0, validate=validate.Range(min=0))
BEHIND_PROXY = env.bool("LEXIC_BEHIND_PROXY", False)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_PROXY else None
SECURE_CONTENT_TYPE_NOSNIFF = True
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"

LOGGING = read_logging(env)

env.seal()
# What `manage.py doctor` compares the environment with.
READ_VARIABLES = frozenset(env.dump())
