"""docs/*.md as pages."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.conf import settings
from django.test import Client
from django.urls import Resolver404, resolve
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from marketplace.site.guides import GUIDE_ENTRIES, GUIDE_NAMES, load_guide
from marketplace.site.markdown_html import GuideRenderer
from marketplace.site.sdk_wheel import build_sdk_wheel

NAMED = sorted(GUIDE_NAMES)


def drawn(text: str) -> str:
    parser = MarkdownIt("commonmark").enable("table")
    return GuideRenderer(guides={"api", "other"}).render(parser.parse(text), parser.options, {}).rstrip("\n")


@pytest.mark.parametrize("name", NAMED)
def test_every_guide_shows_its_programs_as_they_stand(name: str) -> None:
    text = (settings.BASE_DIR / "docs" / f"{name}.md").read_text(encoding="utf-8")
    if name != "operations":  # in the others, examples ask this site
        text = re.sub(r"https://lexic\.example\.org|http://127\.0\.0\.1:8000", settings.PUBLIC_URL, text)
        text = text.replace(build_sdk_wheel().address, build_sdk_wheel().pinned)
    programs = re.findall(r"^```\w*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    shown = re.findall(r"<pre[^>]*><code>(.*?)</code></pre>", load_guide(name).content, re.DOTALL)
    assert [unescape(re.sub(r"</?span[^>]*>", "", code)) for code in shown] == programs


def test_a_column_without_a_head_has_no_empty_one() -> None:
    html = drawn("| | price |\n| --- | --- |\n| tea | 2 |")
    assert '<tr><td></td><th scope="col">price</th></tr>' in html.replace("\n", "")


def test_code_is_coloured_and_escaped() -> None:
    html = drawn('```python\nif x < 1:  # <b>\n    say("a & b")\n```')
    assert '<span class="tok-k">if</span>' in html
    assert '<span class="tok-c"># &lt;b&gt;</span>' in html
    assert "a &amp; b" in html
    assert "<b>" not in html
    assert "tok-" not in drawn("```nonsense\nif x\n```")


@pytest.mark.parametrize("name", NAMED)
def test_every_link_leads_somewhere(name: str) -> None:
    for address in re.findall(r'href="([^"]+)"', load_guide(name).content):
        path, _, anchor = unescape(address).partition("#")
        if path.startswith("https://"):
            continue
        target = resolve(path.partition("?")[0] or "/docs")
        if target.url_name == "guide" or not path:
            where = load_guide(target.kwargs["name"] if path else name)
            assert not anchor or f' id="{anchor}"' in where.content, address


@pytest.mark.parametrize("name", NAMED)
def test_nothing_of_the_markup_is_left_over(name: str) -> None:
    without_code = re.sub(r"<(pre|code)[^>]*>.*?</\1>", "", load_guide(name).content, flags=re.DOTALL)
    assert not re.search(r"`|\*\*|\]\(|^\|", without_code, re.MULTILINE)


@pytest.mark.parametrize("name", NAMED)
def test_every_anchor_is_there_once(name: str) -> None:
    anchors = re.findall(r' id="([^"]+)"', load_guide(name).content)
    assert len(anchors) == len(set(anchors))
    assert {anchor for anchor, _ in load_guide(name).sections} <= set(anchors)


@pytest.mark.django_db
@pytest.mark.parametrize("name", NAMED)
def test_anybody_may_read_it_and_comes_to_the_others(client: Client, name: str) -> None:
    content = client.get(f"/docs/{name}").content.decode()
    assert f'<link rel="canonical" href="{settings.PUBLIC_URL}/docs/{name}">' in content
    assert [f'href="/docs/{entry.name}"' in content for entry in GUIDE_ENTRIES] == [True] * len(GUIDE_ENTRIES)
    assert content.count('aria-current="page"') == 2  # in the bar and in the menu


@pytest.mark.django_db
def test_the_first_guide_is_the_way_in(client: Client) -> None:
    content = client.get("/docs").content.decode()
    assert '<h1 class="big">Quickstart</h1>' in content
    assert f'href="{settings.PUBLIC_URL}/docs/quickstart"' in content


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/docs/nothing", "/docs/dependencies", "/docs/..%2Fapi", "/docs/nothing.md"])
def test_what_is_not_in_the_menu_is_not_there(client: Client, path: str) -> None:
    assert client.get(path).status_code == 404


@pytest.mark.django_db
def test_the_old_address_leads_to_the_guide(client: Client) -> None:
    assert client.get("/api/quickstart").headers["Location"] == "/docs/api"


@pytest.mark.django_db
def test_the_page_of_all_operations_stands_in_the_same_menu(client: Client) -> None:
    content = client.get("/api/docs").content.decode()
    assert 'href="/docs/api"' in content
    assert '<a href="/api/docs" aria-current="page">' in content


def test_links_between_guides_are_rewritten_and_files_are_no_links() -> None:
    assert drawn("[a](other.md#part) [b](docs/api.md) [c](../README.md) [d](https://x.example/)") == (
        '<p><a href="/docs/other#part">a</a> <a href="/docs/api">b</a> c <a href="https://x.example/">d</a></p>'
    )


@pytest.mark.parametrize("address", ["javascript:alert(1)", "//evil.example", "data:text/html,x", "ftp://x.example"])
def test_no_other_kind_of_address_becomes_a_link(address: str) -> None:
    assert "href" not in drawn(f"[words]({address})")


def test_lists_may_be_nested_and_pictures_are_their_words() -> None:
    nested = "<ul><li>one<ul><li>two</li></ul></li><li>three</li></ul>"
    assert drawn("- one\n  - two\n- three").replace("\n", "") == nested
    assert drawn("![a picture](x.png)") == "<p>a picture</p>"


def test_no_column_has_a_style_of_its_own() -> None:
    assert "style" not in drawn("| a | b |\n| --: | :-: |\n| 1 | 2 |")


def test_headings_of_the_same_words_get_anchors_of_their_own() -> None:
    assert re.findall(r'id="([^"]+)"', drawn("## Part\n\n## Part\n\n## [Part](other.md)")) == [
        "part",
        "part-2",
        "part-3",
    ]


@given(st.text(alphabet=st.sampled_from("ab<>&\"'[]()#*`-|\n !:/x"), max_size=80))
def test_whatever_stands_in_it_nothing_but_our_own_markup_comes_out(text: str) -> None:
    tags = set(re.findall(r"<\s*/?\s*([a-z0-9]+)", drawn(text)))
    ours = "a p h2 h3 h4 ul ol li div header button pre code em strong table thead tbody tr th td br hr"
    assert tags <= set(ours.split())


def test_addresses_of_our_own_that_guides_name_exist() -> None:
    for entry in GUIDE_ENTRIES:
        for path in re.findall(r"\]\((/[^)#?]*)", (settings.BASE_DIR / "docs" / f"{entry.name}.md").read_text()):
            try:
                resolve(path)
            except Resolver404:
                pytest.fail(f"{entry.name}.md leads to {path}, which is not there")
