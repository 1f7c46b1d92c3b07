from __future__ import annotations

import pytest
from made import ANSWER, CLARIFY, error, ok
from scripted_server import KEY, Server

from lexic_sdk import ConfigurationError, Lexic
from lexic_sdk.autogpt import LexicAutoGPT


@pytest.fixture
def adapter(lexic: Lexic) -> LexicAutoGPT:
    return LexicAutoGPT(plugin="cover", client=lexic, query_options={"citationMode": "inline"})


def test_lx_102_the_command_gives_text_with_citations(adapter: LexicAutoGPT, server: Server):
    server.answers(ok())
    command = adapter.as_command()
    text = command("Cover?")
    assert text.startswith(ANSWER["answer"])
    assert "[1] IS 456:2000, p. 47, Table 16, Clause 26.4.2" in text
    assert server.bodies == [{"plugin": "cover", "query": "Cover?", "options": {"citationMode": "inline"}}]


def test_lx_102_the_command_says_what_it_is_and_takes(adapter: LexicAutoGPT):
    command = adapter.as_command()
    assert command.name == "consult_expert"
    assert "cite" in command.description
    assert {name: spec["required"] for name, spec in command.parameters.items()} == {"query": True, "facts": False}


def test_lx_102_the_plugin_is_swapped_with_set_plugin_for_commands_made_before_too(
    adapter: LexicAutoGPT, server: Server
):
    server.answers(ok())
    command = adapter.as_command()
    assert adapter.set_plugin("hvac-design-v1") is adapter
    command(query="Cover?")
    assert server.bodies[0]["plugin"] == "hvac-design-v1"


def test_a_clarification_is_asked_in_words_and_answered_with_a_fact(adapter: LexicAutoGPT, server: Server):
    server.answers(ok(CLARIFY), ok())
    command = adapter.as_command()
    assert (
        command("Cover?") == "Before this can be answered: How? Options: mild, severe. Answer with the fact 'exposure'."
    )
    command("Cover?", facts={"exposure": "severe"})
    assert server.bodies[1]["facts"] == {"exposure": "severe"}


def test_what_goes_wrong_is_said(adapter: LexicAutoGPT, server: Server):
    server.answers(error(404))
    assert adapter.as_command()("Cover?") == "The expert could not be asked. A sentence. Do this."


def test_facts_without_names_are_told_to_the_agent(adapter: LexicAutoGPT, server: Server):
    said = adapter.as_command()("Cover?", facts="severe")
    assert said == "The expert could not be asked. The facts are no object. Give each fact by its name."
    assert server.requests == []


def test_the_key_is_shown_nowhere():
    adapter = LexicAutoGPT(plugin="cover", api_key=KEY)
    assert KEY not in f"{adapter!r} {vars(adapter)} {vars(adapter._expert)} {adapter.as_command()!r}"


def test_without_a_key_nothing_is_made():
    with pytest.raises(ConfigurationError):
        LexicAutoGPT(plugin="cover")
