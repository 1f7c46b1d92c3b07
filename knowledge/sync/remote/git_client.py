"""Git's protocol over HTTP, with every request sent by the egress client."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO
from typing import Any

from django.conf import settings
from dulwich.client import AbstractHttpGitClient
from dulwich.errors import GitProtocolError, HangupException, NotGitRepository
from dulwich.objects import ObjectID
from dulwich.protocol import ZERO_SHA

from knowledge.sync.remote.source_errors import SourceRefused, SourceUnavailable
from lexic import egress
from lexic.egress import EgressRefused, FetchFailed, FetchTooLarge

REQUEST_SECONDS = 120.0
MAX_PACK_BYTES = 200 * 1024 * 1024


class GitClient(AbstractHttpGitClient):
    """Fetches from one repository; its credentials go to the server that its address names and to no other."""

    def __init__(self, location: str, credentials: Mapping[str, str]) -> None:
        super().__init__(location, thin_packs=False, quiet=True)
        self._location = location.rstrip("/")
        pair = f"{credentials.get('username') or 'git'}:{credentials['password']}" if credentials else ""
        self._authorization = "Basic " + base64.b64encode(pair.encode()).decode() if pair else ""

    def head(self, branch: str) -> str:
        """The commit of a branch, or of the one that the repository names as its own. Raises `SourceUnavailable`."""
        found = self._translated(lambda: self.get_refs(self._location))
        name = f"refs/heads/{branch}".encode() if branch else b"HEAD"
        commit = found.refs.get(name)
        if not commit or commit == ZERO_SHA:
            what = f"no branch {branch!r}" if branch else "no commit yet"
            raise SourceUnavailable(f"The repository has {what}.")
        return commit.decode()

    def fetch(self, wanted: list[str], *, only_trees: bool = False) -> bytes:  # type: ignore[override]
        """A pack of these objects without their history; of a commit, with its files unless `only_trees`, which a
        server may ignore. Raises `SourceUnavailable`."""
        pack = BytesIO()
        self._translated(
            lambda: self.fetch_pack(
                self._location,
                lambda refs, depth=None: [ObjectID(one.encode()) for one in wanted],
                _NothingKnown(),
                pack.write,
                depth=1,
                filter_spec=b"blob:none" if only_trees else None,
            )
        )
        return pack.getvalue()

    def _translated(self, ask: Callable[[], Any]) -> Any:
        try:
            return ask()
        except FetchTooLarge as error:
            reason = f"The repository sends more than {MAX_PACK_BYTES // 1024**2} MB."
            raise SourceUnavailable(reason, hint="Nothing was changed. Name a smaller folder or repository.") from error
        except (EgressRefused, FetchFailed) as error:
            raise SourceUnavailable(f"{self._location}: {error.message}") from error
        except NotGitRepository as error:
            raise SourceUnavailable(f"There is no Git repository at {self._location} that may be read.") from error
        except (GitProtocolError, HangupException, ValueError, KeyError, AssertionError) as error:
            # What a server that speaks another protocol makes the library raise.
            raise SourceUnavailable(f"{self._location} does not answer as a Git server does.") from error

    def _http_request(
        self,
        url: str,
        headers: dict[str, str] | None = None,
        data: bytes | Iterator[bytes] | None = None,
        raise_for_status: bool = True,
    ) -> tuple[Any, Callable[[int], bytes]]:
        body = data if data is None or isinstance(data, bytes) else b"".join(data)
        said = egress.request(
            url,
            method="GET" if body is None else "POST",
            headers=self._headers(url, headers or {}),
            body=body or b"",
            max_bytes=MAX_PACK_BYTES,
            timeout=REQUEST_SECONDS,
            policy=settings.SOURCES_EGRESS,
        )
        if said.status in (401, 403):
            raise SourceRefused
        if said.status == 404:
            raise NotGitRepository
        if said.status != 200:
            raise SourceUnavailable(f"The server of the repository answered with status {said.status}.")
        return _Response(said.content_type, said.url if said.url != url else ""), BytesIO(said.body).read

    def _headers(self, url: str, given: dict[str, str]) -> dict[str, str]:
        kept = {name: value for name, value in given.items() if name.lower() != "content-length"}
        fixed = {"User-Agent": "git/Lexic", "Accept-Encoding": "gzip, identity"}
        if self._authorization and url.startswith(f"{self._location}/"):
            fixed["Authorization"] = self._authorization
        return fixed | kept


class _Response:
    """What the library asks of a response."""

    def __init__(self, content_type: str, redirect_location: str) -> None:
        self.content_type, self.redirect_location = content_type, redirect_location

    def close(self) -> None:
        """All of it has been read."""


class _NothingKnown:
    """We have no commit of the repository."""

    shallow: frozenset[bytes] = frozenset()
    unshallow: frozenset[bytes] = frozenset()

    def __next__(self) -> None:
        return None

    def ack(self, sha: bytes) -> None:
        """There is nothing to be told of."""

    def nak(self) -> None:
        """There is nothing to be told of."""

    def update_shallow(self, new: Any, old: Any) -> None:
        """History is not kept."""
