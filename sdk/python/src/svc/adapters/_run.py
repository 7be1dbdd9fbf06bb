"""The run at work, for code that a framework calls without a run context: its nodes, tools, callbacks and routes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, NamedTuple

from ..context import RunContext


class _Run(NamedTuple):
    ctx: RunContext[Any]
    loop: asyncio.AbstractEventLoop


_current: ContextVar[_Run | None] = ContextVar("svc_adapter_run", default=None)


def begin(ctx: RunContext[Any]) -> None:
    """From here on in this context, in tasks and threads that copy it too."""
    _current.set(_Run(ctx, asyncio.get_running_loop()))


def _run() -> _Run:
    run = _current.get()
    if run is None:
        raise RuntimeError("no run is at work here: call this in what the agent's skill runs, in a task or thread that copies its context")
    return run


def current_run() -> RunContext[Any]:
    """The run context of the skill. Raises RuntimeError outside of one."""
    return _run().ctx


async def ask(
    prompt: str,
    timeout: float = 86_400.0,  # noqa: ASYNC109 (as in RunContext.ask)
    *,
    schema: Mapping[str, Any] | None = None,
) -> str:
    """``ctx.ask`` of the current run: the code continues in the next line when the user has answered; nothing is run again."""
    return await current_run().ask(prompt, timeout, schema=schema)


def ask_sync(prompt: str, timeout: float = 86_400.0, *, schema: Mapping[str, Any] | None = None) -> str:
    """The same for code that the framework runs in a thread. Raises RuntimeError on the event loop's own, which would wait for itself."""
    run = _run()
    try:
        here: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()
    except RuntimeError:
        here = None
    if here is run.loop:
        raise RuntimeError("ask_sync would block the event loop: use `await ask(…)` in asynchronous code")
    return asyncio.run_coroutine_threadsafe(run.ctx.ask(prompt, timeout, schema=schema), run.loop).result()
