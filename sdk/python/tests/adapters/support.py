"""What the tests of the adapters share: how a skill is called, and how a run is cancelled."""

import asyncio
from typing import Any

import pytest

from svc import Agent, CancelledByCaller
from svc.testing import TestAgent, TestResult, TestRun

# One loop for all: clients of OpenAI keep their connections.
LOOP = asyncio.Runner()
WORDS = "Hello, wörld 🙂"
"""What the scripted model says."""


def call(agent: type[Agent], answer: Any = None, /, **args: Any) -> TestResult:
    return LOOP.run(TestAgent(agent, answer=answer).invoke("run", **(args or {"message": "Where?"})))


def tools_in(done: TestResult) -> list[Any]:
    return [event.payload for event in done.events if event.kind == "tool"]


async def cancelled(run: TestRun, began: asyncio.Event) -> None:
    """Once what it does has begun."""
    await asyncio.wait_for(began.wait(), 60)
    run.cancel()
    with pytest.raises(CancelledByCaller):
        await run.result()


class Held:
    """What a tool does that ends only when its run is cancelled."""

    def __init__(self) -> None:
        self._began, self._ended = asyncio.Event(), asyncio.Event()

    async def wait(self) -> None:
        self._began.set()
        try:
            await asyncio.Event().wait()
        finally:
            self._ended.set()

    def cancel(self, agent: type[Agent], **args: Any) -> None:
        async def main() -> None:
            await cancelled(TestAgent(agent).start("run", args), self._began)
            # Some frameworks end their own tasks in the loop's next turns.
            await asyncio.wait_for(self._ended.wait(), 30)

        LOOP.run(main())
