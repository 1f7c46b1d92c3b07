from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from lexic.conf.quotas import DEFAULT_QUOTAS
from tests.lexic.fresh_settings import ROOT, reader_of_settings, settings_with

__all__ = ["reader_of_settings"]
pytestmark = pytest.mark.usefixtures("reader_of_settings")


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("LEXIC_DEBUG", "perhaps"),
        ("LEXIC_DB_POOL", "-1"),
        ("LEXIC_LLM", "oracle"),
        ("LEXIC_LLM_TIMEOUT", "soon"),
        ("LEXIC_MAX_DOCUMENT_MB", "0"),
        ("LEXIC_LOG_LEVEL", "LOUD"),
        ("LEXIC_EMAIL_VERIFICATION", "never"),
        ("EMAIL_PORT", "smtp"),
        ("LEXIC_HSTS_SECONDS", "-5"),
        ("LEXIC_PUBLIC_URL", "lexic.example.org"),
        ("LEXIC_PUBLIC_URL", "localhost:8000"),
        ("LEXIC_PUBLIC_URL", "https://"),
        ("LEXIC_PUBLIC_URL", "https://lexic.example.org:port"),
        ("DATABASE_URL", "db.example.org"),
        ("DATABASE_URL", "postgres://lexic:pass#word@db.example.org/lexic"),
        ("DATABASE_URL", "postgres://lexic:12#4@db.example.org/lexic"),
        ("DATABASE_REPLICA_URL", "mysql://db.example.org/lexic"),
        ("REDIS_URL", "localhost:6379"),
        ("REDIS_URL", "redis://"),
        ("OPENAI_BASE_URL", "api.example.org/v1"),
        ("OLLAMA_BASE_URL", "localhost:11434"),
        ("EMBEDDING_URL", "localhost:11434"),
        ("EMBEDDING_DIMENSIONS", "0"),
        ("LEXIC_RERANK_URL", "rerank"),
        ("LANGFUSE_HOST", "langfuse.example.org"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://"),
        ("LEXIC_TRUSTED_SITES", "https://example.org"),
        ("LEXIC_TRUSTED_SITES", "https://example.org=c2hvcnQ="),
        ("LEXIC_TRUSTED_SITES", "example.org=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="),
    ],
)
def test_a_value_that_makes_no_sense_is_named(tmp_path: Path, variable: str, value: str) -> None:
    done = settings_with(tmp_path, **{variable: value})
    assert done.returncode != 0
    assert variable in done.stderr.splitlines()[-1]


def test_addresses_of_sites_are_read(tmp_path: Path) -> None:
    key = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    sites = f"https://one.example.org/={key},http://127.0.0.1:8000={key}"
    variables = {"LEXIC_PUBLIC_URL": "https://example.org/lexic/", "LEXIC_TRUSTED_SITES": sites}
    done = settings_with(tmp_path, "settings.PUBLIC_URL, settings.LEXIC_TRUSTED_SITES", **variables)
    known = {"https://one.example.org": key, "http://127.0.0.1:8000": key}
    assert done.stdout == f"https://example.org/lexic {known}\n"


def test_spaces_and_commas_too_many_are_no_address(tmp_path: Path) -> None:
    key = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    sites = f" https://one.example.org={key}, ,https://two.example.org={key} ,"
    variables = {"LEXIC_PUBLIC_URL": " https://example.org/ ", "LEXIC_TRUSTED_SITES": sites}
    done = settings_with(tmp_path, "settings.PUBLIC_URL, list(settings.LEXIC_TRUSTED_SITES)", **variables)
    assert done.stdout == "https://example.org ['https://one.example.org', 'https://two.example.org']\n"
    empty = settings_with(tmp_path, "settings.PUBLIC_URL", LEXIC_PUBLIC_URL=" ", LEXIC_TRUSTED_SITES=" , ")
    assert empty.stdout == "http://localhost:8000\n"


@pytest.mark.parametrize("url", ["redis:///0", "redis://:secret@/1", "redis://cache.example.org"])
def test_the_redis_of_this_machine_needs_no_host(tmp_path: Path, url: str) -> None:
    assert settings_with(tmp_path, "settings.REDIS_URL", REDIS_URL=url).stdout == f"{url}\n"


def test_a_redis_without_its_slashes_is_refused(tmp_path: Path) -> None:
    assert "REDIS_URL" in settings_with(tmp_path, REDIS_URL="redis:/0").stderr.splitlines()[-1]


def test_a_password_in_an_address_is_not_shown(tmp_path: Path) -> None:
    done = settings_with(tmp_path, DATABASE_URL="postgres://lexic:wild#boar@db.example.org/lexic")
    said = done.stderr.splitlines()[-1]
    assert "wild" not in said
    assert "boar" not in said
    assert "In a password, “#” is written as %23" in said


@pytest.mark.parametrize(("variable", "value"), [("LEXIC_DB_POOL", "many"), ("LEXIC_STATIC_URL", "cdn.example.org")])
def test_a_command_says_it_in_one_sentence(tmp_path: Path, variable: str, value: str) -> None:
    env = {"PATH": os.environ["PATH"], "LEXIC_VAR_DIR": str(tmp_path), variable: value}
    done = subprocess.run(
        [sys.executable, "manage.py", "doctor"], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert variable in done.stderr
    assert "Traceback" not in done.stderr


def test_secrets_are_made_once_and_kept_for_nobody_else(tmp_path: Path) -> None:
    first = settings_with(tmp_path, "settings.SECRET_KEY, settings.ENCRYPTION_KEY")
    assert first.stdout == settings_with(tmp_path, "settings.SECRET_KEY, settings.ENCRYPTION_KEY").stdout
    for name in ("secret_key", "encryption_key"):
        assert stat.S_IMODE((tmp_path / f"{name}.txt").stat().st_mode) == 0o600
        assert len((tmp_path / f"{name}.txt").read_text()) >= 50


@pytest.mark.parametrize("variable", ["SECRET_KEY", "ENCRYPTION_KEY"])
def test_an_empty_file_of_a_secret_stops_the_start(tmp_path: Path, variable: str) -> None:
    """As a full disk leaves one. What would be sealed under an empty key is open to everybody."""
    (tmp_path / f"{variable.lower()}.txt").touch()
    done = settings_with(tmp_path)
    assert done.returncode != 0
    assert f"{variable} is empty" in done.stderr.splitlines()[-1]


def test_an_empty_folder_is_the_default(tmp_path: Path) -> None:
    names = ("LEXIC_FILES_DIR", "LEXIC_STATIC_ROOT")
    done = settings_with(tmp_path, "settings.LEXIC_FILES_DIR, settings.STATIC_ROOT", **dict.fromkeys(names, ""))
    assert done.stdout == f"{tmp_path / 'files'} {tmp_path / 'static'}\n"
    secrets = {"SECRET_KEY": "given", "ENCRYPTION_KEY": "given too"}
    assert settings_with(tmp_path, "settings.VAR_DIR", LEXIC_VAR_DIR="", **secrets).stdout == f"{ROOT / 'var'}\n"


def test_a_given_secret_is_used_and_not_written_down(tmp_path: Path) -> None:
    done = settings_with(tmp_path, "settings.SECRET_KEY", SECRET_KEY="given", ENCRYPTION_KEY="given too")
    assert done.stdout == "given\n"
    assert list(tmp_path.glob("*.txt")) == []


def test_a_given_secret_keeps_its_line_end(tmp_path: Path) -> None:
    """As one that was mounted from a file has it: what is sealed under it is not read by another one."""
    done = settings_with(tmp_path, "repr(settings.ENCRYPTION_KEY)", SECRET_KEY="given", ENCRYPTION_KEY="given\n")
    assert done.stdout == "'given\\n'\n"


def test_spaces_between_folders_are_none_of_their_names(tmp_path: Path) -> None:
    done = settings_with(tmp_path, "settings.LEXIC_SYNC_ROOTS", LEXIC_SYNC_ROOTS="/srv/notes, /srv/books,")
    assert done.stdout == "['/srv/notes', '/srv/books']\n"


def test_lx_104_sp_09_the_example_documents_every_setting_that_is_read() -> None:
    source = "".join(path.read_text() for path in [ROOT / "lexic/settings.py", *(ROOT / "lexic/conf").glob("*.py")])
    read = set(re.findall(r"""(?:env\.\w+\(|\(env, )\s*["']([A-Z][A-Z0-9_]+)["']""", source))
    # Those that a loop reads, or a helper.
    read |= set(re.findall(r'"((?:LEXIC|GOOGLE|LANGFUSE)_[A-Z0-9_]*[A-Z0-9])"', source))
    read |= {f"{name}_FALLBACKS" for name in re.findall(r'read_fallbacks\(env, "(\w+)"', source)}
    read |= {f"LEXIC_{name.upper()}" for name in DEFAULT_QUOTAS}
    documented = set(re.findall(r"^#?\s?([A-Z][A-Z0-9_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    assert read - documented == set()
    # Of a store, under the prefix that says whose it is.
    for name in re.findall(r'f"\{_?(?:prefix|PREFIX)\}([A-Z_]+)"', source):
        read |= {f"LEXIC_S3_{name}", f"LEXIC_BACKUP_S3_{name}"}
    # This one is read by local.unprivileged_user, before there are settings.
    assert documented - read == {"LEXIC_PG_USER"}


# --- PK-033: the environment of a notes chat ---------------------------------------------------------------------

_SHOWN = (
    "'|'.join([settings.OPENAI_API_KEY, str(settings.OPENAI_BASE_URL), settings.LEXIC_LLM, settings.LEXIC_LLM_MODEL, "
    "settings.LEXIC_PLANNER_MODEL, settings.LEXIC_EMBEDDER])"
)
_ROUTER = "https://openrouter.ai/api/v1"
_QWEN = "openai:qwen/qwen3-embedding-8b:768"


@pytest.mark.parametrize(
    ("variables", "models"),
    [
        ({}, "|None|extractive|gpt-4o|gpt-4o|local"),
        (
            {"OPENROUTER_API_KEY": "or-1"},
            f"or-1|{_ROUTER}|openai|openai/gpt-4o-mini|openai/gpt-4o-mini|{_QWEN}",
        ),
        (
            {"OPENROUTER_API_KEY": "or-1", "OPENROUTER_CHAT_MODEL": "a/chat"},
            f"or-1|{_ROUTER}|openai|a/chat|a/chat|{_QWEN}",
        ),
        (
            {
                "OPENROUTER_API_KEY": "or-1",
                "OPENROUTER_PLANNER_MODEL": "a/planner",
                "OPENROUTER_EMBEDDING_MODEL": "an/embedder",
            },
            f"or-1|{_ROUTER}|openai|openai/gpt-4o-mini|a/planner|openai:an/embedder:768",
        ),
        (
            {
                "OPENROUTER_API_KEY": "or-1",
                "OPENAI_BASE_URL": "http://here/v1",
                "LEXIC_LLM_MODEL": "ours",
                "LEXIC_PLANNER_MODEL": "our-planner",
                "LEXIC_EMBEDDER": "local",
            },
            "or-1|http://here/v1|openai|ours|our-planner|local",
        ),
        (
            {"OPENAI_API_KEY": "sk-1", "OPENROUTER_API_KEY": "or-1", "OPENROUTER_CHAT_MODEL": "a/chat"},
            "sk-1|None|openai|gpt-4o|gpt-4o|local",
        ),
    ],
)
def test_pk_033_the_names_of_openrouter_stand_in_for_ours(
    tmp_path: Path, variables: dict[str, str], models: str
) -> None:
    assert settings_with(tmp_path, _SHOWN, **variables).stdout.strip() == models


@pytest.mark.parametrize(
    ("variables", "embedder"),
    [
        ({"EMBEDDING_PROVIDER": "ollama"}, "server:bge-m3:1024 http://localhost:11434/v1"),
        ({"EMBEDDING_PROVIDER": "tei"}, "server:bge-m3:1024 http://localhost:8080/v1"),
        (
            {"EMBEDDING_PROVIDER": "tei", "EMBEDDING_URL": "http://gpu:9000/", "OPENROUTER_API_KEY": "or-1"},
            "server:bge-m3:1024 http://gpu:9000/v1",
        ),
        (
            {"EMBEDDING_PROVIDER": "ollama", "EMBEDDING_MODEL": "nomic-embed-text:v1.5", "EMBEDDING_DIMENSIONS": "768"},
            "server:nomic-embed-text:v1.5:768 http://localhost:11434/v1",
        ),
        ({"EMBEDDING_PROVIDER": "tei", "LEXIC_EMBEDDER": "local"}, "local http://localhost:8080/v1"),
    ],
)
def test_jl_016_an_embedding_server_is_named_by_provider(
    tmp_path: Path, variables: dict[str, str], embedder: str
) -> None:
    done = settings_with(tmp_path, "settings.LEXIC_EMBEDDER, settings.EMBEDDING_SERVER_URL", **variables)
    assert done.stdout.strip() == embedder


@pytest.mark.parametrize(
    ("variables", "models"),
    [
        ({"OLLAMA_MODEL": "ministral-3"}, "no-key|http://localhost:11434/v1|openai|ministral-3|ministral-3|local"),
        (
            {"OLLAMA_MODEL": "ministral-3", "OLLAMA_BASE_URL": "http://gpu:9000/", "EMBEDDING_PROVIDER": "ollama"},
            "no-key|http://gpu:9000/v1|openai|ministral-3|ministral-3|server:bge-m3:1024",
        ),
        (
            {"OLLAMA_MODEL": "ministral-3", "LEXIC_LLM_MODEL": "ours", "LEXIC_PLANNER_MODEL": "our-planner"},
            "no-key|http://localhost:11434/v1|openai|ours|our-planner|local",
        ),
        ({"OLLAMA_MODEL": "ministral-3", "LEXIC_LLM": "extractive"}, None),
        ({"OLLAMA_BASE_URL": "http://gpu:9000"}, "|None|extractive|gpt-4o|gpt-4o|local"),
        ({"OLLAMA_MODEL": "ministral-3", "OPENAI_API_KEY": "sk-1"}, "sk-1|None|openai|gpt-4o|gpt-4o|local"),
        (
            {"OLLAMA_MODEL": "ministral-3", "OPENROUTER_API_KEY": "or-1"},
            f"or-1|{_ROUTER}|openai|openai/gpt-4o-mini|openai/gpt-4o-mini|{_QWEN}",
        ),
    ],
)
def test_jl_061_062_an_ollama_that_chats_stands_in_where_there_is_no_key(
    tmp_path: Path, variables: dict[str, str], models: str | None
) -> None:
    shown = settings_with(tmp_path, _SHOWN, **variables).stdout.strip()
    assert shown == models if models else shown.split("|")[2] == "extractive"


_MAIL = (
    "settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD, "
    "settings.EMAIL_USE_TLS, settings.EMAIL_USE_SSL"
)


def test_mails_are_sent_by_the_server_that_is_named(tmp_path: Path) -> None:
    assert settings_with(tmp_path, _MAIL).stdout == "localhost 25   False False\n"
    server = {"EMAIL_HOST": "mail.example.org", "EMAIL_PORT": "587", "EMAIL_USE_TLS": "true"}
    done = settings_with(tmp_path, _MAIL, **server, EMAIL_HOST_USER="lexic", EMAIL_HOST_PASSWORD="a password")
    assert done.stdout == "mail.example.org 587 lexic a password True False\n"
    encrypted = settings_with(tmp_path, _MAIL, EMAIL_USE_SSL="true", EMAIL_PORT="465")
    assert encrypted.stdout == "localhost 465   False True\n"


def test_one_way_of_encrypting_mails_is_chosen(tmp_path: Path) -> None:
    done = settings_with(tmp_path, EMAIL_USE_TLS="true", EMAIL_USE_SSL="true")
    assert done.returncode != 0
    last = done.stderr.splitlines()[-1]
    assert "EMAIL_USE_TLS" in last
    assert "EMAIL_USE_SSL" in last


def test_half_a_langfuse_is_an_error_that_names_what_is_missing(tmp_path: Path) -> None:
    done = settings_with(tmp_path, LANGFUSE_PUBLIC_KEY="pk-1")
    assert done.returncode != 0
    assert "LANGFUSE_SECRET_KEY" in done.stderr


def test_an_unknown_provider_of_embeddings_stops_the_start(tmp_path: Path) -> None:
    done = settings_with(tmp_path, EMBEDDING_PROVIDER="word2vec")
    assert done.returncode != 0
    assert "EMBEDDING_PROVIDER" in done.stderr


def test_pk_033_the_database_is_where_its_url_says(tmp_path: Path) -> None:
    shown = "settings.DATABASES['default']['HOST'], settings.DATABASES['default']['NAME']"
    done = settings_with(tmp_path, shown, DATABASE_URL="postgresql://ada:secret@db.example:5433/notes")
    assert done.stdout == "db.example notes\n"


@pytest.mark.parametrize(
    ("variables", "requests"),
    [
        ({}, "8"),
        ({"LEXIC_DB_POOL": "3"}, "3"),
        ({"LEXIC_DB_POOL": "0"}, "8"),
        ({"LEXIC_DB_POOL": "3", "LEXIC_REQUESTS_AT_ONCE": "5"}, "5"),
    ],
)
def test_as_many_requests_are_worked_on_as_have_a_connection(
    tmp_path: Path, variables: dict[str, str], requests: str
) -> None:
    assert settings_with(tmp_path, "settings.REQUESTS_AT_ONCE", **variables).stdout == f"{requests}\n"


@pytest.mark.parametrize(("pool", "seconds"), [("0", 60), ("3", 10)])
def test_a_peer_that_acknowledges_nothing_is_given_up_in_the_web_sooner(
    tmp_path: Path, pool: str, seconds: int
) -> None:
    shown = (
        "{name: settings.DATABASES['default']['OPTIONS'].get(name) for name in ('tcp_user_timeout', 'keepalives_idle')}"
    )
    done = settings_with(tmp_path, shown, DATABASE_URL="postgresql://ada@one/notes", LEXIC_DB_POOL=pool)
    assert done.stdout == f"{{'tcp_user_timeout': {seconds * 1000}, 'keepalives_idle': {seconds}}}\n"


def test_what_the_url_of_the_database_says_goes_first(tmp_path: Path) -> None:
    shown = "settings.DATABASES['default']['OPTIONS']['tcp_user_timeout'], settings.DATABASES['default']['ENGINE']"
    done = settings_with(tmp_path, shown, DATABASE_URL="postgresql://ada@one/notes?tcp_user_timeout=7000")
    assert done.stdout == "7000 lexic.postgresql\n"


def test_a_replica_is_there_where_it_is_named_and_nobody_waits_for_it(tmp_path: Path) -> None:
    shown = "sorted(settings.DATABASES), settings.DATABASES.get('replica', {}).get('OPTIONS')"
    assert settings_with(tmp_path, shown).stdout == "['default'] None\n"
    urls = {"DATABASE_URL": "postgresql://ada@one/notes", "DATABASE_REPLICA_URL": "postgresql://ada@two/notes"}
    done = settings_with(tmp_path, shown, LEXIC_DB_POOL="3", **urls).stdout
    assert done.startswith("['default', 'replica']")
    assert "'connect_timeout': 2" in done
    assert "'max_size': 3, 'timeout': 2" in done


@pytest.mark.parametrize(("given", "threads"), [({}, "1"), ({"OPENBLAS_NUM_THREADS": "3"}, "3")])
def test_numpy_multiplies_on_one_thread_unless_told_otherwise(given: dict[str, str], threads: str):
    env = {"PATH": os.environ["PATH"], **given}
    code = "import lexic, os, sys; assert 'numpy' not in sys.modules; print(os.environ['OPENBLAS_NUM_THREADS'])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == threads
