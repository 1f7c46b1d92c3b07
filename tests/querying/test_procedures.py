"""Questions for a procedure are answered with its list: whole, in order, and with what stands right above it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from asgiref.sync import async_to_sync

from accounts.models import User
from knowledge.models import Page
from plugins.models import Plugin
from querying import pipeline, releases
from querying.answering import generate
from querying.answering.llms.extractive.list_text import leaves_out_items
from querying.types.answer import Answer, Outcome
from querying.types.confidence import Confidence
from querying.types.events import Done
from querying.types.question import Caller, Question
from tests.cover import give_document
from tests.remembered import remembered

pytestmark = pytest.mark.django_db

STEPS = [
    "1. Take the filter cartridge out of the tank.",
    "2. Dissolve 50 g of descaler in 1 litre of water. Pour it into the tank.",
    "3. Switch the machine on while you hold both keys.",
    "4. Rinse the tank and fill it to the mark MAX.",
]
MANUAL = f"""# Kestrel: care

## Grinding

The grinder has twelve steps. Turn the ring while it runs, and never while it stands.

## Descaling

Descale when the orange light is steady. Vinegar attacks the seals and must not be used.

{chr(10).join(STEPS)}

Do not break descaling off.

## Checks before a long pause

Check these before the machine stands for weeks:

{chr(10).join(f"{number}. part {number} of the machine is dry, clean and in its place" for number in range(1, 16))}
"""


@pytest.fixture
@remembered
def machine(alice: User) -> Plugin:
    plugin = Plugin.objects.create(owner=alice, name="Kestrel", slug="kestrel", domain="coffee", system_prompt="Help.")
    give_document(plugin, title="Kestrel: care", text=MANUAL)
    return plugin


def ask(plugin: Plugin, text: str) -> Answer:
    release = releases.resolve(plugin.slug, principal=plugin.owner)
    last = async_to_sync(pipeline.answer)(Question(text=text, release=release, caller=Caller(name="test")))
    assert isinstance(last, Done)
    return last.answer


HALL = """# Belay rules

## Partner check

1. Check that both harness buckles are closed.
2. Check the tie-in knot: a figure-of-eight, with a tail of at least 10 cm.
3. Check that the carabiner of the belay device is locked.

## Accidents

1. Stop climbing around the injured person.
2. Call the front desk on extension 112.
3. Fill in the accident form within 24 hours.
"""


@pytest.fixture
@remembered
def hall(alice: User) -> Plugin:
    plugin = Plugin.objects.create(owner=alice, name="Hall", slug="hall", domain="climbing", system_prompt="Help.")
    give_document(plugin, title="Belay rules", text=HALL)
    return plugin


@pytest.mark.parametrize("asked", ["How do I descale the machine?", "descaling", "What are the steps to descale?"])
def test_the_steps_come_whole_and_in_order_behind_the_warning(machine: Plugin, asked: str):
    answer = ask(machine, asked)
    assert answer.outcome == Outcome.ANSWERED
    *lines, last = answer.text.split("\n")[-len(STEPS) :]
    assert [*lines, last] == [*STEPS[:-1], f"{STEPS[-1][:-1]} [Source 1]."]
    assert answer.text.startswith("Descale when the orange light is steady. Vinegar attacks the seals")
    assert "break descaling off" not in answer.text


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        ("What must be checked at the partner check?", "1. Check that both harness buckles are closed."),
        ("What do I have to do after an accident?", "1. Stop climbing around the injured person."),
    ],
)
def test_what_has_to_be_done_is_asked_for_as_steps_are(hall: Plugin, asked: str, first: str):
    lines = ask(hall, asked).text.splitlines()
    assert (lines[0], len(lines)) == (first, 3)


@pytest.mark.parametrize("asked", ["Who is called after an accident?", "When is the accident form due?"])
def test_a_fact_about_what_has_to_be_done_is_no_question_for_all_of_it(hall: Plugin, asked: str):
    assert len(ask(hall, asked).text.splitlines()) == 1


def test_numbered_items_below_a_heading_stand_in_lines_of_their_own(hall: Plugin):
    text = ask(hall, "What is the partner check?").text
    assert "#" not in text
    assert [line[:2] for line in text.splitlines()] == ["1.", "2.", "3."]


def test_one_citation_holds_the_whole_list_word_for_word(machine: Plugin):
    [citation] = ask(machine, "How do I descale the machine?").citations
    page = Page.objects.get(pk=citation.passage.page_id)
    assert page.text[citation.start : citation.end] == citation.excerpt
    assert all(step in citation.excerpt for step in STEPS)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("How much descaler is dissolved in a litre of water?", "50 g"),
        ("When do I have to descale?", "orange light"),
        ("May vinegar be used for descaling?", "Vinegar attacks the seals"),
    ],
)
def test_a_question_for_one_fact_is_not_answered_with_the_list(machine: Plugin, asked: str, said: str):
    answer = ask(machine, asked)
    assert said in answer.text
    assert STEPS[0] not in answer.text


def test_a_list_that_is_too_long_says_where_it_goes_on_and_is_not_sure(machine: Plugin):
    answer = ask(machine, "What are the checks before a long pause?")
    assert "12. part 12 of the machine" in answer.text
    assert "13. part 13" not in answer.text
    assert "The list continues with 3 more items: Kestrel: care, Checks before a long pause." in answer.text
    assert answer.confidence != Confidence.HIGH


@pytest.mark.parametrize(
    ("language", "said"),
    [("de", "Die Liste geht mit 3 weiteren Punkten weiter:"), ("fr", "La liste continue avec 3 éléments de plus :")],
)
def test_where_a_list_goes_on_is_said_in_the_language_of_the_question(
    machine: Plugin, monkeypatch: pytest.MonkeyPatch, language: str, said: str
):
    # No question of another language is found to ask for these English steps: its language is told here.
    monkeypatch.setattr(generate, "answer_language", lambda question: language)
    answer = ask(machine, "What are the checks before a long pause?")
    assert f"{said} Kestrel: care, Checks before a long pause." in answer.text


def test_an_answer_with_two_of_the_steps_leaves_others_out(machine: Plugin):
    whole = ask(machine, "How do I descale the machine?").citations
    page = whole[0].passage
    first, second = (
        replace(whole[0], start=page.start + page.content.index(step), end=page.start + page.content.index(step) + 9)
        for step in STEPS[:2]
    )
    assert leaves_out_items([first, second])
    assert not leaves_out_items([first])
    assert not leaves_out_items(whole)


def ask_of(owner: User, text: str, *, question: str = "How do I descale the machine?") -> Answer:
    plugin = Plugin.objects.create(owner=owner, name="Merlin", slug="merlin", domain="coffee", system_prompt="Help.")
    give_document(plugin, title="Merlin: care", text=f"# Merlin: care\n\n## Descaling the machine\n\n{text}")
    return ask(plugin, question)


@pytest.mark.parametrize("lead_in", ["", "Do it outside.\n\n"])
def test_a_list_whose_first_item_is_too_long_is_not_quoted_and_the_question_is_answered(alice: User, lead_in: str):
    long = " ".join(f"Turn the ring {number} until the lamp of the tank is on." for number in range(40))
    answer = ask_of(alice, f"{lead_in}1. {long}\n2. Rinse.\n3. Dry.\n")
    assert answer.outcome == Outcome.ANSWERED
    assert "Turn the ring" in answer.text
    assert "The list continues" not in answer.text


def test_a_list_of_what_must_not_be_done_is_no_list_of_steps(alice: User):
    lists = "Never do this:\n\n- Use vinegar.\n- Use bleach.\n\nDo this:\n\n- Use descaler.\n- Rinse.\n"
    answer = ask_of(alice, lists)
    assert answer.text == "Do this:\n- Use descaler.\n- Rinse [Source 1]."
    assert answer.confidence == Confidence.HIGH


def test_one_of_two_lists_that_may_both_be_meant_is_not_sure(alice: User):
    answer = ask_of(alice, "Cold:\n\n1. Rinse.\n2. Dry.\n\nWarm:\n\n1. Boil.\n2. Wait.\n")
    assert "1. Rinse." in answer.text
    assert (answer.confidence, answer.reason) == (Confidence.MEDIUM, "other_lists")


APPLYING = """## Applying for a clinical trial

To apply for a clinical trial with Merlin Standard:

1. Print the form and sign it.
2. Send it to the medical office.
3. Wait for the letter of the doctor.
"""


def test_the_steps_of_another_plan_are_not_quoted_for_the_one_that_is_named(alice: User):
    plugin = Plugin.objects.create(owner=alice, name="Merlin", slug="merlin", domain="plans", system_prompt="Help.")
    give_document(plugin, title="Merlin Standard", text=f"# Merlin Standard\n\n{APPLYING}")
    own = "With Merlin Premium you apply for a clinical trial by a call to your adviser."
    give_document(plugin, title="Merlin Premium", text=f"# Merlin Premium\n\n## Clinical trials\n\n{own}\n")
    answer = ask(plugin, "How do I apply for a clinical trial with Merlin Premium?")
    assert own.rstrip(".") in answer.text
    assert "Print the form" not in answer.text
    assert "Print the form" in ask(plugin, "How do I apply for a clinical trial with Merlin Standard?").text


STEAMING = """Press the steam key and wait until the green light is steady. Open the tap for two seconds into the tray.
Hold the tip just under the surface until the milk has grown by a third. Close the tap and wipe the wand at once.

After that the boiler is too hot. Let 60 ml of water run through the group."""


@pytest.fixture
@remembered
def prose(alice: User) -> Plugin:
    plugin = Plugin.objects.create(owner=alice, name="Merlin", slug="merlin", domain="coffee", system_prompt="Help.")
    long = " ".join(f"Turn ring {number} until lamp {number} is on, then turn it back." for number in range(30))
    text = f"# Merlin: use\n\n## Steaming milk\n\n{STEAMING}\n\n## Calibrating the scale\n\n{long}\n"
    give_document(plugin, title="Merlin: use", text=text)
    return plugin


@pytest.mark.parametrize("asked", ["How do I steam milk?", "What are the steps to steam milk?"])
def test_steps_that_are_told_in_sentences_come_whole_and_in_order(prose: Plugin, asked: str):
    answer = ask(prose, asked)
    assert answer.text == f"{' '.join(STEAMING.split())[:-1]} [Source 1]."
    assert len(answer.citations) == 1


@pytest.mark.parametrize(
    "asked", ["How long do I open the tap before I steam milk?", "When do I wipe the wand?", "Who may steam milk?"]
)
def test_a_question_for_one_fact_is_not_answered_with_the_whole_section(prose: Plugin, asked: str):
    assert " ".join(STEAMING.split())[:-1] not in ask(prose, asked).text


def test_a_section_that_is_too_long_is_not_quoted_whole(prose: Plugin):
    assert "ring 29" not in ask(prose, "How do I calibrate the scale?").text
