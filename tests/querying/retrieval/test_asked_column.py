from __future__ import annotations

from dataclasses import replace

import pytest

from knowledge.embedders import local_embedder
from language.terms import terms
from querying.retrieval.asked_column import AskedCells, Grid, find_asked_cells

SHOP = Grid(
    labels=["item Inner tube", "item Chain", "item Floor pump"],
    heads=["price", "stock"],
    cells=[["6.90", "140"], ["24.50", "31"], ["34.90", "12"]],
)
COURSES = Grid(
    labels=["course Pottery", "course Welding"],
    heads=["starts", "ends", "takes", "teacher", "room"],
    cells=[
        ["12 January 2027", "9 March 2027", "8 weeks", "Ines Calder", "Kiln house"],
        ["8 February 2027", "1 March 2027", "3 weeks", "Marcos Peña", "Print shop"],
    ],
)


FEES = Grid(
    labels=["treatment Vaccination, cat", "treatment Neutering, cat", "treatment Dental cleaning"],
    heads=["Fee", "Duration"],
    cells=[["€52", "15 minutes"], ["€110", "45 minutes"], ["€210", "2 h"]],
)


def asked_cells(question: str, grid: Grid, *, known: str = "") -> AskedCells | None:
    [found] = find_asked_cells(question, [grid], known=lambda: frozenset(terms(known)))
    return found


def asked_heads(question: str, grid: Grid, *, known: str = "") -> list[str]:
    found = asked_cells(question, grid, known=known)
    return [grid.heads[column] for column in found.columns] if found else []


@pytest.mark.parametrize(
    ("question", "head"),
    [
        ("How much does an inner tube cost?", "price"),
        ("What do you charge for a chain?", "price"),
        ("How expensive is the floor pump?", "price"),
        ("How many chains do you have?", "stock"),
        ("How many inner tubes are left?", "stock"),
    ],
)
def test_bare_numbers_are_money_or_a_count_by_their_head(question: str, head: str) -> None:
    assert asked_heads(question, SHOP) == [head]


@pytest.mark.parametrize(
    ("question", "head"),
    [
        ("When does pottery begin?", "starts"),
        ("Until when is welding?", "ends"),
        ("How long does pottery last?", "takes"),
        ("Who is responsible for welding?", "teacher"),
        ("Where is pottery?", "room"),
    ],
)
def test_a_column_is_found_by_what_its_cells_hold(question: str, head: str) -> None:
    assert asked_heads(question, COURSES) == [head]


@pytest.mark.parametrize(
    "question",
    [
        "How much does an inner tube weigh?",
        "How long is the warranty of a chain?",
        "Who makes the floor pump?",
        "Where is the floor pump?",
        "What colour is the chain?",
    ],
)
def test_a_column_that_is_not_there_is_not_found(question: str) -> None:
    assert asked_heads(question, SHOP) == []


@pytest.mark.parametrize(
    "question",
    [
        "How much does a saddle cost?",
        "How much does an item cost?",
        "How much does a valve for an inner tube cost?",
        "How much did a chain cost in 2019?",
        "How much does the repair of a chain cost?",
    ],
)
def test_another_thing_than_the_row_asks_for_no_cell(question: str) -> None:
    assert asked_cells(question, SHOP) is None


def test_only_the_rows_that_are_named_are_meant() -> None:
    found = asked_cells("How much does a chain cost?", SHOP)
    assert found
    assert found.rows == {1}
    assert found.words_for(1, 0) == {"much": 1.0, "cost": 1.0}
    assert found.words_for(0, 0) is None
    assert found.words_for(1, 1) is None


def test_what_the_documents_speak_of_is_not_asked_of_a_column() -> None:
    question = "Who teaches pottery?"
    assert asked_heads(question, COURSES) == ["teacher"]
    assert asked_heads(question, COURSES, known="She teaches elsewhere.") == []


def test_a_matrix_of_figures_is_read_by_its_heads_alone() -> None:
    wide = replace(SHOP, heads=["price"] * 25, cells=[["1"] * 25] * 3)
    assert asked_cells("How much does a chain cost?", wide) is None


def test_a_thing_that_nothing_says_is_no_word_for_the_column_however_clear_that_is() -> None:
    found = asked_cells("What is the price of a chain for a Vespa?", SHOP)
    assert found is None or "vespa" not in found.words


@pytest.mark.parametrize(
    "question",
    [
        "How much discount is there on a chain?",
        "How much is the shipping of a chain?",
        "How much is a chain worth second hand?",
        "How many chains were sold?",
        "How many chains have been ordered?",
        "What did a chain cost last year?",
    ],
)
def test_another_amount_than_the_columns_is_not_found(question: str) -> None:
    assert asked_heads(question, SHOP) == []


@pytest.mark.parametrize("question", ["How long must a cat fast?", "How long must a cat fast before neutering?"])
def test_how_long_alone_asks_for_no_column_where_the_verb_asks_for_none(question: str) -> None:
    assert asked_heads(question, FEES) == []
    assert asked_heads("How long does a neutering take?", FEES) == ["Duration"]


def test_many_tables_cost_no_more_than_some(monkeypatch: pytest.MonkeyPatch) -> None:
    read, embed = list[str](), local_embedder().embed

    def count(texts: list[str]) -> object:
        read.extend(texts)
        return embed(texts)

    heads = [[f"new head {table} {column}" for column in range(20)] for table in range(30)]
    grids = [replace(SHOP, heads=one, cells=[["9"] * 20] * 3) for one in heads]
    monkeypatch.setattr(local_embedder(), "embed", count)
    question = "How much does a blue man with a red dog by the tall house near a green hill pay for a chain?"
    assert len(find_asked_cells(question, [SHOP, *grids, COURSES])) == 32
    assert len(read) <= 300
    assert not any("new head 1 " in text for text in read)


def test_tables_of_which_nothing_is_asked_take_no_place() -> None:
    *_, last = find_asked_cells("How much does a chain cost?", [*[COURSES] * 30, SHOP])
    assert last is not None
    assert last.rows == {1}


def test_words_that_are_said_by_a_row_each_name_no_row() -> None:
    both = replace(FEES, labels=["treatment Vaccination, dog", "treatment Neutering, cat", "treatment Dental cleaning"])
    assert asked_cells("How much does it cost to neuter a dog?", both) is None
    assert asked_heads("How much does it cost to neuter a cat?", both) == ["Fee"]


@pytest.mark.parametrize(
    ("question", "is_clear"),
    [
        ("Who cleans the office?", False),
        ("Who works at the office?", False),
        ("Who owns the office?", True),
        ("Who is in charge of the office?", True),
    ],
)
def test_what_anybody_may_do_with_a_thing_is_hardly_said_by_who_owns_it(question: str, is_clear: bool) -> None:
    sites = Grid(
        labels=["Site Office", "Site Warehouse"],
        heads=["Owner", "Area"],
        cells=[["Anna Berg", "120 m²"], ["Carl Dietz", "900 m²"]],
    )
    found = asked_cells(question, sites)
    assert found
    [match] = set((found.words_for(0, 0) or {}).values())
    assert (match > 0.9) == is_clear
