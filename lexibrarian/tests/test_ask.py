"""`lexi ask`: sentences as they stand in the files, with their place, or nothing."""

from __future__ import annotations

import hashlib

import pytest
from example_library import Library

from lexibrarian.archivist.redact import has_secret_name, redact
from lexibrarian.passages import code_lines, sentences, split_code, split_text
from lexibrarian.stemming import question_terms, stem, terms

TOKENS = '''"""Session tokens."""

LIFETIME = 900


def rotate(token: str) -> str:
    """Issue a new refresh token.

    The old refresh token is revoked in the same
    transaction, so that it works once.
    """
    return token
'''

NOTE = "Carts expire at midnight."


@pytest.fixture
def asked(shop: Library) -> Library:
    """The shop with tokens and a post about them."""
    shop.write("src/auth/tokens.py", TOKENS)
    shop.lexictl("update")
    problem = "Refresh tokens are rejected when the clock of a server is late."
    shop.lexi("stack", "post", "--title", "Late clocks", "--tag", "auth", "--problem", problem, "--evidence", "Logs.")
    return shop


def test_an_answer_is_a_sentence_that_stands_where_it_says(asked: Library) -> None:
    done = asked.lexi("ask", "When is the old refresh token revoked?", "--json")
    assert done.code == 0
    first = done.data["answers"][0]
    assert first["text"] == "The old refresh token is revoked in the same transaction, so that it works once."
    assert (first["path"], first["line"], first["end_line"]) == ("src/auth/tokens.py", 9, 10)
    assert first["hash"] == hashlib.sha256(TOKENS.encode()).hexdigest()
    plain = asked.lexi("ask", "When", "is the old", "refresh token revoked?").out
    assert "\n  src/auth/tokens.py:9\n" in plain


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "src/auth/family.py",
            'class Family:\n    """Keeps refresh tokens."""\n\n    def rotate(\n        self,\n    ) -> str:\n'
            '        """Exchange a refresh token for the next one of its family."""\n',
        ),
        (
            "src/auth/family.go",
            "package auth\n\n// Keeps refresh tokens.\nvar kept = 1\n\n"
            "// Exchange a refresh token for the next one of its family.\nfunc Rotate() {}\n",
        ),
    ],
)
def test_what_a_function_says_of_itself_is_found_by_its_name(library: Library, path: str, text: str) -> None:
    library.write(path, text)
    library.lexictl("update")
    [first, *_] = library.lexi("ask", "How are refresh tokens rotated?", "--json").data["answers"]
    assert first["text"] == "Exchange a refresh token for the next one of its family."
    assert first["path"] == path


def test_what_a_file_is_for_counts_for_its_sentences(library: Library) -> None:
    library.write(
        "src/a.py", '"""Invoices of customers."""\n\n\ndef send() -> None:\n    """Send it by mail at night."""\n'
    )
    library.write("src/b.py", '"""Reports of staff."""\n\n\ndef send() -> None:\n    """Send it by mail at night."""\n')
    library.lexictl("update")
    found = library.lexi("ask", "Are invoices sent by mail at night?", "--json").data["answers"]
    assert found[0]["path"] == "src/a.py"


def test_posts_and_what_agents_wrote_are_asked_too(asked: Library) -> None:
    (first, *_) = asked.lexi("ask", "Why are refresh tokens rejected by a server?", "--json").data["answers"]
    assert first["path"] == ".lexibrary/stack/ST-001-late-clocks.md"
    assert asked.read(first["path"]).splitlines()[first["line"] - 1] == first["text"]
    asked.edit(
        ".lexibrary/src/shop/cart.py.md", "## Dependents", "## Notes\n\nCarts expire at midnight.\n\n## Dependents"
    )
    (first, *_) = asked.lexi("ask", "When do carts expire?", "--json").data["answers"]
    assert first["text"] == "Carts expire at midnight."


def test_what_nobody_wrote_is_not_answered(asked: Library) -> None:
    for question in ("How are blockchain transactions mined?", "Which refresh rate has the monitor of the cashier?"):
        done = asked.lexi("ask", question, "--json")
        assert done.code == 0
        assert done.data["answers"] == []
    assert "do not say" in asked.lexi("ask", "How are blockchain transactions mined?").out
    near = asked.lexi("ask", "Does a token contain blockchain transactions?", "--json").data
    assert near["answers"] == []
    assert near["nearest"]
    assert asked.lexi("ask", "?!").code == 1
    assert asked.lexi("ask").code == 1


def test_a_file_that_changed_since_the_update_is_read_as_it_is(asked: Library) -> None:
    question = "When is the old refresh token revoked?"
    asked.lexi("ask", question)
    asked.write("src/auth/tokens.py", "# A line.\n# Another one.\n\n" + TOKENS)
    (first, *_) = asked.lexi("ask", question, "--json").data["answers"]
    assert (first["line"], first["end_line"]) == (12, 13)
    asked.write("src/auth/tokens.py", "x = 1\n")
    assert "revoked" not in asked.lexi("ask", question).out
    (asked.root / "src/auth/tokens.py").unlink()
    assert "revoked" not in asked.lexi("ask", question).out


def test_an_answer_out_of_a_stale_design_file_says_so(asked: Library) -> None:
    asked.edit(
        ".lexibrary/src/shop/cart.py.md", "## Dependents", "## Notes\n\nCarts expire at midnight.\n\n## Dependents"
    )
    asked.write("src/shop/cart.py", "x = 1\n")
    assert "(older than its source)" in asked.lexi("ask", "When do carts expire?").out


def test_an_answer_out_of_a_design_file_whose_empty_source_is_gone_says_so(asked: Library) -> None:
    asked.write("src/shop/till.py", "")
    asked.lexictl("update")
    asked.edit(
        ".lexibrary/src/shop/till.py.md", "## Dependents", "## Notes\n\nTills close at midnight.\n\n## Dependents"
    )
    question = ("ask", "When do tills close?", "--json")
    assert [each["stale"] for each in asked.lexi(*question).data["answers"]] == [False]
    (asked.root / "src/shop/till.py").unlink()
    assert [each["stale"] for each in asked.lexi(*question).data["answers"]] == [True]


@pytest.mark.parametrize("mark", ["\f", "\v", "\x1c", "\x85", "\u2028"])
def test_a_line_ends_where_editors_end_it(asked: Library, mark: str) -> None:
    asked.write("src/auth/tokens.py", f"# One{mark}line.\n{mark}\n{TOKENS}")
    for _ in range(2):
        (first, *_) = asked.lexi("ask", "When is the old refresh token revoked?", "--json").data["answers"]
        assert (first["path"], first["line"], first["end_line"]) == ("src/auth/tokens.py", 11, 12)
        asked.lexictl("update")


def test_questions_change_no_file_that_is_committed_and_need_no_index(asked: Library) -> None:
    before = asked.everything()
    index = asked.root / ".lexibrary/index.db"
    question = ("ask", "When is the old refresh token revoked?", "--json")
    expected = asked.lexi(*question).data
    for damage in (index.unlink, lambda: index.write_bytes(b"no database"), lambda: index.write_bytes(b"")):
        damage()
        assert asked.lexi(*question).data == expected
    assert asked.everything() == before
    asked.lexictl("update")
    assert "src/shop/cart.py" in asked.lexi("lookup", "src/shop/money.py").out


def test_a_library_that_cannot_be_written_is_asked_in_memory(asked: Library) -> None:
    index = asked.root / ".lexibrary/index.db"
    index.unlink()
    index.mkdir()
    assert "revoked" in asked.lexi("ask", "When is the old refresh token revoked?").out


def test_secrets_are_neither_indexed_nor_quoted(asked: Library) -> None:
    secrets = ["AKIAQ3EGUWYJ5BKHCVLM", "ghp_q7Bf2mXw9LkTz4RvNc8JpYs1HdGe6Ua3Ki0o", "tr0ub4dor-and-3"]
    asked.write(".env", f"MAIL_PASSWORD={secrets[2]}\n")
    asked.write(
        "src/mail.py", f'"""Sends mail with {secrets[0]}."""\nTOKEN = "{secrets[1]}"\npassword = "{secrets[2]}"\n'
    )
    asked.lexictl("update")
    out = asked.lexi("ask", "What does the mail token and password look like?").out
    out += asked.lexi("ask", "Who sends mail?").out
    index = (asked.root / ".lexibrary/index.db").read_bytes().lower()
    for secret in secrets:
        assert secret not in out
        assert secret.lower().encode() not in index
    assert secrets[0] not in asked.design("src/mail.py")


@pytest.mark.parametrize(
    "text",
    [
        "postgres://lexic:k3yb0ard@localhost/db",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIk3yb0ard\n-----END RSA PRIVATE KEY-----",
        'def login(password: str = "k3yb0ard") -> None: ...',
        '{"apiKey": "k3yb0ard"}',
        "client_secret: k3yb0ard",
        "export API_TOKEN=k3yb0ard",
        "auth = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.k3yb0ard'",
    ],
)
def test_values_that_look_like_secrets_are_taken_out(text: str) -> None:
    assert "k3yb0ard" not in redact(text)
    assert "[redacted]" in redact(text)
    assert redact(text).count("\n") == text.count("\n")


@pytest.mark.parametrize(
    "text",
    [
        "def rotate(token: str) -> str:",
        "The password is asked for twice.",
        'def save(self, password_field_name="password1"): ...',
        'password = os.environ["MAIL_PASSWORD"]',
        "max_tokens: 200",
        "https://example.com/a/path/that/is/rather/long/and/harmless",
    ],
)
def test_other_text_stays_as_it_is(text: str) -> None:
    assert redact(text) == text


def test_names_that_promise_secrets() -> None:
    assert all(map(has_secret_name, (".env", "a/.env.local", "key.pem", "ops/id_rsa", "db-credentials.json")))
    assert not any(map(has_secret_name, ("secrets.py", "docs/secret-handling.md", "environment.py", "keys/list.txt")))


def test_words_that_mean_the_same_are_one() -> None:
    assert len({stem(word) for word in ("rotate", "rotates", "rotated", "rotating", "rotation")}) == 1
    assert stem("stopped") == stem("stops")
    assert stem("named") == stem("names")
    assert stem("wine") != stem("wins")
    assert terms("refreshToken HTTPKey") == ["refresh", "token", "refreshtoken", "http", "key", "httpkey"]
    assert question_terms("How are the API keys of a `KeyStore` hashed?") == ["api", "key", "stor", "hash"]


def test_texts_are_cut_at_headings_and_code_at_blocks() -> None:
    lines = ["# A", "One.", "```", "# no heading", "```", "## Dependencies", "- x", "## B", "Two. Three", "is four."]
    assert [(each.head, each.start, each.end) for each in split_text(lines, library=True)] == [
        ("A", 1, 5),
        ("A B", 8, 10),
    ]
    assert [each.start for each in split_text(lines, library=False)] == [1, 6, 8]
    found = [(each.text, each.start, each.end) for each in sentences(lines[8:], 9)]
    assert found == [("Two.", 9, 9), ("Three is four.", 9, 10)]
    code = ["import x", "", "", "def a():", "    # Why it", "    # is so.", "    return 1", "", "def b():", "    pass"]
    assert [(each.start, each.end) for each in split_code(code)] == [(1, 8), (9, 10)]
    assert [(each.text, each.start) for each in code_lines(code[3:7], 4)][1] == ("Why it is so.", 5)


def test_only_the_marks_that_opened_code_close_it() -> None:
    lines = ["# A", "````text", "```", "# no heading", "````", "## B", "Two.", "~~~", "```", "~~~", "## C ", "Three."]
    assert [(each.head, each.start, each.end) for each in split_text(lines, library=False)] == [
        ("A", 1, 5),
        ("A B", 6, 10),
        ("A C", 11, 12),
    ]
