from __future__ import annotations

import io
import itertools
import json
import re
from pathlib import Path
from typing import Any

import pdfplumber
import pypdfium2
import pytest

from plugins import slugs
from trees.definition import parser
from trees.facts.extraction import extract_facts
from trees.walk import decision_path
from trees.walk import walk as real_walk

FOLDER = Path(__file__).resolve().parents[2] / "marketplace" / "demo_content"
PDF = FOLDER / "concrete-cover-handbook.pdf"

COVER = {"mild": 20, "moderate": 30, "severe": 45, "very severe": 50, "extreme": 75}
MEMBERS = ["beam", "slab", "wall", "column", "footing"]
FIRE = {
    "0.5 h": [20, 20, 20, 20, 20, 20, 40],
    "1 h": [20, 20, 20, 20, 20, 20, 40],
    "1.5 h": [20, 20, 25, 20, 35, 20, 40],
    "2 h": [40, 30, 35, 25, 45, 35, 40],
    "3 h": [60, 40, 45, 35, 55, 45, 40],
    "4 h": [70, 50, 55, 45, 65, 55, 40],
}
MIX = {
    "Mild": ("300 kg/m³", "0.55", "M20"),
    "Moderate": ("300 kg/m³", "0.50", "M25"),
    "Severe": ("320 kg/m³", "0.45", "M30"),
    "Very severe": ("340 kg/m³", "0.45", "M35"),
    "Extreme": ("360 kg/m³", "0.40", "M40"),
}


def load(name: str) -> Any:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def pages() -> list[str]:
    """The text of each page, every run of white space written as one space."""
    document = pypdfium2.PdfDocument(PDF)
    try:
        return [" ".join(page.get_textpage().get_text_range().split()) for page in document]
    finally:
        document.close()


@pytest.fixture(scope="module")
def tables() -> dict[str, list[list[str]]]:
    """The rows under the heading of each ruled table, keyed by its last heading."""
    with pdfplumber.open(PDF) as document:
        found = [table for page in document.pages for table in page.extract_tables()]
    cells = [[[" ".join((cell or "").split()) for cell in row] for row in table] for table in found]
    return {table[0][-1]: table[1:] for table in cells}


@pytest.fixture(scope="module")
def tree() -> Any:
    return load("cover_tree.json")


# The handbook


def test_the_handbook_is_long_enough_to_search(pages: list[str]) -> None:
    assert len(pages) >= 14
    assert min(len(page) for page in pages) > 1000


def test_page_one_says_that_the_standard_rules(pages: list[str]) -> None:
    assert "A teaching text, written to demonstrate software." in pages[0]
    assert "It is not the standard" in pages[0]
    assert "the standard rules" in pages[0]


def test_every_page_ends_with_its_running_title_and_number(pages: list[str]) -> None:
    running = "Concrete cover in buildings: a teaching text, not the standard"
    assert [page.endswith(f"{running} {number}") for number, page in enumerate(pages, 1)] == [True] * len(pages)


@pytest.mark.parametrize(
    ("page", "sentence"),
    [
        (5, "A beam exposed to weather has severe exposure, and its minimum nominal cover is 45 mm."),
        (6, "never less than 40 mm and never less than the diameter of that bar"),
        (7, "The nominal cover of a footing is at least 50 mm."),
        (9, "the tolerance is +10 mm and -0 mm"),
    ],
)
def test_a_key_figure_stands_in_plain_text_on_its_page(pages: list[str], page: int, sentence: str) -> None:
    assert [number for number, text in enumerate(pages, 1) if sentence in text] == [page]


def test_the_text_holds_no_broken_words_or_odd_spaces() -> None:
    document = pypdfium2.PdfDocument(PDF)
    text = "".join(page.get_textpage().get_text_range() for page in document)
    document.close()
    assert re.findall("[\u0000-\u0008\u00a0\u00ad\ufffd\ufffe\uffff]", text) == []


def test_clauses_are_numbered_without_a_gap() -> None:
    numbers = re.findall(r"^#{2,3} (\d+(?:\.\d+)?) ", source(), re.MULTILINE)
    chapters = [number for number in numbers if "." not in number]
    assert chapters == [str(count) for count in range(1, len(chapters) + 1)]
    for chapter in chapters:
        clauses = [number for number in numbers if number.startswith(f"{chapter}.")]
        assert clauses == [f"{chapter}.{count}" for count in range(1, len(clauses) + 1)]


def test_clauses_and_tables_that_are_referred_to_exist() -> None:
    text = source()
    assert set(re.findall(r"[Cc]lauses? (\d+\.\d+)", text)) - {"26.4"} <= set(re.findall(r"### (\d+\.\d+) ", text))
    # Tables 5, 16 and 16A of the standard are named together with it.
    ours = set(re.findall(r"Table (\d+)\b(?!A? of IS)", text))
    assert ours == set(re.findall(r"\*\*Table (\d+)\*\*", text))


def test_the_ruled_tables_hold_the_figures_of_the_standard(tables: dict[str, list[list[str]]]) -> None:
    cover = tables["Clause of this handbook"]
    assert {row[0].lower(): row[1] for row in cover} == {name: f"{mm} mm" for name, mm in COVER.items()}
    assert {row[0]: [int(cell) for cell in row[1:]] for row in tables["Columns"]} == FIRE
    assert {row[0]: tuple(row[1:]) for row in tables["Least grade"]} == MIX
    assert [row[0].lower() for row in tables["Typical examples"]] == list(COVER)
    assert [row[1] for row in tables["Greatest crack width"]] == ["0.3 mm", "0.2 mm", "0.1 mm"]


def test_a_fresh_build_gives_the_committed_bytes() -> None:
    reportlab = pytest.importorskip("reportlab")
    from marketplace.demo_content.build_handbook import BUILT_WITH, build_handbook

    if reportlab.__version__ != BUILT_WITH:
        pytest.skip(f"the committed file was built with reportlab {BUILT_WITH}")
    assert build_handbook() == PDF.read_bytes()


def source() -> str:
    return (FOLDER / "handbook.md").read_text(encoding="utf-8")


# The tree


def children(node: dict[str, Any]) -> list[str]:
    if node["type"] == "question":
        return list(node["childrenByAnswer"].values())
    return [node["trueChildId"], node["falseChildId"]] if node["type"] == "condition" else []


def walk(tree: Any, facts: dict[str, Any]) -> list[dict[str, Any]]:
    """The nodes that these facts pass, the action last. Conditions of this tree are all `gt`."""
    path = [tree["nodes"][tree["rootNodeId"]]]
    while (node := path[-1])["type"] != "action":
        if node["type"] == "question":
            child = node["childrenByAnswer"][facts[node["question"]["extractFrom"]]]
        else:
            assert node["condition"]["operator"] == "gt"
            above = facts[node["condition"]["field"]] > node["condition"]["value"]
            child = node["trueChildId" if above else "falseChildId"]
        path.append(tree["nodes"][child])
    return path


def recommended(node: dict[str, Any]) -> int:
    figure, unit, *_ = node["action"]["recommendation"].split()
    assert unit == "mm"
    return int(figure)


def test_every_node_is_known_by_its_id_and_reachable(tree: Any) -> None:
    nodes = tree["nodes"]
    assert {key: node["id"] for key, node in nodes.items()} == {key: key for key in nodes}
    reached = {child for node in nodes.values() for child in children(node)}
    assert reached | {tree["rootNodeId"]} == set(nodes)


def test_every_option_of_a_question_has_a_child(tree: Any) -> None:
    for node in tree["nodes"].values():
        if node["type"] == "question":
            assert list(node["childrenByAnswer"]) == node["question"]["options"]


def test_every_field_that_is_read_is_declared(tree: Any) -> None:
    read = {
        node["question"]["extractFrom"] if node["type"] == "question" else node["condition"]["field"]
        for node in tree["nodes"].values()
        if node["type"] != "action"
    }
    assert read == set(tree["fields"])


def test_synonyms_belong_to_one_option_each(tree: Any) -> None:
    for synonyms in (
        tree["nodes"]["exposure_check"]["question"]["synonyms"],
        tree["fields"]["member_type"]["synonyms"],
    ):
        phrases = list(itertools.chain.from_iterable(synonyms.values()))
        assert sorted(phrases) == sorted(set(phrases))
    assert set(tree["nodes"]["exposure_check"]["question"]["synonyms"]) == set(COVER)


def test_the_demo_question_reaches_its_action_with_two_facts(tree: Any) -> None:
    synonyms = tree["nodes"]["exposure_check"]["question"]["synonyms"]
    assert "exposed to weather" in synonyms["severe"]
    path = walk(tree, {"exposure": "severe", "member_type": "beam"})
    assert [node["id"] for node in path] == ["exposure_check", "member_type", "cover_lookup_severe_beam"]
    assert path[-1]["action"] == {
        "recommendation": "45 mm nominal cover",
        "sourceHint": "Table 2, clause 3.2: minimum nominal cover of a beam in severe exposure",
        "severity": "warning",
    }


def test_the_words_of_the_demo_question_are_enough_for_the_walk() -> None:
    data, answered = load("cover_tree.json"), load("questions.json")["answered"]
    parsed = parser.parse_tree(data)
    path = decision_path(real_walk(parsed, extract_facts(parsed, question=answered["question"])))
    assert {step["node"]: step["value"] for step in path if "value" in step} == answered["path"]
    assert path[-1]["result"] == "45 mm nominal cover"


@pytest.mark.parametrize("exposure", COVER)
@pytest.mark.parametrize("member", MEMBERS)
def test_the_tree_gives_the_cover_of_the_standard(tree: Any, *, exposure: str, member: str) -> None:
    for bar, side in itertools.product([10, 12, 16], [150, 200, 300]):
        facts = {"exposure": exposure, "member_type": member, "bar_diameter": bar, "least_dimension": side}
        assert (facts, recommended(walk(tree, facts)[-1])) == (
            facts,
            standard_cover(exposure, member, bar, side),
        )


def standard_cover(exposure: str, member: str, bar: int, side: int) -> int:
    cover = COVER[exposure]
    if member == "footing":
        return max(cover, 50)
    if member == "column":
        return max(cover, 25 if side <= 200 and bar <= 12 else 40)
    return cover - 5 if exposure == "mild" and bar <= 12 else cover


def test_every_action_names_a_clause_that_states_its_figure(tree: Any) -> None:
    actions = [node for node in tree["nodes"].values() if node["type"] == "action"]
    for node in actions:
        assert node["id"].startswith("cover_lookup")
        hint = node["action"]["sourceHint"]
        stated = "diameter of the bar" if node["id"] == "cover_lookup_bar_diameter" else f"{recommended(node)} mm"
        assert stated in "".join(passages(hint)), node["id"]


def passages(hint: str) -> list[str]:
    """The clauses and tables of the handbook that a source hint names."""
    clauses = [re.split(rf"^### {re.escape(number)} ", source(), flags=re.MULTILINE)[1].split("\n#")[0]
               for number in re.findall(r"[Cc]lause (\d+\.\d+)", hint)]  # fmt: skip
    tables = [source().split(f"**Table {number}**")[1].split("\nNote")[0] for number in re.findall(r"Table (\d)", hint)]
    assert clauses
    return clauses + tables


# The words of the plugin


def test_the_plugin_names_files_that_are_there() -> None:
    plugin = load("plugin.json")
    files = [document["file"] for document in plugin["documents"]] + plugin["trees"]
    assert [(FOLDER / name).is_file() for name in files] == [True, True]


def test_the_plugin_fits_its_columns() -> None:
    plugin = load("plugin.json")
    assert plugin["slug"] == "structural-engineering-concrete-cover"
    assert slugs.unique_slug(plugin["slug"], taken=lambda slug: False) == plugin["slug"]
    assert len(plugin["name"]) <= 120
    assert len(plugin["tagline"]) <= 160
    assert plugin["domain"] == "structural-engineering"
    assert max(len(tag) for tag in plugin["tags"]) <= 40


@pytest.mark.parametrize("name", ["persona.md", "disclaimer.txt"])
def test_the_plugin_has_words_of_its_own(name: str) -> None:
    assert len((FOLDER / name).read_text(encoding="utf-8").split()) > 20


def test_the_answered_question_is_answered_on_the_page_it_names(pages: list[str]) -> None:
    answered = load("questions.json")["answered"]
    assert answered["question"] == "What is the minimum cover for a beam exposed to weather?"
    assert "A beam exposed to weather has severe exposure" in pages[answered["pages"][0] - 1]
    assert all(figure in pages[answered["pages"][0] - 1] for figure in answered["contains"])


def test_the_refused_question_speaks_of_nothing_in_the_handbook(pages: list[str]) -> None:
    question = load("questions.json")["refused"]["question"].lower()
    asked = set(re.findall(r"[a-z]{4,}", question)) - {"what"}
    assert asked & set(re.findall(r"[a-z]+", " ".join(pages).lower())) == set()


def test_the_build_command_writes_the_handbook(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("reportlab")
    from marketplace.demo_content import build_handbook

    target = tmp_path / "handbook.pdf"
    monkeypatch.setattr(build_handbook, "TARGET", target)
    assert build_handbook.main() == 0
    assert len(pypdfium2.PdfDocument(io.BytesIO(target.read_bytes()))) >= 14
