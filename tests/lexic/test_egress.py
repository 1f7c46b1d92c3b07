"""One client for every address: rows S1 to S9 of what happened to others."""

from __future__ import annotations

import ast
import gzip
import ipaddress
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import requests
from hypothesis import given
from hypothesis import strategies as st

from knowledge.readers.isolation.reader_process import read_pages
from knowledge.readers.types import PageText
from lexic import egress
from lexic.egress import (
    EgressPolicy,
    EgressRefused,
    FetchFailed,
    FetchTimedOut,
    FetchTooLarge,
    fetch,
    is_public,
    parse_url,
    post,
)
from organisations import provider_requests
from tests.knowledge.readers.made import repacked, word
from tests.our_modules import APPS, ROOT, modules

PUBLIC = EgressPolicy()

CONTENT_TYPES = ("text/html", "text/plain", "application/json")


class Server(ThreadingHTTPServer):
    """Answers from a table of path to (status, headers, body); remembers what was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: dict[str, tuple[int, dict[str, str], bytes]] = {}
        self.asked: list[tuple[str, str, str]] = []
        self.received: list[tuple[str, dict[str, str], bytes]] = []
        self.headers: dict[str, dict[str, str]] = {}
        self.release = threading.Event()

    @property
    def port(self) -> int:
        return self.server_address[1]

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    @property
    def policy(self) -> EgressPolicy:
        """Allows this server and nothing else that is private."""
        return EgressPolicy(exempt=frozenset({("127.0.0.1", self.port)}))

    def page(self, path: str, body: bytes, content_type: str = "text/html", **headers: str) -> None:
        self.answers[path] = (200, {"Content-Type": content_type} | headers, body)

    def redirect(self, path: str, target: str, status: int = 302) -> None:
        self.answers[path] = (status, {"Location": target}, b"")


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.asked.append((self.command, self.path, self.headers.get("Host", "")))
        self.server.headers[self.path] = dict(self.headers)
        if self.path == "/drip":
            return self._drip()
        status, headers, body = self.server.answers.get(self.path, (404, {}, b""))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        return None

    do_HEAD = do_GET

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.received.append((self.path, dict(self.headers), body))
        self.do_GET()

    def _drip(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.end_headers()
        while not self.server.release.wait(0.02):
            try:
                self.wfile.write(b"x")
            except OSError:
                return

    def log_message(self, *_args: object) -> None:
        pass


@contextmanager
def running() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.release.set()
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    with running() as started:
        yield started


def get(url: str, policy: EgressPolicy, **options):
    given = {"max_bytes": 100_000, "timeout": 5.0, "policy": policy, "content_types": CONTENT_TYPES} | options
    return fetch(url, **given)


def test_a_page_comes_with_its_type_and_where_it_was_found(server):
    server.page("/a", b"<p>hello", "text/html; charset=utf-8")
    fetched = get(server.url("/a"), server.policy)
    assert (fetched.url, fetched.content_type, fetched.body) == (server.url("/a"), "text/html", b"<p>hello")


def test_the_name_is_kept_for_the_server_and_the_address_for_the_connection(server):
    server.page("/a", b"x")
    get(server.url("/a", host="example.com"), server.policy, resolver=lambda host, port: ["127.0.0.1"])
    assert server.asked == [("GET", "/a", f"example.com:{server.port}")]


@pytest.mark.parametrize(
    "url",
    [
        "http://a@127.0.0.1/",
        "http://example.com@127.0.0.1/",
        "http://127.0.0.1\\@example.com/",
        "http://example.com\\.evil/",
        "http://exa mple.com/",
        "http://example.com/\r\nHost: x",
        "http://[::ffff:127.0.0.1]/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0x7f.1/",
        "http://0177.0.0.1/",
        "http://127.1/",
        "http://127.0.0.1./",
        "http://①②⑦.⓪.⓪.①/",
        "http://localhost/",
        "http://[fe80::1%25eth0]/",
        "http://[::1]/",
        "http:///path",
        "http://",
        "file:///etc/passwd",
        "gopher://example.com/",
        "ftp://example.com/",
        "data:text/html,x",
        "//example.com/",
        "example.com",
        "http://example.com:22/",
        "http://example.com:6379/",
        "http://example.com:99999/",
        "https://example.com/" + "x" * 2_000,
    ],
)
def test_s1_an_address_that_could_be_read_in_two_ways_is_refused(url):
    with pytest.raises(EgressRefused):
        get(url, PUBLIC)


@given(st.text(max_size=60))
def test_s1_no_address_makes_the_check_fall_over(text):
    try:
        parsed = parse_url("http://" + text, policy=PUBLIC)
    except EgressRefused:
        return
    assert parsed.raw_host
    assert not parsed.userinfo


@pytest.mark.parametrize(
    "target",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http://127.0.0.1:1/",
        "http://10.0.0.1/",
        "http://192.168.1.1/",
        "http://172.16.0.1/",
        "http://[::1]/",
        "//169.254.169.254/",
        "http://2852039166/",
        "file:///etc/passwd",
        "http://user@example.com/",
        "http:\\\\169.254.169.254\\",
    ],
)
@pytest.mark.parametrize("status", [301, 307])
def test_s2_redirects_to_where_nobody_may_go_are_refused(server, target, status):
    server.redirect("/a", target, status)
    with pytest.raises(EgressRefused):
        get(server.url("/a"), server.policy)


def test_s2_every_hop_of_a_chain_is_checked(server):
    server.redirect("/a", "/b")
    server.redirect("/b", server.url("/c"))
    server.redirect("/c", "http://169.254.169.254/")
    with pytest.raises(EgressRefused):
        get(server.url("/a"), server.policy)
    assert [path for _, path, _ in server.asked] == ["/a", "/b", "/c"]


def test_s2_a_short_chain_is_followed_and_a_long_one_is_not(server):
    for number in range(6):
        server.redirect(f"/{number}", f"/{number + 1}")
    server.page("/6", b"found")
    assert get(server.url("/1"), server.policy).url == server.url("/6")
    with pytest.raises(FetchFailed, match="too many times"):
        get(server.url("/0"), server.policy)


def test_s2_https_does_not_fall_back_to_http():
    from lexic.egress import _redirect_target

    source = parse_url("https://example.com/a", policy=PUBLIC)
    with pytest.raises(EgressRefused):
        _redirect_target(source, "http://example.com/b", PUBLIC)
    assert str(_redirect_target(source, "/b", PUBLIC)) == "https://example.com/b"


def test_s3_a_name_is_resolved_once_for_a_request(server):
    server.page("/a", b"x")
    answers = iter([["127.0.0.1"], ["169.254.169.254"]])
    get(server.url("/a", host="rebind.example"), server.policy, resolver=lambda host, port: next(answers))
    assert next(answers) == ["169.254.169.254"]


def test_s3_a_name_that_turns_private_between_hops_is_refused(server):
    server.redirect("/a", "/b")
    server.page("/b", b"secret")
    answers = iter([["127.0.0.1"], ["127.0.0.2"]])
    with pytest.raises(EgressRefused):
        get(server.url("/a", host="rebind.example"), server.policy, resolver=lambda host, port: next(answers))
    assert [path for _, path, _ in server.asked] == ["/a"]


def test_s3_one_private_address_among_public_ones_spoils_them_all():
    with pytest.raises(EgressRefused):
        get("http://example.com/", PUBLIC, resolver=lambda host, port: ["93.184.216.34", "10.0.0.1"])


PRIVATE = [
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.8.8.8",
    "169.254.169.254",
    "172.31.255.255",
    "192.0.0.1",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "198.18.0.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "192.0.0.9",
    "3fff::1",
    "168.63.129.16",
    "64:ff9b:1::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:a00:1::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fec0::1",
    "ff02::1",
]


@pytest.mark.parametrize("address", PRIVATE)
def test_s3_addresses_that_are_not_of_the_public_internet_are_refused(address):
    assert not is_public(ipaddress.ip_address(address))
    with pytest.raises(EgressRefused):
        get("http://example.com/", PUBLIC, resolver=lambda host, port: [address])


@pytest.mark.parametrize(
    "address",
    ["93.184.216.34", "8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"],
)
def test_s3_public_addresses_are_public_however_they_are_written(address):
    assert is_public(ipaddress.ip_address(address))


@given(st.ip_addresses(v=4))
def test_s3_writing_an_address_as_ipv6_changes_nothing(address):
    mapped = ipaddress.IPv6Address(f"::ffff:{address}")
    translated = ipaddress.IPv6Address(int(ipaddress.IPv6Address("64:ff9b::")) + int(address))
    assert is_public(mapped) == is_public(translated) == is_public(address)


def _markdown(folder: Path, url: str) -> Path:
    path = folder / "a.md"
    path.write_text(f"# Title\n\n![x]({url}) <img src='{url}'> [[include]]: {url}\n")
    return path


def _html(folder: Path, url: str) -> Path:
    path = folder / "a.html"
    path.write_text(
        f"<!DOCTYPE html SYSTEM '{url}'><html><head><base href='{url}'><link rel=stylesheet href='{url}'></head>"
        f"<body>Words <img src='{url}'><iframe src='{url}'></iframe><object data='{url}'></object></body></html>"
    )
    return path


def _docx(folder: Path, url: str) -> Path:
    path = word(folder / "a.docx", lambda document: document.add_paragraph("Words"))
    relations = (
        '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="rId1" TargetMode="External" Target="' + url + '" Type="http://schemas.openxmlformats.org/'
        'officeDocument/2006/relationships/attachedTemplate"/></Relationships>'
    )
    return repacked(path, {"word/_rels/settings.xml.rels": relations.encode()})


@pytest.mark.parametrize(("source_type", "make"), [("markdown", _markdown), ("html", _html), ("docx", _docx)])
def test_s4_reading_a_document_fetches_nothing(server, tmp_path, source_type, make):
    path = make(tmp_path, server.url("/x"))
    [_, page] = read_pages(path, source_type=source_type)
    assert isinstance(page, PageText)
    assert server.asked == []


CLIENTS = {"requests", "httpx", "httpx2", "httpcore", "httpcore2", "aiohttp", "urllib3", "pycurl", "websockets"}
CLIENT_MODULES = {"urllib.request", "http.client", "ftplib", "smtplib", "telnetlib", "xmlrpc.client"}
BROWSERS = {"playwright", "selenium", "pyppeteer"}
EGRESS = (ROOT / "lexic" / "egress.py", ROOT / "lexic" / "egress_connection.py")
# Talks to itself on this machine; never to an address that somebody named.
LOOPBACK = ROOT / "local" / "loopback_client.py"


def _imports(tree: ast.AST) -> set[str]:
    found: set[str] = set()
    for node in _nodes_that_run(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def _nodes_that_run(node: ast.AST) -> Iterator[ast.AST]:
    """Everything but what stands under `if TYPE_CHECKING:`."""
    yield node
    is_for_types = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    for child in node.orelse if is_for_types else ast.iter_child_nodes(node):
        yield from _nodes_that_run(child)


def _clients(tree: ast.AST) -> set[str]:
    forbidden = CLIENTS | BROWSERS | CLIENT_MODULES
    return {name for name in _imports(tree) if name in forbidden or name.split(".")[0] in CLIENTS | BROWSERS}


# Asks the one address that the operator configured: nothing that people write becomes an address there.
CONFIGURED = ROOT / "querying" / "retrieval" / "rerankers" / "hosted.py"

# A session as allauth wants one, which has no connection of its own: see the test of it below.
BEHIND_EGRESS = ROOT / "organisations" / "provider_requests.py"


def test_s5_s7_s8_no_other_module_has_a_client_or_a_browser():
    """A guard added door by door misses one; so there is one door, and this is what keeps it the only one."""
    offenders = {
        str(path.relative_to(ROOT)): sorted(found)
        for path, tree in modules()
        if path not in (*EGRESS, LOOPBACK, CONFIGURED, BEHIND_EGRESS) and (found := _clients(tree))
    }
    assert "querying" in APPS
    assert offenders == {}


def test_s5_the_session_for_providers_of_organisations_goes_through_the_one_client(server, settings):
    settings.SSO_EGRESS = EgressPolicy()
    session = provider_requests.provider_session()
    assert {type(one) for one in session.adapters.values()} == {provider_requests._EgressAdapter}
    for url in (server.url("/a"), "https://127.0.0.1/", "https://[::ffff:169.254.169.254]/", "http://example.org/"):
        with pytest.raises(requests.ConnectionError):
            session.get(url)
        with pytest.raises(requests.ConnectionError):
            session.post(url, data={"code": "x"})
    assert server.asked == []


@pytest.mark.parametrize(
    "line",
    ["import requests", "from urllib import request", "import http.client as h", "from httpx2 import Client"],
)
def test_s5_the_watch_sees_every_way_to_import_a_client(line):
    assert _clients(ast.parse(f"def later():\n    {line}\n"))


def test_s6_one_get_and_nothing_before_it(server):
    server.page("/a", b"x")
    get(server.url("/a"), server.policy)
    assert [method for method, _, _ in server.asked] == ["GET"]


def test_s8_the_policy_belongs_to_the_client_not_to_the_field_an_address_came_in():
    with pytest.raises(EgressRefused):
        fetch("http://127.0.0.1/", max_bytes=10, timeout=1.0, content_types=CONTENT_TYPES)


def test_s9_an_answer_read_back_is_never_one_of_ours(server):
    server.page("/secret", b"internal", "text/plain")
    with pytest.raises(EgressRefused) as caught:
        fetch(server.url("/secret"), max_bytes=10, timeout=1.0, content_types=CONTENT_TYPES)
    assert server.asked == []
    assert "127.0.0.1" not in str(caught.value.as_dict())


def test_an_unreachable_server_leaks_no_address():
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    policy = EgressPolicy(exempt=frozenset({("127.0.0.1", port)}))
    with pytest.raises(FetchFailed) as caught:
        get(f"http://internal.example:{port}/", policy, resolver=lambda host, port: ["127.0.0.1"])
    assert "127.0.0.1" not in str(caught.value.as_dict())


def test_an_unknown_name_is_said_to_be_unknown():
    def resolver(host: str, port: int) -> list[str]:
        raise socket.gaierror("no such name")

    with pytest.raises(FetchFailed, match="name of the server"):
        get("http://nowhere.example/", PUBLIC, resolver=resolver)


def test_a_body_over_the_limit_is_cut_off(server):
    server.page("/a", b"x" * 101)
    with pytest.raises(FetchTooLarge):
        get(server.url("/a"), server.policy, max_bytes=100)
    server.page("/b", b"x" * 100)
    assert len(get(server.url("/b"), server.policy, max_bytes=100).body) == 100


def test_a_packed_body_is_unpacked_up_to_the_limit(server):
    server.page("/small", gzip.compress(b"hello"), **{"Content-Encoding": "gzip"})
    server.page("/bomb", gzip.compress(b"\0" * 50_000_000), **{"Content-Encoding": "gzip"})
    assert get(server.url("/small"), server.policy).body == b"hello"
    with pytest.raises(FetchTooLarge):
        get(server.url("/bomb"), server.policy)


@pytest.mark.parametrize("encoding", ["br", "gzip, gzip"])
def test_other_packings_are_refused(server, encoding):
    server.page("/a", b"x", **{"Content-Encoding": encoding})
    with pytest.raises(FetchFailed):
        get(server.url("/a"), server.policy)


def test_a_body_that_drips_ends_with_the_time(server):
    with pytest.raises(FetchTimedOut):
        get(server.url("/drip"), server.policy, timeout=0.3)


@pytest.mark.parametrize("content_type", ["image/png", "application/octet-stream", "text/css", ""])
def test_what_no_reader_reads_is_not_downloaded(server, content_type):
    server.page("/a", b"x", content_type)
    with pytest.raises(FetchFailed) as caught:
        get(server.url("/a"), server.policy)
    assert caught.value.code == "unsupported"


@pytest.mark.parametrize("status", [204, 401, 404, 500])
def test_an_error_of_the_server_is_told(server, status):
    server.answers["/a"] = (status, {}, b"")
    with pytest.raises(FetchFailed, match=str(status)):
        get(server.url("/a"), server.policy)


def test_the_environment_names_no_proxy(server, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    server.page("/a", b"x")
    assert get(server.url("/a"), server.policy).body == b"x"


def test_a_certificate_that_nobody_vouches_for_is_refused(server):
    policy = EgressPolicy(exempt=server.policy.exempt)
    with pytest.raises(FetchFailed):
        get(server.url("/a").replace("http:", "https:"), policy, ssl_context=ssl.create_default_context())


# --- Sending ---------------------------------------------------------------------------------------------------


def send(url: str, policy: EgressPolicy, body: bytes = b"{}", **options):
    given = {"max_bytes": 100, "timeout": 5.0, "policy": policy, "headers": {"Content-Type": "application/json"}}
    return post(url, body=body, **(given | options))


def test_what_is_sent_arrives_with_its_headers_and_the_answer_comes_back(server):
    server.answers["/a"] = (201, {"Retry-After": "7"}, b"thanks")
    body = '{"n": "é"}'.encode()
    posted = send(server.url("/a"), server.policy, body, headers={"Content-Type": "application/json", "X-Own": "1"})
    assert (posted.status, posted.excerpt, posted.retry_after) == (201, b"thanks", 7)
    [(path, headers, received)] = server.received
    assert (path, received, headers["X-Own"], headers["Content-Type"]) == ("/a", body, "1", "application/json")
    assert headers["Host"] == f"127.0.0.1:{server.port}"


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_nothing_is_sent_on_to_where_an_answer_points(server, status):
    server.redirect("/a", "/b", status)
    assert send(server.url("/a"), server.policy).status == status
    assert [path for path, _, _ in server.received] == ["/a"]


@pytest.mark.parametrize("status", [200, 404, 410, 500])
def test_every_status_is_an_answer(server, status):
    server.answers["/a"] = (status, {"Content-Type": "image/png"}, b"x")
    assert send(server.url("/a"), server.policy).status == status


def test_of_a_long_answer_only_the_beginning_is_read(server):
    server.answers["/a"] = (200, {}, b"x" * 1_000_000)
    assert send(server.url("/a"), server.policy).excerpt == b"x" * 100


def test_the_status_counts_although_the_answer_drips(server):
    posted = send(server.url("/drip"), server.policy, timeout=0.4, max_bytes=100_000)
    assert (posted.status, set(posted.excerpt)) == (200, {ord("x")})


def test_nothing_is_sent_to_an_address_that_is_not_public(server):
    for url, options in [
        (server.url("/a"), {}),
        ("http://169.254.169.254/", {}),
        ("https://example.com/", {"resolver": lambda host, port: ["10.0.0.1"]}),
    ]:
        with pytest.raises(EgressRefused):
            send(url, PUBLIC, **options)
    assert server.received == []


def test_a_receiver_that_does_not_answer_in_time_is_given_up():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        with pytest.raises(FetchTimedOut):
            send(f"http://127.0.0.1:{port}/", EgressPolicy(exempt=frozenset({("127.0.0.1", port)})), timeout=0.2)


@pytest.mark.parametrize("header", ["", "Wed, 21 Oct 2026 07:28:00 GMT", "-1", "1.5", "9" * 20])
def test_a_time_to_wait_that_is_no_number_of_seconds_is_left_alone(server, header):
    server.answers["/a"] = (429, {"Retry-After": header}, b"")
    assert send(server.url("/a"), server.policy).retry_after is None


# --- Asking an API ----------------------------------------------------------------------------------------------


def ask(url: str, policy: EgressPolicy, **options):
    given = {"headers": {"Authorization": "Bearer t0ken"}, "max_bytes": 100, "timeout": 5.0, "policy": policy}
    return egress.get(url, **(given | options))


@pytest.mark.parametrize("status", [200, 401, 403, 404, 500])
def test_what_an_api_says_comes_back_whatever_its_status(server, status):
    server.answers["/a"] = (status, {"Content-Type": "application/json"}, b"{}")
    said = ask(server.url("/a"), server.policy)
    assert (said.status, said.body) == (status, b"{}")
    assert server.headers["/a"]["Authorization"] == "Bearer t0ken"


def test_an_api_says_how_long_to_wait(server):
    server.answers["/a"] = (429, {"Retry-After": "7"}, b"")
    assert ask(server.url("/a"), server.policy).retry_after == 7


def test_of_a_long_error_the_beginning_is_kept_and_a_long_answer_is_refused(server):
    server.answers["/a"] = (200, {}, b"x" * 101)
    with pytest.raises(FetchTooLarge):
        ask(server.url("/a"), server.policy)
    server.answers["/b"] = (500, {}, b"x" * 200_000)
    assert len(ask(server.url("/b"), server.policy).body) == 64 * 1024


def test_headers_go_with_a_redirect_to_the_same_server_and_to_no_other(server):
    with running() as other:
        server.redirect("/same", "/a")
        server.redirect("/other", other.url("/a"))
        for one in (server, other):
            one.page("/a", b"x")
        policy = EgressPolicy(exempt=server.policy.exempt | other.policy.exempt)
        assert ask(server.url("/same"), policy).body == ask(server.url("/other"), policy).body == b"x"
        assert server.headers["/a"]["Authorization"] == "Bearer t0ken"
        assert "Authorization" not in other.headers["/a"]


def test_an_api_leads_to_no_private_address(server):
    server.redirect("/a", "http://169.254.169.254/computeMetadata/v1/")
    server.redirect("/loop", "/loop")
    with pytest.raises(EgressRefused):
        ask(server.url("/a"), server.policy)
    with pytest.raises(FetchFailed, match="too many"):
        ask(server.url("/loop"), server.policy)
