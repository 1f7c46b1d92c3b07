"""Posts: numbers, answers, votes; and that old text stays byte for byte."""

from __future__ import annotations

import pytest
from example_library import Library
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lexibrarian.artefacts.post import read_post

SAMPLE = """---
id: ST-001
title: "Naive datetimes corrupt data silently"
tags: [datetime, data-integrity]
status: resolved
created: 2026-01-15
author: agent-abc
bead: null
votes: 3
duplicate_of: null
refs:
  concepts: [DateHandling]
  files: [src/models/event.py]
  designs: [src/models/event.py.md]
---

## Problem
Comparing a naive with an aware one fails.

### Evidence
- `tests/test_events.py::test_overlap`

---

## Answers

### A1
**Date:** 2026-01-15 | **Author:** agent-def | **Votes:** 2 | **Accepted:** true

Use one function for now.

```
### A7
**Votes:** 9
```

#### Comments
- **2026-01-16 agent-ghi:** The old function is deprecated too,
  and should go.

---

### A2
**Date:** 2026-01-17 | **Author:** agent-xyz | **Votes:** -1

Convert where it is needed.

#### Comments
- **2026-01-17 agent-abc [downvote]:** This misses places.
"""


@pytest.fixture
def sample(library: Library) -> Library:
    library.write(".lexibrary/stack/ST-001-naive.md", SAMPLE)
    return library


def text(library: Library) -> str:
    return library.read(".lexibrary/stack/ST-001-naive.md")


def test_lb_070_071_130_a_post_written_elsewhere_is_read() -> None:
    post = read_post("ST-001-naive", SAMPLE)
    assert (post.id, post.status, post.votes, post.tags) == ("ST-001", "resolved", 3, ["datetime", "data-integrity"])
    assert [(each.number, each.votes, each.accepted) for each in post.answers] == [(1, 2, True), (2, -1, False)]
    assert post.evidence.startswith("- `tests/test_events.py")
    assert post.refs("designs") == ["src/models/event.py.md"]


def test_lb_069_070_082_posts_are_numbered_from_the_highest(sample: Library) -> None:
    sample.write("src/a.py", "def a(): ...\n")
    sample.write(".lexibrary/stack/ST-041-x.md", "---\nid: ST-041\n---\n")
    done = sample.lexi(
        "stack", "post", "--title", "Größe: zu groß!", "--tag", "Data Size", "--file", "src/a.py", "--bead", "b-1"
    )
    assert done.out.startswith(
        "Created .lexibrary/stack/ST-042-groe-zu-gro.md. Still to be filled in: Problem and Evidence."
    )
    post = read_post("ST-042-groe-zu-gro", sample.read(".lexibrary/stack/ST-042-groe-zu-gro.md"))
    assert list(post.fields) == [
        "id",
        "title",
        "tags",
        "status",
        "created",
        "author",
        "bead",
        "votes",
        "duplicate_of",
        "refs",
    ]
    assert (post.title, post.tags, post.refs("files"), post.fields["bead"]) == (
        "Größe: zu groß!",
        ["data-size"],
        ["src/a.py"],
        "b-1",
    )
    assert len(post.hashes["src/a.py"]) == 64


def test_lb_072_answers_are_added_at_the_end(sample: Library) -> None:
    done = sample.lexi("stack", "answer", "ST-001", "--body", "Third.\n\n## Problem\n### A9\n```\n# fine")
    assert done.out == "Added answer A3 to ST-001.\n"
    after = text(sample)
    assert after.startswith(SAMPLE)
    assert [each.number for each in read_post("x", after).answers] == [1, 2, 3]
    sample.lexi("stack", "answer", "1", "--body", "Fourth.")
    assert text(sample).startswith(after)
    assert [each.number for each in read_post("x", text(sample)).answers] == [1, 2, 3, 4]


def test_lb_074_votes_are_sums_and_leave_a_comment(sample: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEXI_AUTHOR", "alice")
    assert sample.lexi("stack", "vote", "ST-001", "up").out == "upvote on ST-001, votes: 4\n"
    done = sample.lexi("stack", "vote", "ST-001", "down", "--answer", "1", "--comment", "Slow.")
    assert done.out == "downvote on ST-001 A1, votes: 1\n"
    lines = text(sample).splitlines()
    assert sum("alice [upvote]:**" in line for line in lines) == 1
    assert sum(line.endswith("alice [downvote]:** Slow.") for line in lines) == 1
    assert lines.index(next(line for line in lines if "[upvote]" in line)) < lines.index("## Answers")
    assert "**Votes:** 9" in lines
    old, new = SAMPLE.splitlines(), lines
    assert [line for line in old if line not in new] == [
        "votes: 3",
        "**Date:** 2026-01-15 | **Author:** agent-def | **Votes:** 2 | **Accepted:** true",
    ]


def test_a_downvote_needs_a_reason(sample: Library) -> None:
    done = sample.lexi("stack", "vote", "ST-001", "down")
    assert done.code == 1
    assert "--comment" in done.err
    assert text(sample) == SAMPLE


def test_lb_083_a_named_author_has_one_vote_and_one_answer_is_accepted(
    sample: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEXI_AUTHOR", "alice")
    sample.lexi("stack", "vote", "ST-001", "up")
    assert sample.lexi("stack", "vote", "ST-001", "up").code == 1
    assert sample.lexi("stack", "vote", "ST-001", "down", "--comment", "No.").out.endswith("votes: 2\n")
    sample.lexi("stack", "accept", "ST-001", "--answer", "2")
    post = read_post("x", text(sample))
    assert [each.accepted for each in post.answers] == [False, True]


def test_lb_075_076_077_statuses(library: Library) -> None:
    for title in ("One", "Two"):
        library.lexi("stack", "post", "--title", title, "--tag", "x", "--problem", "P", "--evidence", "E")
    library.lexi("stack", "answer", "ST-001", "--body", "Do.")
    assert library.lexi("stack", "accept", "ST-001", "--answer", "1").out == "Accepted A1: ST-001 is resolved.\n"
    assert library.lexi("stack", "list", "--status", "resolved").out == "ST-001  [resolved] ▲0  One\n"
    assert library.lexi("stack", "duplicate", "ST-002", "--of", "1").out == "ST-002 is a duplicate of ST-001.\n"
    assert "duplicate_of: ST-001" in library.read(".lexibrary/stack/ST-002-two.md")
    assert library.lexi("stack", "mark-outdated", "ST-001").out == "ST-001 is outdated.\n"
    assert library.lexi("stack", "duplicate", "ST-001", "--of", "ST-001").code == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("view", "ST-009"),
        ("answer", "9", "--body", "x"),
        ("vote", "ST-009", "up"),
        ("accept", "ST-009", "--answer", "1"),
        ("mark-outdated", "x"),
    ],
)
def test_posts_that_are_not_there(sample: Library, arguments: tuple[str, ...]) -> None:
    done = sample.lexi("stack", *arguments)
    assert done.code == 1
    assert "Post not found" in done.err
    assert sample.lexi("stack", "accept", "ST-001", "--answer", "5").code == 1
    assert text(sample) == SAMPLE


def test_lb_078_140_141_posts_are_searched_and_viewed(sample: Library) -> None:
    def found(*arguments: str) -> bool:
        return "ST-001" in sample.lexi("stack", "search", *arguments).out

    assert found("naive overlap")
    assert found("convert WHERE")
    assert not found("naive elephant")
    assert found("--scope", "src/models/")
    assert not found("--scope", "lib")
    assert found("--concept", "datehandling")
    assert found("--tag", "datetime", "--status", "resolved")
    assert not found("--status", "open")
    assert sample.lexi("stack", "search", "elephant").out == "No posts found.\n"
    view = sample.lexi("stack", "view", "ST-001")
    assert view.out.startswith("ST-001  [resolved] ▲3  Naive datetimes")
    assert "Convert where it is needed." in view.out
    assert sample.lexi("stack", "view", "1", "--json").data["answers"][1] == {
        "number": 2,
        "votes": -1,
        "accepted": False,
    }


OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("answer"), st.text(alphabet="ab#- \n`~*|", min_size=1, max_size=40)),
        st.tuples(st.just("up"), st.sampled_from(["", "1", "2"])),
        st.tuples(st.just("down"), st.sampled_from(["", "1", "2"])),
        st.tuples(st.just("accept"), st.sampled_from(["1", "2"])),
        st.tuples(st.just("outdated"), st.just("")),
    ),
    min_size=1,
    max_size=30,
)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(OPERATIONS)
def test_lb_039_whatever_is_done_the_words_of_others_stay(sample: Library, operations: list[tuple[str, str]]) -> None:
    sample.write(".lexibrary/stack/ST-001-naive.md", SAMPLE)
    answers, votes = 2, 3
    for what, value in operations:
        number = ("--answer", value) if value in ("1", "2") else ()
        if what == "answer":
            answers += sample.lexi("stack", "answer", "1", "--body", value).code == 0
        elif what == "accept":
            assert sample.lexi("stack", "accept", "1", *number).code == 0
        elif what == "outdated":
            assert sample.lexi("stack", "mark-outdated", "1").code == 0
        else:
            assert sample.lexi("stack", "vote", "1", what, *number, "--comment", "Why.").code == 0
            votes += 0 if number else 1 if what == "up" else -1
    post = read_post("x", text(sample))
    assert [each.number for each in post.answers] == list(range(1, answers + 1))
    assert post.votes == votes
    # The words of the sample are all there, in their order.
    words = iter(text(sample).splitlines())
    kept = [line for line in SAMPLE.splitlines() if not line.startswith(("votes:", "status:", "**Date:**"))]
    assert all(line in words for line in kept)
