from __future__ import annotations

import pytest

from knowledge.readers.types import EmptyDocument, TooLarge
from language.lists import find_lists
from tests.knowledge.readers.made import read_here, read_text


def page(path, body: str, head: str = "<title>Cover</title>"):
    path.write_text(f"<!doctype html><html><head>{head}</head><body>{body}</body></html>", encoding="utf-8")
    return path


def test_blocks_become_lines_and_headings_are_found(tmp_path):
    header, [read] = read_here(
        page(
            tmp_path / "a.html",
            "<h1>Nominal  cover</h1><p>First <b>bold</b>\n text.<br>Next</p><ul><li>a<li>b</ul>",
        ),
        "html",
    )
    assert read.text == "Nominal cover\n\nFirst bold text.\nNext\n\na\nb"
    assert [(h.start, h.level, h.title) for h in read.headings] == [(0, 1, "Nominal cover")]
    assert (header.title, header.paged) == ("Cover", False)


def test_the_first_heading_stands_in_for_a_title(tmp_path):
    assert read_here(page(tmp_path / "a.html", "<h1>Heading</h1>", head=""), "html")[0].title == "Heading"


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>x</script>",
        "<style>x</style>",
        "<template>x</template>",
        "<noscript>x</noscript>",
        "<p hidden>x</p>",
        "<div aria-hidden=true><p>x</p></div>",
        "<div style='color:red; display : NONE'>x</div>",
        "<span style='visibility:hidden'>x</span>",
        "<span style='font-size:0px'>x</span>",
        "<!-- x -->",
        "<svg><text>x</text></svg>",
    ],
)
def test_what_nobody_sees_is_left_out_but_not_what_follows(tmp_path, hidden):
    assert read_text(page(tmp_path / "a.html", f"seen {hidden} also"), "html").split() == ["seen", "also"]


def test_a_table_is_read_row_by_row(tmp_path):
    table = (
        "<table><tr><th>Exposure<th>Cover</tr><tr><td rowspan=2>Severe<td>45 mm</tr>"
        "<tr><td>50 <i>mm</i></tr></table><p>After"
    )
    assert read_text(page(tmp_path / "a.html", table), "html").split("\n") == [
        "Exposure | Cover",
        "Exposure: Severe | Cover: 45 mm",
        "Exposure: Severe | Cover: 50 mm",
        "",
        "After",
    ]


@pytest.mark.parametrize("where", ["before", "after"])
def test_a_caption_stands_above_the_rows(tmp_path, where):
    caption, rows = "<caption>Table 4: <b>cover</b></caption>", "<tr><th>Class<th>Cover<tr><td>XC1<td>45 mm</tr>"
    table = f"<p>Before<table>{caption if where == 'before' else ''}{rows}{caption if where == 'after' else ''}</table>"
    read = read_text(page(tmp_path / "a.html", table), "html")
    assert read == "Before\n\nTable 4: cover\nClass | Cover\nClass: XC1 | Cover: 45 mm"


def test_a_caption_that_nobody_sees_is_left_out(tmp_path):
    table = "<table><caption hidden>x</caption><tr><th>Class<th>Cover<tr><td>XC1<td>45 mm</table>"
    assert read_text(page(tmp_path / "a.html", table), "html").startswith("Class | Cover")


@pytest.mark.parametrize(
    "title",
    [
        "<h2><button>How thick?</button></h2>",
        "<h2 class=accordion-header><button aria-expanded=false><span>How thick?</span></button></h2>",
        "<details><summary><button>How thick?</button></summary></details>",
        "<div><button aria-controls=a>How thick?</button></div>",
    ],
)
def test_a_button_that_opens_an_answer_is_its_title(tmp_path, title):
    html = f"{title}<div id=a>45 mm.</div><button>Send</button>"
    _, [read] = read_here(page(tmp_path / "a.html", html), "html")
    assert read.text.split() == ["How", "thick?", "45", "mm."]
    assert [one.title for one in read.headings] == (["How thick?"] if "h2" in title else [])


def test_a_button_that_nobody_sees_is_left_out(tmp_path):
    html = "<h2>Cover<button aria-hidden=true>x</button><button hidden>x</button></h2>"
    assert read_text(page(tmp_path / "a.html", html), "html") == "Cover"


@pytest.mark.parametrize(
    "opened",
    [
        "<button aria-controls=a>Seen</button><div id=a hidden>45 mm</div>",
        "<button aria-controls='b a' aria-expanded=false>Seen</button><div id=a style='Display: none'>45 mm</div>",
        "<h3><a href=#a aria-controls=a>Seen</a></h3><div id=a aria-hidden=true>45 mm</div>",
        "<div id=a aria-hidden=true hidden>45 mm</div><div role=button aria-controls=a>Seen</div>",
        "<button role=tab>Seen</button><div role=tabpanel hidden>45 mm</div>",
        "<div hidden=until-found>Seen 45 mm</div>",
        "<details><summary>Seen</summary>45 mm</details>",
        "<form><div><button aria-controls=a>Seen</button><div id=a hidden>45 mm</div></div></form>",
        "<button aria-controls=a>Seen</button><div id=a hidden><p>45</p><p role=alert>mm</p></div>",
    ],
)
def test_what_a_click_opens_is_read(tmp_path, opened):
    assert set(read_text(page(tmp_path / "a.html", opened), "html").split()) == {"Seen", "45", "mm"}


@pytest.mark.parametrize(
    "hidden",
    [
        "<div id=a hidden>x</div><p id=b>Seen</p><button aria-controls=b>Seen</button>",
        "<template><button aria-controls=a>x</button></template><div id=a hidden>x</div>",
        "<button hidden aria-controls=a>x</button><div id=a hidden>x</div>",
        "<div hidden><button aria-controls=a>x</button><div id=a hidden>x</div></div>",
        "<input role=combobox aria-controls=a><ul id=a hidden><li>x</ul>",
        "<a aria-haspopup=menu aria-controls=a></a><ul id=a hidden><li>x</ul>",
        "<button aria-controls=a></button><template id=a>x</template><div role=tabpanel><p hidden>x</p></div>",
        "<button aria-controls=a aria-expanded=false>Menu</button><nav id=a hidden><a href=/>x</a></nav>",
        "<button aria-controls=a>Menu</button><div id=a hidden> <div><nav><a href=/>x</a></nav></div> </div>",
        "<nav><button aria-controls=a>Shop</button><ul id=a hidden><li>x</ul></nav>",
        "<a href=#a aria-controls=a>Sign in</a><div id=a hidden><form>x</form></div>",
        "<div><form><button aria-controls=a>More</button><div id=a hidden>x</div></form></div>",
        "<button aria-controls=a>Cookies</button><div id=a role='dialog' style='display:none'><p>x</p></div>",
        "<button aria-controls=a>Send</button><p id=a role=Status hidden>x</p>",
        "<button aria-controls=a>Send</button><div role=alert><p id=a hidden>x</p></div>",
    ],
)
def test_what_no_click_opens_stays_hidden(tmp_path, hidden):
    assert "x" not in read_text(page(tmp_path / "a.html", f"Seen {hidden}"), "html")


def test_a_page_laid_out_by_a_table_reads_as_text(tmp_path):
    layout = "<table><tr><td><table><tr><td>a<td>b<tr><td>c<td>d</table><td>menu</table>"
    assert read_text(page(tmp_path / "a.html", layout), "html").split("\n")[-1] == "menu"


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("10<sup>6</sup> cycles", "10⁶ cycles"),
        ("10<sup>-3</sup> m", "10⁻³ m"),
        ("10<span style='vertical-align: super'>6</span>", "10⁶"),
        ("25 m<sup>2</sup> and 3 cm<sup>3</sup>", "25 m² and 3 cm³"),
        ("9.81 m s<sup>−2</sup>", "9.81 m s⁻²"),
        ("x<sup>2</sup>", "x²"),
        ("30 mm<sup>1</sup>", "30 mm"),
        ("30<sup><a href='#n6'>6</a></sup> mm", "30 mm"),
        ("30<a href='#n6'><sup>6</sup></a> mm", "30 mm"),
        ("The cover<sup>1</sup> of steel.<sup>2, 3</sup>", "The cover of steel."),
        ("<sup>1</sup> On the coast.", "1 On the coast."),
        ("the 14<sup>th</sup> day, CO<sub>2</sub>, Ca<sup>2+</sup>", "the 14th day, CO2, Ca2+"),
    ],
)
def test_raised_digits_are_an_exponent_or_the_mark_of_a_note_and_no_other_number(tmp_path, written: str, text: str):
    assert read_text(page(tmp_path / "a.html", f"<p>{written}"), "html") == text
    table = f"<table><tr><td>Key<td>Text<tr><td>a<td>{written}</table>"
    assert read_text(page(tmp_path / "a.html", table), "html").endswith(text)


@pytest.mark.parametrize(
    ("written", "lines"),
    [
        ("<ol><li>Drain<li>Fill</ol>", ["1. Drain", "2. Fill"]),
        ("<ol><li><p>Drain</p><p>Wait.</p><li><b>Fill</b></ol>", ["1. Drain", "Wait.", "2. Fill"]),
        ("<ol start=4><li>Drain<li value=9>Fill<li>Close</ol>", ["4. Drain", "9. Fill", "10. Close"]),
        ("<ol type=a><li>Drain<li type=I>Fill</ol>", ["a. Drain", "II. Fill"]),
        ("<ol type=i start=3><li>Drain<li>Fill</ol>", ["iii. Drain", "iv. Fill"]),
        ("<ol style='list-style-type: upper-alpha'><li>Drain<li>Fill</ol>", ["A. Drain", "B. Fill"]),
        ("<ol reversed><li>Drain<li hidden>x<li>Fill</ol>", ["2. Drain", "1. Fill"]),
        ("<ol><li>Drain<ol type=a><li>oil<li>fuel</ol><li>Fill</ol>", ["1. Drain", "a. oil", "b. fuel", "2. Fill"]),
        ("<ol><li>Drain<ul><li>oil</ul><li><li>Fill</ol>", ["1. Drain", "oil", "3. Fill"]),
        ("<ol style='list-style: none'><li>Drain<li>Fill</ol>", ["Drain", "Fill"]),
        ("<nav><ol><li><a href='/'>Home</a></ol></nav>", ["Home"]),
        ("<ol start=many type=b><li value=''>Drain</ol>", ["1. Drain"]),
    ],
)
def test_items_of_an_ordered_list_have_their_numbers(tmp_path, written: str, lines: list[str]):
    text = read_text(page(tmp_path / "a.html", written), "html")
    assert [line for line in text.split("\n") if line] == lines


def test_steps_of_a_page_are_found_as_a_list(tmp_path):
    steps = "<p>To change the oil:</p><ol><li>Drain it.<ol type=a><li>Warm it up.</ol><li>Fill it.<li>Close it.</ol>"
    [found] = find_lists(read_text(page(tmp_path / "a.html", steps), "html"))
    assert [item.mark.number for item in found.items] == [1, 2, 3]


def test_a_list_in_a_cell_has_its_numbers(tmp_path):
    table = "<table><tr><td>Oil<td>Steps<tr><td>a<td><ol><li>Drain<li>Fill</ol></table>"
    assert read_text(page(tmp_path / "a.html", table), "html").endswith("1. Drain 2. Fill")


def test_code_keeps_its_lines(tmp_path):
    assert read_text(page(tmp_path / "a.html", "<pre>one\ntwo</pre><p>x\ny"), "html") == "one\ntwo\n\nx y"


@pytest.mark.parametrize("declared", ["", "<meta charset=windows-1252>"])
def test_umlauts_survive_with_and_without_a_declared_character_set(tmp_path, declared):
    encoding = "cp1252" if declared else "utf-8"
    (tmp_path / "a.html").write_bytes(f"<html><head>{declared}</head><body>Prüfgröße".encode(encoding))
    assert read_text(tmp_path / "a.html", "html") == "Prüfgröße"


def test_entities_of_a_document_type_are_not_expanded(tmp_path):
    (tmp_path / "secret").write_text("SECRET")
    (tmp_path / "a.html").write_text(
        f'<!DOCTYPE html [<!ENTITY x SYSTEM "file://{tmp_path}/secret"><!ENTITY y "aaaa">]><p>seen &x; &y;</p>'
    )
    assert "SECRET" not in read_text(tmp_path / "a.html", "html")


def test_nesting_without_end_is_refused_or_read(tmp_path):
    path = page(tmp_path / "a.html", "<div>" * 100_000 + "deep")
    with pytest.raises(TooLarge):
        read_here(path, "html")


@pytest.mark.parametrize("content", ["<html></html>", "<!-- -->", "<script>x</script>"])
def test_a_page_without_words_is_empty(tmp_path, content):
    (tmp_path / "a.html").write_text(content)
    with pytest.raises(EmptyDocument):
        read_here(tmp_path / "a.html", "html")
