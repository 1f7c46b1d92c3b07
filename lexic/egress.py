"""The one client for every address that the server is asked to fetch, or to send something to.

Whoever may name an address for us may try to reach what only we can reach: the cloud's metadata
service, the database next door. So a name is resolved once, every address it has is checked, and the connection
goes to the address that was checked, not to the name. Redirects are followed by hand through the same gate, and
not at all where something is sent.
"""

from __future__ import annotations

import ipaddress
import ssl
import zlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace

import httpcore2
import httpx2

from lexic.egress_connection import Deadline, PinnedBackend, Resolver, resolve_host
from lexic.egress_errors import EgressRefused as EgressRefused
from lexic.egress_errors import FetchFailed as FetchFailed
from lexic.egress_errors import FetchTimedOut as FetchTimedOut
from lexic.egress_errors import FetchTooLarge as FetchTooLarge
from lexic.egress_policy import EgressPolicy as EgressPolicy
from lexic.egress_policy import is_public as is_public
from lexic.http.parameters import parse_natural

MAX_URL_LENGTH = 2_000
USER_AGENT = b"Lexic"
_REDIRECT_STATUSES = frozenset({301, 302, 303, 307, 308})
_CHUNK_BYTES = 64 * 1024
_MAX_ERROR_BYTES = 64 * 1024
MAX_RETRY_AFTER_DIGITS = 9


@dataclass(frozen=True, kw_only=True)
class FetchedDocument:
    """What came back. `url` is where it was found after redirects, `content_type` is without parameters."""

    url: str
    content_type: str
    body: bytes


@dataclass(frozen=True, kw_only=True)
class PostResponse:
    """What a server said to what was sent. `excerpt` is the beginning of its answer, as it came; `retry_after` the
    seconds it asks to be left alone."""

    status: int
    excerpt: bytes = b""
    retry_after: int | None = None


@dataclass(frozen=True, kw_only=True)
class GetResponse:
    """What a server said. `body` is all of it where the status is 200, else its beginning; `retry_after` the seconds
    that it asks to be left alone."""

    status: int
    body: bytes = b""
    retry_after: int | None = None


@dataclass(frozen=True, kw_only=True)
class WebResponse:
    """What a server said, unpacked. `url` is where it was found after redirects; names of `headers` are in small
    letters. Of a status other than 200, `body` is the beginning."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes = b""

    @property
    def content_type(self) -> str:
        """The content type without its parameters."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


def fetch(
    url: str,
    *,
    max_bytes: int,
    timeout: float,
    content_types: Collection[str],
    policy: EgressPolicy | None = None,
    resolver: Resolver | None = None,
    ssl_context: ssl.SSLContext | None = None,
) -> FetchedDocument:
    """GET a public address: at most `max_bytes` of body (unpacked), `timeout` seconds for all of it.

    Raises `EgressRefused` for an address that may not be reached, `FetchFailed` for one that does not answer with one
    of `content_types` (anything else is refused before its body is read). No proxy, cookie or credential of the
    environment is used. Looking up the name cannot be interrupted: the system's own limits hold for it, and the time it
    took counts.
    """
    policy = policy or EgressPolicy()
    backend = PinnedBackend(policy, resolver or resolve_host, Deadline(timeout))
    target = parse_url(url, policy=policy)
    for _ in range(policy.max_redirects + 1):
        request = httpcore2.Request("GET", _request_url(target), headers=_get_request_headers(target, content_types))
        with _open_response(target, request, backend, ssl_context) as response:
            answer = _read_response(target, response, max_bytes, content_types)
        if isinstance(answer, FetchedDocument):
            return answer
        target = _redirect_target(target, answer, policy)
    raise FetchFailed("The address redirects too many times.")


def post(
    url: str,
    *,
    body: bytes,
    headers: Mapping[str, str],
    max_bytes: int,
    timeout: float,
    policy: EgressPolicy | None = None,
    resolver: Resolver | None = None,
    ssl_context: ssl.SSLContext | None = None,
) -> PostResponse:
    """POST to a public address, and read at most `max_bytes` of the answer, whatever its status. No redirect is
    followed.

    Raises `EgressRefused` for an address that may not be reached, `FetchFailed` when no answer came within `timeout`
    seconds. Once the status is there it counts: of a body that drips or breaks off, what came in time is kept.
    """
    policy = policy or EgressPolicy()
    backend = PinnedBackend(policy, resolver or resolve_host, Deadline(timeout))
    target = parse_url(url, policy=policy)
    request = _build_post_request(target, body, headers)
    with _open_response(target, request, backend, ssl_context) as response:
        excerpt = _read_excerpt(response.iter_stream(), max_bytes)
        return PostResponse(status=response.status, excerpt=excerpt, retry_after=_retry_after(response))


def get(
    url: str,
    *,
    headers: Mapping[str, str],
    max_bytes: int,
    timeout: float,
    policy: EgressPolicy | None = None,
    resolver: Resolver | None = None,
    ssl_context: ssl.SSLContext | None = None,
) -> GetResponse:
    """GET a public address of an API with these headers, and read what it says, whatever its status.

    A redirect is followed through the same gate, and the headers are for the first server alone: another one gets none
    of them. Raises `EgressRefused`, `FetchFailed` where no whole answer came within `timeout` seconds, and
    `FetchTooLarge` where one with status 200 has more than `max_bytes`.
    """
    policy = policy or EgressPolicy()
    backend = PinnedBackend(policy, resolver or resolve_host, Deadline(timeout))
    first = target = parse_url(url, policy=policy)
    for _ in range(policy.max_redirects + 1):
        own = headers if _is_same_server(first, target) else {}
        request = httpcore2.Request("GET", _request_url(target), headers=_fixed_headers(target, own))
        with _open_response(target, request, backend, ssl_context) as response:
            location = dict(_lower_headers(response)).get("location", "")
            if response.status not in _REDIRECT_STATUSES or not location:
                is_ok, pieces = response.status == 200, response.iter_stream()
                body = _read_body(pieces, max_bytes) if is_ok else _read_excerpt(pieces, _MAX_ERROR_BYTES)
                return GetResponse(status=response.status, body=body, retry_after=_retry_after(response))
        target = _redirect_target(target, location, policy)
    raise FetchFailed("The address redirects too many times.")


def request(
    url: str,
    *,
    method: str = "GET",
    headers: Mapping[str, str],
    body: bytes = b"",
    max_bytes: int,
    timeout: float,
    content_types: Collection[str] | None = None,
    policy: EgressPolicy | None = None,
    resolver: Resolver | None = None,
    ssl_context: ssl.SSLContext | None = None,
) -> WebResponse:
    """Ask a server with these headers, which may allow the answer to be packed with gzip, and read what it says.

    A GET follows redirects as `get` does; what is sent with a body follows none. Of an answer that is none of
    `content_types` the body is not read. Raises what `get` raises.
    """
    policy = policy or EgressPolicy()
    backend = PinnedBackend(policy, resolver or resolve_host, Deadline(timeout))
    first = target = parse_url(url, policy=policy)
    for _ in range(policy.max_redirects + 1):
        sent = _build_request(target, method, headers if _is_same_server(first, target) else {}, body)
        with _open_response(target, sent, backend, ssl_context) as response:
            said = dict(_lower_headers(response))
            location = said.get("location", "") if method == "GET" else ""
            if response.status not in _REDIRECT_STATUSES or not location:
                found = WebResponse(url=str(target), status=response.status, headers=said)
                if content_types is not None and found.status == 200 and found.content_type not in content_types:
                    return found
                pieces = _decompress(response.iter_stream(), said.get("content-encoding", ""))
                is_ok = response.status == 200
                content = _read_body(pieces, max_bytes) if is_ok else _read_excerpt(pieces, _MAX_ERROR_BYTES)
                return replace(found, body=content)
        target = _redirect_target(target, location, policy)
    raise FetchFailed("The address redirects too many times.")


def parse_url(url: str, *, policy: EgressPolicy) -> httpx2.URL:
    """The parsed address, which is also what is connected to. Raises `EgressRefused`."""
    # Parsers disagree about these characters, and such a disagreement is how a check is passed by.
    if len(url) > MAX_URL_LENGTH or "\\" in url or any(ord(c) <= 32 or ord(c) == 127 for c in url):
        raise EgressRefused("The address is not a valid URL.")
    try:
        parsed = httpx2.URL(url)
    except (httpx2.InvalidURL, ValueError) as error:
        raise EgressRefused("The address is not a valid URL.") from error
    if parsed.scheme not in ("http", "https"):
        raise EgressRefused("Only http and https addresses are fetched.")
    if parsed.userinfo or "@" in parsed.netloc.decode("ascii"):
        raise EgressRefused("An address with a name or password in it is not fetched.")
    _check_host(parsed.raw_host.decode("ascii"))
    if not policy.allows_port(url_port(parsed)):
        raise EgressRefused("Only the usual ports of the web (80 and 443) are fetched.")
    return parsed


def url_port(url: httpx2.URL) -> int:
    return url.port or (443 if url.scheme == "https" else 80)


def _check_host(host: str) -> None:
    """Refuse what is no name and no plain address: `0x7f.1`, `2130706433`, `0177.0.0.1`, `fe80::1%eth0`."""
    if not host or "%" in host:
        raise EgressRefused("The address is not a valid URL.")
    last = host.rstrip(".").rpartition(".")[2].lower()
    if ":" in host or not (last.isdigit() or last.startswith("0x")):
        return
    try:
        ipaddress.IPv4Address(host)
    except ValueError as error:
        raise EgressRefused("The address is not a valid URL.") from error


@contextmanager
def _open_response(
    url: httpx2.URL, request: httpcore2.Request, backend: PinnedBackend, ssl_context: ssl.SSLContext | None
) -> Iterator[httpcore2.Response]:
    """One connection, one request, no retry. What the library raises comes out in our words."""
    connection = httpcore2.HTTPConnection(_request_url(url).origin, ssl_context=ssl_context, network_backend=backend)
    try:
        with closing(connection):
            response = connection.handle_request(request)
            with closing(response):
                yield response
    except httpcore2.TimeoutException as error:
        raise FetchTimedOut() from error
    except (httpcore2.NetworkError, httpcore2.ProtocolError, ssl.SSLError) as error:
        # The library's words may hold addresses of our own network.
        raise FetchFailed("The server did not answer as a web server does.") from error


def _request_url(url: httpx2.URL) -> httpcore2.URL:
    return httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)


def _is_same_server(one: httpx2.URL, other: httpx2.URL) -> bool:
    return (one.scheme, one.raw_host, url_port(one)) == (other.scheme, other.raw_host, url_port(other))


def _build_post_request(url: httpx2.URL, body: bytes, headers: Mapping[str, str]) -> httpcore2.Request:
    length = (b"Content-Length", str(len(body)).encode("ascii"))
    return httpcore2.Request("POST", _request_url(url), headers=[length, *_fixed_headers(url, headers)], content=body)


def _build_request(url: httpx2.URL, method: str, own: Mapping[str, str], body: bytes) -> httpcore2.Request:
    """The request. A header of the caller replaces ours of the same name."""
    given = [(name.encode("ascii"), value.encode("ascii")) for name, value in own.items()]
    names = {name.lower() for name, _ in given}
    fixed = [one for one in _fixed_headers(url, {}) if one[0].lower() not in names]
    length = [(b"Content-Length", str(len(body)).encode("ascii"))] if method == "POST" else []
    return httpcore2.Request(method, _request_url(url), headers=[*fixed, *length, *given], content=body or None)


def _fixed_headers(url: httpx2.URL, own: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    fixed = [(b"Host", url.netloc), (b"Accept-Encoding", b"identity"), (b"Connection", b"close")]
    return [*fixed, *((name.encode("ascii"), value.encode("ascii")) for name, value in own.items())]


def _lower_headers(response: httpcore2.Response) -> Iterator[tuple[str, str]]:
    return ((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in response.headers)


def _retry_after(response: httpcore2.Response) -> int | None:
    """None for a date, which no server of ours has been seen to send."""
    said = dict(_lower_headers(response)).get("retry-after", "")
    return parse_natural(said, max_digits=MAX_RETRY_AFTER_DIGITS)


def _read_excerpt(pieces: Iterator[bytes], max_bytes: int) -> bytes:
    body = bytearray()
    with suppress(httpcore2.TimeoutException, httpcore2.NetworkError, httpcore2.ProtocolError, FetchTimedOut):
        for piece in pieces:
            body += piece
            if len(body) >= max_bytes:
                break
    return bytes(body[:max_bytes])


def _get_request_headers(url: httpx2.URL, content_types: Collection[str]) -> list[tuple[bytes, bytes]]:
    accepted = ", ".join(sorted(content_types)).encode("ascii")
    return [
        (b"Host", url.netloc),
        (b"User-Agent", USER_AGENT),
        (b"Accept", accepted),
        (b"Accept-Encoding", b"gzip, identity"),
        (b"Connection", b"close"),
    ]


def _read_response(
    url: httpx2.URL, response: httpcore2.Response, max_bytes: int, content_types: Collection[str]
) -> FetchedDocument | str:
    """The document, or where to look for it instead."""
    headers = dict(_lower_headers(response))
    if response.status in _REDIRECT_STATUSES and headers.get("location"):
        return headers["location"]
    if response.status != 200:
        raise FetchFailed(f"The server answered with status {response.status}.")
    content_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type not in content_types:
        raise FetchFailed("The address does not return a web page or a document that can be read.", code="unsupported")
    pieces = _decompress(response.iter_stream(), headers.get("content-encoding", ""))
    return FetchedDocument(url=str(url), content_type=content_type, body=_read_body(pieces, max_bytes))


def _redirect_target(source: httpx2.URL, location: str, policy: EgressPolicy) -> httpx2.URL:
    try:
        joined = str(source.join(location))
    except (httpx2.InvalidURL, ValueError) as error:
        raise EgressRefused("The address redirects to one that is not valid.") from error
    if "\\" in location:
        raise EgressRefused("The address redirects to one that is not valid.")
    target = parse_url(joined, policy=policy)
    if source.scheme == "https" and target.scheme == "http":
        raise EgressRefused("The address redirects from https to http.")
    return target


def _read_body(pieces: Iterator[bytes], max_bytes: int) -> bytes:
    body = bytearray()
    for piece in pieces:
        body += piece
        if len(body) > max_bytes:
            raise FetchTooLarge()
    return bytes(body)


def _decompress(pieces: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    """The body as it was before packing, in pieces of bounded size, so that a bomb is counted as it goes off."""
    if encoding.strip().lower() in ("", "identity"):
        yield from pieces
        return
    if encoding.strip().lower() not in ("gzip", "x-gzip"):
        raise FetchFailed("The server packs its answer in a way that is not supported.")
    unpacker = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    try:
        for piece in pieces:
            yield unpacker.decompress(piece, _CHUNK_BYTES)
            while unpacker.unconsumed_tail:
                yield unpacker.decompress(unpacker.unconsumed_tail, _CHUNK_BYTES)
    except zlib.error as error:
        raise FetchFailed("The server's answer is damaged.") from error
