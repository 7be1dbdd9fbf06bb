"""Results and arguments take a quick way through; what it cannot carry comes through, or is refused, as on the slow one."""

from __future__ import annotations

import asyncio
import json
import socket
from typing import Any

import pytest

from svc import Agent, RunContext, skill
from svc.worker.connection import WorkerConnection
from svc.worker.host import AgentHost
from svc.worker.session import WorkerSession

DEEP = 50_000
VALUES: dict[str, Any] = {
    "nothing": None,
    "whole": {"a": [None, {"b": None}], "c": 1.5e300, "d": 10**20, "e": 2**53 - 1},
    "words": ["null", "NaN", "-Infinity", "\n\u2028é😀"],
    "half": "\ud800",
    "beyond": {"ids": [9007199254740993]},
    "far": 10**30,
}


class Mirror(Agent):
    name = "mirror"
    description = "Shows what it is told."
    version = "0.1.0"

    @skill()
    async def echo(self, ctx: RunContext, value: Any) -> Any:
        return value

    @skill()
    async def shows(self, ctx: RunContext, name: str) -> Any:
        return VALUES[name]

    @skill()
    async def numbers(self, ctx: RunContext, third: str) -> list[float]:
        return [1.0, 1e16, float(third)]

    @skill()
    async def depth(self, ctx: RunContext, value: Any) -> int:
        depth = 0
        while value:
            value, depth = value[0], depth + 1
        return depth

    @skill()
    async def asks(self, ctx: RunContext) -> str:
        return await ctx.ask("How deep?")

    @skill()
    async def digs(self, ctx: RunContext) -> Any:
        value: Any = []
        for _ in range(DEEP):
            value = [value]
        return value


def call(run: int, skill_id: str, args: str = "{}") -> str:
    told = '{"run_id":"r","request_id":"q","auth":{},"deadline":null,"grant":null,"setup":{}}'
    return f'{{"t":"invoke","id":{run},"skill":"{skill_id}","args":{args},"run":{told}}}'


def last_words(*lines: str) -> dict[int, dict[str, Any]]:
    """What the worker ended each run with."""

    async def main() -> dict[int, dict[str, Any]]:
        ours, theirs = socket.socketpair()
        host = AgentHost(Mirror)
        loop = asyncio.get_running_loop()
        await loop.create_connection(lambda: WorkerConnection(lambda c: WorkerSession(host, c, lambda _: None)), sock=ours)
        reader, writer = await asyncio.open_connection(sock=theirs, limit=1 << 24)
        writer.write(b"GET /worker HTTP/1.1\r\nUpgrade: svc-worker/1\r\n\r\n")
        await reader.readuntil(b"\r\n\r\n")
        ended: dict[int, dict[str, Any]] = {}
        runs = 0
        for line in lines:
            runs += line.startswith('{"t":"invoke"')
            writer.write(line.encode() + b"\n")
            if line is not lines[-1]:
                await asyncio.sleep(0)
        while len(ended) < runs:
            said = await reader.readline()
            assert said, "the worker gave the connection up"
            frame = json.loads(said)
            if frame["t"] in ("result", "error"):
                ended[frame["id"]] = frame
        writer.close()
        return ended

    return asyncio.run(asyncio.wait_for(main(), 20))


@pytest.mark.parametrize("name", ["nothing", "whole", "words"])
def test_what_json_can_say_comes_through(name: str) -> None:
    assert last_words(call(1, "shows", json.dumps({"name": name})))[1]["value"] == VALUES[name]


@pytest.mark.parametrize("name", ["beyond", "far"])
def test_a_whole_number_that_would_arrive_as_another_is_refused(name: str) -> None:
    ended = last_words(call(1, "shows", json.dumps({"name": name})))[1]
    assert (ended["t"], ended["error"]["code"]) == ("error", "skill_output_error")
    assert "cannot be carried exactly" in ended["error"]["message"]


@pytest.mark.parametrize("third", ["nan", "-inf"])
def test_a_number_json_has_no_word_for_is_refused_and_not_null(third: str) -> None:
    ended = last_words(call(1, "numbers", json.dumps({"third": third})))[1]
    assert (ended["t"], ended["error"]["code"]) == ("error", "skill_output_error")
    assert last_words(call(1, "numbers", '{"third":"2"}'))[1]["value"] == [1.0, 1e16, 2.0]


def test_half_of_a_surrogate_pair_harms_nobody() -> None:
    assert last_words(call(1, "echo", '{"value":"\\ud800"}'))[1]["t"] == "result"
    assert last_words(call(1, "shows", '{"name":"half"}'))[1] == {"t": "result", "id": 1, "value": "?"}


def test_nested_further_than_the_quick_way_goes() -> None:
    deep = "[" * 301 + "]" * 301
    assert last_words(call(1, "depth", f'{{"value":{deep}}}'))[1]["value"] == 300


def test_an_argument_that_nests_too_deeply_is_its_callers_error_alone() -> None:
    deep = "[" * DEEP + "]" * DEEP
    ended = last_words(call(1, "asks"), call(2, "echo", f'{{"value":{deep}}}'), '{"t":"reply","id":1,"call":1,"value":"4"}')
    assert ended[2]["error"]["code"] == "skill_input_error"
    assert ended[1]["value"] == "4"


def test_a_reply_that_nests_too_deeply_is_that_calls_error() -> None:
    deep = "[" * DEEP + "]" * DEEP
    ended = last_words(call(1, "asks"), f'{{"t":"reply","id":1,"call":1,"value":{deep}}}', call(2, "shows", '{"name":"nothing"}'))
    assert ended[1]["error"]["code"] == "skill_input_error"
    assert ended[2]["t"] == "result"


def test_a_result_that_nests_too_deeply_ends_its_run() -> None:
    assert last_words(call(1, "digs"))[1]["error"]["code"] == "skill_output_error"
