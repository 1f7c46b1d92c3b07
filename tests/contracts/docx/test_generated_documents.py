"""Documents of many shapes with revisions of two other people: ours can be taken in, taken out, and touch nobody's."""

from __future__ import annotations

from copy import deepcopy
from datetime import timedelta
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from contracts.docx.edits import Edit, EditKind
from tests.contracts.docx.word_edits import WHEN, Written, part, write_and_prove
from tests.knowledge.readers.made import read_text, repacked, word_xml

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
NUMBER = "w:id='@'"
BOB, CAROL = (f"{NUMBER} w:author='{name}' w:date='2026-01-01T00:00:00Z'" for name in ("Bob", "Carol"))

WORDS = st.text(st.sampled_from("abc de  \n\té"), min_size=1, max_size=9)
LOOKS = st.sampled_from(["", "<w:rPr><w:b/></w:rPr>", "<w:rPr><w:i/><w:sz w:val='24'/></w:rPr>", "<w:rPr/>"])


def _run(words: str, look: str) -> str:
    lines = "<w:br/>".join(f"<w:t xml:space='preserve'>{line}</w:t>" for line in words.split("\n"))
    return f"<w:r w:rsidR='00A1'>{look}{lines}</w:r>"


RUNS = st.builds(_run, WORDS, LOOKS)
WRAPPERS = st.sampled_from(
    [
        f"<w:ins {BOB}>{{}}</w:ins>",
        f"<w:ins {CAROL}>{{}}</w:ins>",
        f"<w:moveTo {CAROL}>{{}}</w:moveTo>",
        f"<w:ins {BOB}><w:del {CAROL}>{{deleted}}</w:del></w:ins>",
        f"<w:del {BOB}>{{deleted}}</w:del>",
        f"<w:del {CAROL}>{{deleted}}</w:del>",
        "<w:hyperlink w:anchor='a'>{}</w:hyperlink>",
        "<w:smartTag w:element='place'>{}</w:smartTag>",
        "<w:sdt><w:sdtPr/><w:sdtContent>{}</w:sdtContent></w:sdt>",
        "<w:fldSimple w:instr='PAGE'>{}</w:fldSimple>",
        "<w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:fldChar w:fldCharType='separate'/></w:r>{}"
        "<w:r><w:fldChar w:fldCharType='end'/></w:r>",
        f"<w:bookmarkStart {NUMBER} w:name='b'/>{{}}<w:bookmarkEnd w:id='1'/><w:proofErr w:type='spellStart'/>",
        "<w:r><w:pict><w:txbxContent><w:p>{}</w:p></w:txbxContent></w:pict></w:r>",
    ]
)


def _wrapped(wrapper: str, run: str) -> str:
    return wrapper.replace("{deleted}", run.replace("w:t", "w:delText")).replace("{}", run)


EXTRAS = st.sampled_from(
    [
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>",
        "<w:r><w:footnoteReference w:id='1'/></w:r>",
        "<w:r><w:t>a</w:t><w:tab/><w:noBreakHyphen/><w:softHyphen/><w:t>b</w:t></w:r>",
        "<w:r><w:t> no mark of white space </w:t></w:r>",
        f"<w:r><w:rPr><w:b/><w:rPrChange {BOB}><w:rPr/></w:rPrChange></w:rPr><w:t>changed</w:t></w:r>",
        "<w:r/>",
        "\n  ",
    ]
)
PIECES = st.one_of(
    RUNS,
    RUNS,
    RUNS,
    st.builds(
        lambda wrapper, run: wrapper.replace("{deleted}", run.replace("w:t", "w:delText")).replace("{}", run),
        WRAPPERS,
        RUNS,
    ),
    EXTRAS,
)
PROPERTIES = st.sampled_from(
    ["", "<w:pPr><w:jc w:val='both'/></w:pPr>", f"<w:pPr><w:rPr><w:ins {BOB}/></w:rPr></w:pPr>"]
)
PARAGRAPHS = st.builds(
    lambda properties, pieces: f"<w:p>{properties}{''.join(pieces)}</w:p>", PROPERTIES, st.lists(PIECES, max_size=6)
)
CELLS = st.lists(PARAGRAPHS, min_size=1, max_size=2).map(lambda texts: f"<w:tc>{''.join(texts)}</w:tc>")
ROWS = st.lists(CELLS, min_size=2, max_size=2).map(lambda cells: f"<w:tr>{''.join(cells)}</w:tr>")
TABLES = st.lists(ROWS, min_size=1, max_size=4).map(lambda rows: f"<w:tbl>{''.join(rows)}</w:tbl>")
# No edit reaches the last words, so that some text is left.
LAST = "<w:p><w:r><w:t>End.</w:t></w:r></w:p>"
BLOCKS = st.lists(st.one_of(PARAGRAPHS, PARAGRAPHS, TABLES), min_size=1, max_size=4)


def _numbered(body: str) -> str:
    first, *rest = body.split("@")
    return first + "".join(f"{number}{piece}" for number, piece in enumerate(rest, 1))


@st.composite
def edits_of(draw: st.DrawFn, text: str) -> list[Edit]:
    edits = []
    for number in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(text) - 1))
        end = draw(st.integers(start + 1, min(len(text), start + 20)))
        kind = draw(st.sampled_from(EditKind))
        words = draw(st.sampled_from(["new", "new words", " ", "", "x\ny"]))
        author = draw(st.sampled_from(["Lexic", "Ada"]))
        when = WHEN + timedelta(seconds=number)
        edit = Edit(start=start, end=end, quote=text[start:end], kind=kind, text=words, author=author, date=when)
        edits.append(edit.without_outer_breaks())
    return edits


@settings(max_examples=50)
@given(blocks=BLOCKS, data=st.data())
def test_ours_can_be_taken_out_and_in_and_those_of_others_stay(tmp_path_factory, blocks, data):
    folder = tmp_path_factory.mktemp("word")
    body = _numbered("<w:p><w:r><w:t>B</w:t></w:r></w:p>" + "".join(blocks) + LAST)
    path = word_xml(folder / "a.docx", body)
    page = read_text(path, "docx")
    edits = data.draw(edits_of(page.removesuffix("End.")))
    written = write_and_prove(path, edits)

    assert _visible_texts(_without_ours(written.path)) == _visible_texts(_root(path))
    assert _revisions(written.path) == _revisions(path)
    assert read_text(_accepted(written.path), "docx").split() == _intended(page, edits, written).split()


def _intended(page: str, edits: list[Edit], written: Written) -> str:
    tracked = [
        edit
        for edit, obstacle in zip(edits, written.obstacles, strict=True)
        if edit.kind == EditKind.REPLACEMENT and not obstacle
    ]
    for edit in sorted(tracked, key=lambda edit: -edit.start):
        page = page[: edit.start] + edit.text + page[edit.end :]
    return page


def _accepted(path: Path) -> Path:
    """The file with the paragraphs joined whose marks we deleted, by a second hand; the reader leaves out the rest."""
    root = _root(path)
    for mark in [node for node in root.iter(f"{W}del") if _is_ours(node) and node.getparent().tag == f"{W}rPr"]:
        paragraph = mark.getparent().getparent().getparent()
        following = next(node for node in paragraph.itersiblings() if node.tag == f"{W}p")
        for number, child in enumerate(list(paragraph)):
            following.insert(number, child)
        paragraph.getparent().remove(paragraph)
    return repacked(path, {"word/document.xml": etree.tostring(root)})


def _root(path: Path) -> etree._Element:
    return etree.fromstring(part(path).encode())


def _is_ours(node: etree._Element) -> bool:
    return node.get(f"{W}author") in ("Lexic", "Ada")


def _without_ours(path: Path) -> etree._Element:
    """The document with our insertions taken out and our deletions put back, by a second hand."""
    root = deepcopy(_root(path))
    for mark in [node for node in root.iter(f"{W}ins") if _is_ours(node)]:
        for text in mark.iter(f"{W}t"):
            text.text = ""
        for character in [*mark.iter(f"{W}br"), *mark.iter(f"{W}tab")]:
            character.tag = "taken-out"
    for mark in [node for node in root.iter(f"{W}del") if _is_ours(node)]:
        for text in mark.iter(f"{W}delText"):
            text.tag = f"{W}t"
        mark.tag = "put-back"
    return root


def _visible_texts(root: etree._Element) -> list[str]:
    """All text of each paragraph, deleted text in brackets."""
    signs = {f"{W}br": "\n", f"{W}tab": "\t", f"{W}noBreakHyphen": "-", f"{W}footnoteReference": "*"}
    return [
        "".join(
            f"[{node.text}]" if node.tag == f"{W}delText" else signs.get(node.tag, "") or (node.text or "")
            for node in paragraph.iter(f"{W}t", f"{W}delText", *signs)
        )
        for paragraph in root.iter(f"{W}p")
    ]


def _revisions(path: Path) -> list[tuple[str, dict[str, str], str]]:
    """The marks of others, each with what stands in it."""
    return [
        (node.tag, dict(node.attrib), "".join(node.itertext()))
        for node in _root(path).iter()
        if node.get(f"{W}author") in ("Bob", "Carol")
    ]
