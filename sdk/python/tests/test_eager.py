"""Handlers start in the turn their frame came with; tasks, timeouts, context and cancellation are asyncio's all the same."""

from __future__ import annotations

import asyncio
import contextvars
import json
import socket
import time
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from svc import Agent, RunContext, skill
from svc.worker.connection import WorkerConnection
from svc.worker.eager import start_eagerly
from svc.worker.host import AgentHost
from svc.worker.session import WorkerSession

Work = Coroutine[Any, Any, None]


def begun(work: Work) -> asyncio.Task[None]:
    tasks: list[asyncio.Task[None]] = []
    start_eagerly(work, tasks.append, "test")
    return tasks[0]


def in_a_turn(check: Callable[[], Coroutine[Any, Any, None] | None]) -> None:
    """Runs ``check`` as a callback of the loop, as a frame's arrival is, then awaits what it returned."""

    async def main() -> None:
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

        def turn() -> None:
            try:
                done.set_result(check())
            except BaseException as error:
                done.set_exception(error)

        asyncio.get_running_loop().call_soon(turn)
        rest = await done
        if rest is not None:
            await rest

    asyncio.run(asyncio.wait_for(main(), 20))


def test_what_never_waits_is_done_in_the_same_turn() -> None:
    said: list[str] = []

    async def work() -> None:
        said.append(asyncio.current_task().get_name())  # type: ignore[union-attr]

    def check() -> Work:
        task = begun(work())
        assert said == ["test"]
        assert asyncio.current_task() is None
        return asyncio.wait_for(task, 5)

    in_a_turn(check)


def test_the_task_is_the_same_before_and_after_the_first_wait() -> None:
    tasks: list[object] = []
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="outside")

    async def work() -> None:
        tasks.append(asyncio.current_task())
        variable.set("inside")
        await asyncio.sleep(0)
        tasks.append(asyncio.current_task())
        await asyncio.sleep(0.001)
        tasks.append(asyncio.current_task())
        assert variable.get() == "inside"

    def check() -> Work:
        task = begun(work())
        assert variable.get() == "outside"

        async def rest() -> None:
            await task
            assert tasks == [task, task, task]

        return rest()

    in_a_turn(check)


def test_a_timeout_entered_in_the_first_step_ends_the_wait() -> None:
    async def work() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await asyncio.sleep(60)

    in_a_turn(lambda: asyncio.wait_for(begun(work()), 5))


@pytest.mark.parametrize("at_once", [True, False])
def test_cancelling_ends_what_is_waited_for(at_once: bool) -> None:
    seen: list[str] = []

    async def child() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            seen.append("child")
            raise

    async def work() -> None:
        waiting = asyncio.ensure_future(child())
        if not at_once:
            await asyncio.sleep(0)
        try:
            await waiting
        except asyncio.CancelledError:
            seen.append("work")
            raise

    def check() -> Work:
        task = begun(work())
        if at_once:
            task.cancel()

        async def rest() -> None:
            if not at_once:
                await asyncio.sleep(0.01)
                task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            # A child that was cancelled before its own first step never said anything.
            assert seen == (["work"] if at_once else ["child", "work"])
            assert task.cancelled()

        return rest()

    in_a_turn(check)


def test_cancellation_can_be_caught_and_the_work_goes_on() -> None:
    async def work() -> None:
        with pytest.raises(asyncio.CancelledError):
            await asyncio.get_running_loop().create_future()
        await asyncio.sleep(0.001)

    def check() -> Work:
        task = begun(work())
        task.cancel()
        return asyncio.wait_for(task, 5)

    in_a_turn(check)


def test_what_the_first_step_raises_is_the_tasks() -> None:
    async def work() -> None:
        raise LookupError("mine")

    def check() -> Work:
        task = begun(work())

        async def rest() -> None:
            with pytest.raises(LookupError, match="mine"):
                await task

        return rest()

    in_a_turn(check)


def test_from_inside_a_task_the_first_step_waits_for_its_turn() -> None:
    said: list[str] = []

    async def work() -> None:
        said.append("begun")

    async def main() -> None:
        task = begun(work())
        assert said == []
        await task
        assert said == ["begun"]

    asyncio.run(main())


class Spinner(Agent):
    name = "spinner"
    description = "Never awaits."
    version = "0.1.0"

    @skill()
    async def spin(self, ctx: RunContext) -> str:
        until = time.monotonic() + 10
        while time.monotonic() < until:
            ctx.check_cancelled()
        return "nobody stopped me"


@pytest.mark.parametrize("in_one_piece", [True, False])
def test_check_cancelled_sees_a_cancellation_in_the_first_step(in_one_piece: bool) -> None:
    """Whether it came together with the call or while the handler was at work."""
    invoke = {"t": "invoke", "id": 1, "skill": "spin", "args": {}, "run": {"run_id": "r", "request_id": "q", "auth": {}}}
    cancel = {"t": "cancel", "id": 1, "error": {"code": "cancelled_by_caller", "message": "gone", "status": 499}}
    first, second = (json.dumps(frame).encode() + b"\n" for frame in (invoke, cancel))

    def runtime(side: socket.socket) -> list[dict[str, object]]:
        side.sendall(b"GET /worker HTTP/1.1\r\nUpgrade: svc-worker/1\r\n\r\n")
        if in_one_piece:
            side.sendall(first + second)
        else:
            side.sendall(first)
            time.sleep(0.2)
            side.sendall(second)
        text = b""
        while b'"id":1' not in text and (chunk := side.recv(65536)):
            text += chunk
        return [json.loads(line) for line in text.partition(b"\r\n\r\n")[2].splitlines()]

    async def main() -> list[dict[str, object]]:
        ours, theirs = socket.socketpair()
        host = AgentHost(Spinner)
        await asyncio.get_running_loop().create_connection(
            lambda: WorkerConnection(lambda c: WorkerSession(host, c, lambda _: None)), sock=ours
        )
        with theirs:
            return await asyncio.wait_for(asyncio.to_thread(runtime, theirs), 20)

    last = asyncio.run(main())[-1]
    assert last["t"] == "error"
    assert last["error"]["code"] == "cancelled_by_caller"  # type: ignore[index]
