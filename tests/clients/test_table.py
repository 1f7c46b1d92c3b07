"""The table of docs/clients.md has the clients that the tests start, in their versions."""

from __future__ import annotations

from importlib.metadata import version

from tests.api.a2a.clients.test_clients import PYTHON_CLIENTS, TYPESCRIPT_CLIENT
from tests.api.mcp.typescript_hosts.test_typescript_hosts import HOSTS
from tests.api.mcp.typescript_hosts.test_typescript_hosts import PACKAGES as HOST_PACKAGES
from tests.clients import table
from tests.clients.test_published_clients import NPM, NPM_PACKAGES, PYTHON


def pinned(packages: tuple[str, ...], name: str) -> tuple[str, str]:
    (found,) = (package for package in packages if package.rpartition("@")[0] == name)
    return f"{name} (Node)", found.rpartition("@")[2]


def test_the_table_has_each_client_that_is_started_and_no_other() -> None:
    started = {(f"{name} (Python)", package.partition("==")[2]) for name, (package, _) in PYTHON.items()}
    started |= {pinned(NPM_PACKAGES, name) for name in NPM}
    started |= {pinned(HOST_PACKAGES, name.removesuffix("@")) for name in HOSTS.values()}
    started |= {("a2a-sdk (Python)", package.partition("==")[2]) for package in PYTHON_CLIENTS.values()}
    started |= {pinned((TYPESCRIPT_CLIENT,), "@a2a-js/sdk")}
    started |= {(f"{name} (Python)", version(name)) for name in ("mcp", "standardwebhooks")}
    rows = table.rows_of_page()
    assert {(row.client, row.version) for row in rows if row.version} == started
    assert [row for row in rows if not row.version] == table.NOT_TRIED
    assert len({(row.client, row.interface) for row in rows}) == len(rows)
