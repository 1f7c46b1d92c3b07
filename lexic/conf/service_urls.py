"""The URLs of services: databases, brokers, and servers that are asked over HTTP."""

from __future__ import annotations

from urllib.parse import urlsplit

from environs import Env, ValidationError

_HTTP = ("http", "https")
_DATABASE = ("postgresql", "postgres", "pgsql")
_REDIS = ("redis", "rediss")


def read_http_url(env: Env, variable: str, default: str = "") -> str:
    """Raises `ValidationError`, naming the variable, for what is no address of a web server."""
    return _read_url(env, variable, default, schemes=_HTTP)


def read_database_url(env: Env, variable: str) -> str:
    """Raises `ValidationError`, naming the variable and not the password in it."""
    return _read_url(env, variable, "", schemes=_DATABASE, needs_host=False)


def read_redis_url(env: Env, variable: str) -> str:
    """As `redis://HOST/0`; `redis:///0` is the one of this machine. Raises `ValidationError`, naming the variable and
    not the password in it."""
    return _read_url(env, variable, "", schemes=_REDIS, may_be_local=True)


def _read_url(
    env: Env,
    variable: str,
    default: str,
    *,
    schemes: tuple[str, ...],
    needs_host: bool = True,
    may_be_local: bool = False,
) -> str:
    url: str = env.str(variable, "").strip() or default
    if url and not _is_url(url, schemes, needs_host=needs_host and not (may_be_local and _names_database(url))):
        begins = " or ".join(f"{scheme}://" for scheme in schemes[:2])
        quoting = "" if schemes == _HTTP else " In a password, “#” is written as %23, “/” as %2F and “@” as %40."
        raise ValidationError(
            f'Environment variable "{variable}" invalid: it has to begin with {begins} and to name a host.{quoting}'
        )
    return url


def _names_database(url: str) -> bool:
    return "://" in url and url.rpartition("/")[2].isdecimal()


def _is_url(url: str, schemes: tuple[str, ...], *, needs_host: bool) -> bool:
    try:
        parts = urlsplit(url)
        is_whole = not parts.fragment  # else the rest of it, from a “#” in the password on, would be left out
        # The port is asked for, because one that is none is found out only then.
        return is_whole and parts.scheme in schemes and (bool(parts.hostname) or not needs_host) and parts.port != 0
    except ValueError:
        return False
