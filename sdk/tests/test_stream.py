"""Streams, for both clients: what comes out, and what happens when they break."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made import ANSWER, CLARIFY, DELTAS, DONE, STATUS, Pieces, encoded, error, ok, run, stream
from scripted_server import Server

import lexic_sdk
from lexic_sdk import (
    AsyncLexic,
    DeltaEvent,
    DoneEvent,
    ErrorEvent,
    Event,
    Lexic,
    LexicError,
    ProviderError,
    StatusEvent,
    StreamInterrupted,
    events,
)
from lexic_sdk.stream import StreamReader

WHOLE = encoded(STATUS, *DELTAS, DONE)
FAILED = {"type": "error", "error": "The model is busy.", "code": "provider_busy", "hint": "Later."}


def test_lx_098_a_stream_is_iterated_event_by_event(client: Lexic, server: Server):
    server.answers(stream(WHOLE))
    found = list(client.query_stream("Cover?", facts={"a": 1}))
    assert [event.type for event in found] == ["status", "delta", "delta", "done"]
    assert found[0] == StatusEvent(status="searching_kb", message="Searching")
    assert found[1] == DeltaEvent(text="The nominal cover ")
    assert found[3].result.answer == "".join(event.text for event in found[1:3])
    assert server.bodies == [{"plugin": "cover", "query": "Cover?", "facts": {"a": 1}, "stream": True}]
    assert server.requests[0].headers["Accept"] == "text/event-stream"


def test_the_done_event_reads_like_the_answer(client: Lexic, server: Server):
    server.answers(stream(WHOLE))
    done = list(client.query_stream("Cover?"))[-1]
    assert isinstance(done, DoneEvent)
    assert (done.answer, done.confidence, done.plugin_version) == (ANSWER["answer"], "high", "1.2.0")
    assert done.citations[0].document == "IS 456:2000"
    assert done.decision_path[2].result == "45mm"


def test_the_stream_and_the_json_are_the_same_answer(client: Lexic, server: Server):
    server.answers(stream(WHOLE), ok())
    assert client.query_stream_to_result("Cover?") == client.query("Cover?")


def test_lx_098_a_stream_to_a_result_shows_every_event(client: Lexic, server: Server):
    server.answers(stream(WHOLE))
    shown: list[Event] = []
    answer = client.query_stream_to_result("Cover?", plugin="beams", on_event=shown.append)
    assert [event.type for event in shown] == ["status", "delta", "delta", "done"]
    assert answer.answer == ANSWER["answer"]
    assert server.bodies[0]["plugin"] == "beams"


def test_an_async_function_may_look_at_the_events(async_lexic: AsyncLexic, server: Server):
    server.answers(stream(WHOLE))
    shown: list[str] = []

    async def show(event: Event) -> None:
        shown.append(event.type)

    run(async_lexic.query_stream_to_result("Cover?", on_event=show))
    assert shown == ["status", "delta", "delta", "done"]


def test_a_clarification_comes_over_a_stream_and_is_answered_over_one(client: Lexic, server: Server):
    server.answers(stream(encoded({"type": "done", **CLARIFY})), stream(WHOLE))
    asked = client.query_stream_to_result("Cover?")
    shown: list[Event] = []
    assert client.answer_clarification(asked, "severe", on_event=shown.append).is_answered
    assert shown[-1].type == "done"
    assert server.bodies[1]["followup"] == {"token": "t0ken", "answer": "severe"}


def test_an_error_event_is_an_event_and_ends_the_stream(client: Lexic, server: Server):
    server.answers(stream(encoded(STATUS, FAILED)))
    *_, last = client.query_stream("Cover?")
    assert last == ErrorEvent(error="The model is busy.", code="provider_busy", hint="Later.")
    assert len(server.requests) == 1


def test_an_error_event_is_raised_where_a_result_was_wanted(client: Lexic, server: Server):
    server.answers(stream(encoded(STATUS, FAILED)))
    shown: list[Event] = []
    with pytest.raises(ProviderError) as raised:
        client.query_stream_to_result("Cover?", on_event=shown.append)
    assert (raised.value.message, raised.value.code, raised.value.hint) == (
        "The model is busy.",
        "provider_busy",
        "Later.",
    )
    assert shown[-1].type == "error"


def test_pings_and_events_of_the_future_are_passed_over(client: Lexic, server: Server):
    noise = b': ping\n\ndata: [DONE]\n\ndata: {"type": "telepathy"}\n\ndata: {"no": "type"}\n\nevent: x\n\n'
    server.answers(stream(noise + encoded(STATUS) + noise + encoded(DONE)))
    assert [event.type for event in client.query_stream("Cover?")] == ["status", "done"]


def test_nothing_is_read_after_the_last_event(client: Lexic, server: Server):
    server.answers(stream(encoded(DONE) + encoded(*DELTAS), error=httpx.ReadError("x")))
    assert [event.type for event in client.query_stream("Cover?")] == ["done"]


def test_a_server_that_does_not_stream_gives_the_answer_at_once(client: Lexic, server: Server):
    server.answers(ok())
    assert [event.type for event in client.query_stream("Cover?")] == ["done"]


# --- Before the first event ----------------------------------------------------------------------------------


def test_an_error_before_the_first_event_is_raised_with_its_status(client: Lexic, server: Server):
    server.answers(error(404, code="unknown_plugin"))
    with pytest.raises(lexic_sdk.NotFoundError) as raised:
        list(client.query_stream("Cover?"))
    assert (raised.value.status, raised.value.code) == (404, "unknown_plugin")


@pytest.mark.parametrize(
    "failure",
    [
        error(429, Retry_After="3"),
        error(503, Retry_After="3"),
        httpx.ConnectError("x"),
        stream(b": ping\n\n", error=httpx.ReadError("x")),
    ],
)
def test_before_the_first_event_it_is_tried_again(client: Lexic, server: Server, failure: Any):
    server.answers(failure, stream(WHOLE))
    assert [event.type for event in client.query_stream("Cover?")] == ["status", "delta", "delta", "done"]
    assert len(server.requests) == 2
    assert len(server.waits) == 1


# --- Half streams --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("broken", [None, httpx.ReadError("x"), httpx.ReadTimeout("x"), httpx.RemoteProtocolError("x")])
def test_after_the_first_event_it_is_not_tried_again_and_what_arrived_is_kept(
    client: Lexic, server: Server, broken: Exception | None
):
    half = encoded(STATUS, DELTAS[0]) + encoded(DONE)[:40]
    server.answers(stream(half, error=broken))
    seen: list[Event] = []
    with pytest.raises(StreamInterrupted) as raised:
        seen.extend(client.query_stream("Cover?"))
    assert [event.type for event in seen] == ["status", "delta"]
    assert raised.value.events == tuple(seen)
    assert raised.value.text == "The nominal cover "
    assert len(server.requests) == 1
    assert (raised.value.__cause__ is not None) == (broken is not None)


def test_a_half_stream_is_no_result(client: Lexic, server: Server):
    server.answers(stream(encoded(STATUS, *DELTAS)))
    with pytest.raises(StreamInterrupted) as raised:
        client.query_stream_to_result("Cover?")
    assert raised.value.text == ANSWER["answer"]


def test_a_last_event_without_its_blank_line_counts(client: Lexic, server: Server):
    server.answers(stream(WHOLE.rstrip(b"\n")))
    assert client.query_stream_to_result("Cover?").answer == ANSWER["answer"]


@given(place=st.integers(min_value=0, max_value=len(WHOLE) - 3))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_wherever_a_stream_breaks_it_is_never_taken_for_whole(place: int):
    reader = StreamReader(events.event_from_json, request={})
    found = reader.feed(WHOLE[:place])
    with pytest.raises(StreamInterrupted) as raised:
        reader.finish()
    assert raised.value.events[: len(found)] == tuple(found)
    assert ANSWER["answer"].startswith(raised.value.text)


@given(st.text(max_size=60) | st.dictionaries(st.text(max_size=6), st.integers()).map(str))
def test_any_data_is_an_event_or_none(data: str):
    fields = events.parse_fields(data)
    assert fields is None or events.event_from_json(fields) is None


@given(
    st.sampled_from(["status", "delta", "done", "error"]),
    st.dictionaries(
        st.sampled_from(["status", "message", "text", "error", "code", "hint", "answer", "citations"]),
        st.none() | st.integers() | st.text(max_size=5) | st.lists(st.integers(), max_size=2),
    ),
)
def test_an_event_with_odd_fields_has_its_shape(kind: str, fields: dict[str, Any]):
    event = events.event_from_json({"type": kind, **fields})
    assert event is not None
    assert event.type == kind
    text = {"status": "status", "delta": "text", "done": "answer", "error": "error"}[kind]
    assert isinstance(getattr(event, text), str)


# --- Leaving early -------------------------------------------------------------------------------------------


def test_leaving_early_closes_the_connection(lexic: Lexic, server: Server):
    body = Pieces(encoded(STATUS), encoded(*DELTAS))
    server.answers(httpx.Response(200, headers={"Content-Type": "text/event-stream"}, stream=body))
    stream = lexic.query_stream("Cover?")
    assert next(stream).type == "status"
    stream.close()
    assert body.is_closed


def test_leaving_an_async_stream_early_closes_the_connection(async_lexic: AsyncLexic, server: Server):
    body = Pieces(encoded(STATUS), encoded(*DELTAS))
    server.answers(httpx.Response(200, headers={"Content-Type": "text/event-stream"}, stream=body))

    async def leave() -> None:
        stream = async_lexic.query_stream("Cover?")
        assert (await anext(stream)).type == "status"
        await stream.aclose()

    run(leave())
    assert body.is_closed


def test_what_goes_wrong_while_looking_is_not_ours(client: Lexic, server: Server):
    server.answers(stream(WHOLE))

    def look(event: Event) -> None:
        raise LexicError("mine")

    with pytest.raises(LexicError, match="mine"):
        client.query_stream_to_result("Cover?", on_event=look)
    assert len(server.requests) == 1
