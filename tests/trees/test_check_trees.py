from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accounts.models import User
from plugins.models import Plugin
from tests.trees.growing import action, cover_tree_data, tree
from trees.models import DecisionTree

BROKEN = tree(action("a"), action("lost"))
DOUBTFUL = tree(action("a", sourceHint=""))


def run(*args: Any, **options: Any) -> str:
    out = io.StringIO()
    call_command("check_trees", *args, stdout=out, **options)
    return out.getvalue()


def failing(*args: Any) -> str:
    out = io.StringIO()
    with pytest.raises(CommandError):
        call_command("check_trees", *args, stdout=out)
    return out.getvalue()


def grow(owner: User, name: str, tree_data: object) -> DecisionTree:
    plugin = Plugin.objects.create(owner=owner, name=name, domain="engineering", system_prompt="Be brief.")
    return DecisionTree.objects.create(plugin=plugin, name="Cover", tree_data=tree_data)


@pytest.fixture
def written(tmp_path: Path):
    def write(tree_data: object) -> Path:
        path = tmp_path / "tree.json"
        path.write_text(tree_data if isinstance(tree_data, str) else json.dumps(tree_data), encoding="utf-8")
        return path

    return write


def test_trees_in_order_pass(alice):
    grow(alice, "Structures", cover_tree_data())
    assert run() == "structures: Cover: in order\n"


def test_every_problem_of_every_tree_is_printed_and_the_command_fails(alice):
    grow(alice, "Structures", BROKEN)
    grow(alice, "Paint", {})
    printed = failing()
    assert "structures: Cover: 1 problems\n  error unreachable: [lost] No way leads to" in printed
    assert "paint: Cover: 2 problems" in printed


def test_warnings_alone_do_not_fail(alice):
    grow(alice, "Structures", DOUBTFUL)
    assert "warning missing_source_hint" in run()


def test_one_plugin_can_be_checked_alone(alice):
    grow(alice, "Structures", cover_tree_data())
    grow(alice, "Paint", BROKEN)
    assert run("structures") == "structures: Cover: in order\n"


def test_an_unknown_plugin_is_an_error(db):
    with pytest.raises(CommandError, match="There is no plugin called 'nowhere'"):
        run("nowhere")


def test_without_trees_there_is_nothing_to_do(db):
    assert run() == "There are no trees to check.\n"


def test_json_is_printed_even_when_it_fails(alice):
    grow(alice, "Structures", BROKEN)
    printed = json.loads(failing("--json"))
    assert printed["errors"] == 1
    assert printed["trees"][0]["plugin"] == "structures"
    assert printed["trees"][0]["problems"][0]["code"] == "unreachable"


def test_a_file_can_be_checked(written):
    assert run("--file", written(cover_tree_data())) == "tree.json: in order\n"
    assert "unreachable" in failing("--file", written(BROKEN))


@pytest.mark.parametrize("text", ["{", "[" * 100_000, "", "9" * 5000])
def test_a_file_that_is_no_json_is_an_error(written, text):
    with pytest.raises(CommandError, match="is not a JSON file"):
        run("--file", written(text))


def test_a_file_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(CommandError, match="cannot be read"):
        run("--file", tmp_path / "nowhere.json")


def test_the_cases_of_a_tree_are_run_and_a_failed_one_fails(alice):
    cover = grow(alice, "Structures", cover_tree_data())
    cover.cases.create(name="Indoors", sentence="Cover indoors?", expected="mild_cover")
    assert run() == "structures: Cover: in order, 1 of 1 cases pass\n"
    cover.cases.create(name="Beams", sentence="Cover for a beam?", expected="cover_lookup")
    assert "failed case: “Beams” reaches cover_lookup, but asked for exposure" in failing()
    assert json.loads(failing("--json"))["failed_cases"] == 1


def test_the_cases_in_a_file_are_run(written):
    case = {"name": "Indoors", "facts": {"exposure": "mild"}, "expectation": "reaches", "expected": "mild_cover"}
    assert run("--file", written({**cover_tree_data(), "cases": [case]})) == "tree.json: in order, 1 of 1 cases pass\n"
    assert failing("--file", written({**cover_tree_data(), "cases": [{}]})) == ""


def test_the_help_has_an_example(capsys):
    with pytest.raises(SystemExit):
        call_command("check_trees", "--help")
    assert "check_trees structural-engineering --json" in " ".join(capsys.readouterr().out.split())
