"""Calls and discovery over HTTP: what an agent that is not ours may answer, and what the registry says."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Coroutine
from typing import Any, TypeVar

import pytest

from svc import A2AClient, AgentCaller, CallFailed, ControlPlaneDiscovery, mint_grant
from svc.sse import StreamTooLarge, read_events

from .http_server import Asked, answer, serving

T = TypeVar("T")


def wait(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(asyncio.wait_for(work, 30))


def sse(text: str) -> bytes:
    return answer(text, content_type="text/event-stream")


def event(kind: str, payload: dict[str, Any]) -> str:
    return f"event: {kind}\ndata: {json.dumps({'kind': kind, 'payload': payload})}\n\n"


REFUSAL = json.dumps({"detail": {"code": "skill_input_error", "message": "a is missing", "issues": [{"path": ["a"]}]}})


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (answer("", 307, location="http://169.254.169.254/"), "redirected"),
        (answer("<html>"), "bad_answer"),
        (answer("teapot", 418), "bad_answer"),
        (answer(REFUSAL, 400), "skill_input_error"),
        (sse(event("progress", {"message": "x"})), "unreachable"),
        (sse("data: nonsense\n\n"), "bad_answer"),
        (sse(event("failed", {})), "bad_answer"),
        (sse(event("failed", {"status": 504, "detail": {"code": "skill_timeout", "message": "late"}})), "skill_timeout"),
        (b"", "unreachable"),
        (sse(event("tick", {}) * 10_001), "answer_too_large"),
    ],
)
def test_a_call_fails_by_code(said: bytes, code: str) -> None:
    async def story() -> None:
        async with serving(lambda _: said) as url:
            with pytest.raises(CallFailed) as failed:
                await A2AClient().call(url, "x")
            assert failed.value.callee_code == code
            assert "127.0.0.1" not in str(failed.value).replace(url, "")

    wait(story())


def test_a_call_posts_to_the_skill_below_the_targets_path() -> None:
    seen: list[Asked] = []

    def respond(asked: Asked) -> bytes:
        seen.append(asked)
        return answer('{"a": 1}')

    async def story() -> None:
        grant, token = mint_grant("usr:a", "x", "usr:a", "read_only", secret=b"k" * 32)
        async with serving(respond) as url:
            client: AgentCaller = A2AClient(bearer=lambda _: "tok")
            done = await client.call(f"{url}/agents/x/", "a/b", {"text": "ü"}, grant=token)
            assert (done.result, done.events, done.grant_id) == ({"a": 1}, (), grant.grant_id)
            assert (await A2AClient(locate=lambda name: located(url, name)).call("greeter", "x")).result == {"a": 1}
        for target in ("greeter", "file:///etc/passwd"):
            with pytest.raises(CallFailed) as failed:
                await A2AClient().call(target, "x")
            assert failed.value.callee_code == "agent_not_found"
        first, second = seen
        assert (first.method, first.path, json.loads(first.body)) == ("POST", "/agents/x/invoke/a%2Fb", {"text": "ü"})
        assert (first.headers["svc-grant"], first.headers["authorization"]) == (token, "Bearer tok")
        assert second.path == "/greeter/invoke/x"
        assert "authorization" not in second.headers

    async def located(url: str, name: str) -> str:
        return f"{url}/{name}"

    wait(story())


def test_a_stream_gives_events_artifacts_and_the_result() -> None:
    artifact = {"name": "a.txt", "uri": "https://a.test/a.txt", "mime_type": "text/plain", "size_bytes": 3}
    said = sse(": hi\n\n" + event("progress", {"message": "x"}) + event("artifact", artifact) + event("result", {"result": [1]}))

    async def story() -> None:
        async with serving(lambda _: said) as url:
            done = await A2AClient().call(url, "x")
            assert done.result == [1]
            assert [one.kind for one in done.events] == ["progress", "artifact"]
            assert [one.name for one in done.artifacts] == ["a.txt"]

    wait(story())


def test_a_silent_agent_and_a_silent_registry_end_with_the_timeout() -> None:
    async def story() -> None:
        async with serving(lambda _: None) as url:
            with pytest.raises(CallFailed, match=r"within 0.05 s") as failed:
                await A2AClient().call(url, "x", timeout=0.05)
            assert failed.value.callee_code == "call_timeout"
            with pytest.raises(CallFailed, match=r"within 0.05 s"):
                await ControlPlaneDiscovery(url, timeout=0.05).get_agent("a")

    wait(story())


def test_events_are_read_however_they_are_cut_with_every_line_end() -> None:
    lines = [": hi", "", "id: 1", "event: a", 'data: {"x":', 'data: "ä"}', "", "event:b", "data:2", "", "data", "data", "", "data: 3", ""]
    events = ['{"x":\n"ä"}', "2", "\n", "3"]

    async def pieces(*parts: bytes) -> AsyncIterator[bytes]:
        for part in parts:
            yield part

    async def endless(piece: bytes) -> AsyncIterator[bytes]:
        while True:
            yield piece

    async def heard(*parts: bytes) -> list[str]:
        return [data async for data in read_events(pieces(*parts), 1000)]

    async def story() -> None:
        for end in ("\n", "\r", "\r\n"):
            whole = ("\ufeff" + "".join(line + end for line in lines)).encode()
            assert await heard(*(whole[at : at + 1] for at in range(len(whole)))) == events
            for at in range(len(whole) + 1):
                assert await heard(whole[:at], whole[at:]) == events
            assert await heard(f"data: 1{end}{end}data: 2".encode()) == ["1", "2"]
            # A heartbeat with an event of its own, and a stream that was cut inside of a character.
            assert await heard(f'data:{end}{end}data: 1{end}{end}data: "ä'.encode()[:-1]) == ["1"]
        for piece in (b"data: x\n" * 100, b"data\n" * 100, b"data: 0123"):
            with pytest.raises(StreamTooLarge):
                _ = [data async for data in read_events(endless(piece), 1000)]

    wait(story())


def test_the_registry_is_asked_with_a_bearer_or_without() -> None:
    card = {"name": "a", "capabilities": {"maths": True}}
    listed = {"name": "a", "url": "http://a.test", "tags": ["t"], "skills": ["s"], "description": ""}
    answers: dict[str, Any] = {
        "/v1/public/agents?limit=100&tag=t": {"items": [{**listed, "name": "b", "skills": []}, listed], "next_cursor": None},
        "/v1/public/agents/a": {**listed, "card": card},
        "/v1/agents/search?limit=25&skill=s&tag=t": [listed],
        "/v1/agents/a": {**listed, "card": card},
    }
    seen: list[str] = []

    def respond(asked: Asked) -> bytes:
        seen.append(asked.headers.get("authorization", "-"))
        found = answers.get(asked.path)
        return answer(json.dumps(found or {"detail": {}}), 200 if found else 404)

    async def story() -> None:
        async with serving(respond) as url:
            for bearer in (None, "tok"):
                registry = ControlPlaneDiscovery(url, bearer=bearer)
                found = await registry.find_agents(tags=["t"], skill="s", capability="maths")
                assert [(one.name, one.url, one.card) for one in found] == [("a", "http://a.test", card)]
                assert await registry.find_agents(tags=["t"], skill="s", capability="none") == []
                assert (await registry.get_agent("a")).name == "a"
                with pytest.raises(CallFailed) as failed:
                    await registry.get_agent("none")
                assert failed.value.callee_code == "agent_not_found"
        assert seen.count("Bearer tok") == 6

    wait(story())


def test_as_many_agents_are_found_as_were_asked_for() -> None:
    listed = {"url": "http://a.test", "tags": [], "skills": []}
    every = [{**listed, "name": f"a{n}"} for n in range(40)]
    lists: dict[str, Any] = {"/v1/agents/search?limit=25": every[:25], "/v1/agents?limit=1000": every}

    def respond(asked: Asked) -> bytes:
        return answer(json.dumps(lists.get(asked.path) or {**listed, "name": asked.path.split("/")[-1], "card": {}}), 200)

    async def story() -> None:
        async with serving(respond) as url:
            for limit in (0, 10, 30, 100):
                found = await ControlPlaneDiscovery(url, bearer="tok").find_agents(limit=limit)
                assert [one.name for one in found] == [one["name"] for one in every[:limit]]

    wait(story())
