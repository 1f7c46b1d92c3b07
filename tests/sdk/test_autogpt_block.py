"""The AutoGPT block in a stand-in of its platform, against the real server."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any
from unittest import mock
from uuid import UUID

import pytest

from accounts.models import ApiKey, User
from tests.sdk.autogpt_platform import APIKeyCredentials, Requests, platform_with_blocks
from tests.sdk.running import run

WEATHER = "What is the minimum cover for a beam exposed to weather?"


@pytest.fixture
def module() -> Iterator[ModuleType]:
    with platform_with_blocks() as module:
        yield module


def outputs(module: ModuleType, credentials: APIKeyCredentials, **given: Any) -> list[tuple[str, Any]]:
    block = module.LexicAskExpertBlock()
    fields = {**block.test_input, "plugin": "cover", **given}

    async def collect() -> list[tuple[str, Any]]:
        return [pair async for pair in block.run(block.input_schema(**fields), credentials=credentials)]

    found = run(collect)
    assert {name for name, _ in found} <= set(block.output_schema.model_fields)
    return found


@pytest.fixture
def credentials(server: str, key: str, monkeypatch: pytest.MonkeyPatch) -> APIKeyCredentials:
    monkeypatch.setattr(Requests, "server", server)
    return APIKeyCredentials(id="1", provider="lexic", title="mine", api_key=key)


def test_the_block_passes_its_own_test_as_the_platform_runs_it(module: ModuleType):
    block = module.LexicAskExpertBlock()

    async def ask(**given: Any) -> Any:
        return block.test_mock["ask"](**given)

    async def collect() -> list[tuple[str, Any]]:
        given = block.input_schema(**block.test_input)
        return [pair async for pair in block.run(given, credentials=block.test_credentials)]

    with mock.patch.object(block, "ask", ask):
        assert run(collect) == block.test_output
    assert UUID(block.id).version == 4


@pytest.mark.django_db(transaction=True)
def test_an_answer_comes_with_its_citations(module: ModuleType, credentials: APIKeyCredentials):
    found = dict(outputs(module, credentials, question=WEATHER))
    assert "45 mm" in found["answer"]
    assert found["citations"][0]["document"] == "Cover handbook"
    assert [step["node"] for step in found["decision_path"]] == ["exposure_check", "cover_severe"]
    assert found["is_refused"] is False


@pytest.mark.django_db(transaction=True)
def test_a_clarification_comes_alone_and_its_answer_goes_into_facts(module: ModuleType, credentials: APIKeyCredentials):
    beam = "What is the nominal cover of a beam?"
    ((name, asked),) = outputs(module, credentials, question=beam)
    assert (name, asked["options"]) == ("clarification", ["mild", "severe"])
    answered = dict(outputs(module, credentials, question=beam, facts={asked["field"]: "severe"}, max_sources=3))
    assert "45 mm" in answered["answer"]


@pytest.mark.django_db(transaction=True)
def test_a_refusal_is_an_answer(module: ModuleType, credentials: APIKeyCredentials):
    found = dict(outputs(module, credentials, question="Who won the chess olympiad in 1972?"))
    assert (found["is_refused"], found["citations"]) == (True, [])


@pytest.mark.django_db(transaction=True)
def test_what_goes_wrong_is_one_sentence(module: ModuleType, credentials: APIKeyCredentials, alice: User):
    ((name, said),) = outputs(module, credentials, plugin="nothing")
    assert name == "error"
    assert "plugin" in said
    ApiKey.objects.get(name="agent").revoke()
    ((name, said),) = outputs(module, credentials)
    assert (name, "revoked" in said) == ("error", True)
    assert credentials.api_key.get_secret_value() not in said


@pytest.mark.parametrize(
    "server",
    [
        "http://lexic.example.org",
        "lexic.example.org",
        "https://",
        "https://a:b@lexic.example.org",
        "https://x/?a=1",
        "https://[x",
        "",
    ],
)
def test_an_address_that_would_show_the_key_is_refused(module: ModuleType, server: str):
    credentials = APIKeyCredentials(id="1", provider="lexic", title="mine", api_key="lx_x")
    assert outputs(module, credentials, server=server) == [
        ("error", "The server's address has to look like https://lexic.example.org.")
    ]


@pytest.mark.parametrize("reply", [None, [], "text", {"answer": 7, "citations": "x", "decisionPath": [1, {}]}])
def test_an_odd_reply_has_every_key(module: ModuleType, reply: Any):
    read = module._api.read(200, reply)
    assert (read["answer"], read["citations"], read["confidence"], read["clarification"]) == ("", [], "low", None)
    with pytest.raises(module._api.LexicFailed, match="status 502"):
        module._api.read(502, reply)
