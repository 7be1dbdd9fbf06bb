"""Starts a task at once, up to its first real wait: what never waits is done before the loop gets a turn."""

from __future__ import annotations

import asyncio
import contextvars
import sys
from collections.abc import Callable, Coroutine, Generator
from typing import Any


def start_eagerly(work: Coroutine[Any, Any, None], begin: Callable[[asyncio.Task[None]], None], name: str) -> None:
    """``begin`` learns the task before its first step. From inside another task the first step comes with the loop's next turn."""
    loop = asyncio.get_running_loop()
    if asyncio.current_task(loop) is not None:
        begin(loop.create_task(work, name=name))
        return
    context = contextvars.copy_context()
    rest = _Rest(work)
    task: asyncio.Task[None] = loop.create_task(rest, name=name, context=context)
    begin(task)
    # The task is the current one for its first step, too: asyncio.timeout, TaskGroup and cancellation bind to it.
    asyncio._enter_task(loop, task)
    try:
        context.run(rest.first_step)
    finally:
        asyncio._leave_task(loop, task)


class _Rest(Coroutine[Any, Any, None]):
    """A coroutine whose first step runs before its task starts: the first step of the task then gets that result."""

    def __init__(self, work: Coroutine[Any, Any, None]) -> None:
        self._work = work
        self._ahead = False
        self._waits_for: Any = None
        self._raised: BaseException | None = None

    def first_step(self) -> None:
        self._ahead = True
        try:
            self._waits_for = self._work.send(None)
        except BaseException as error:
            # StopIteration, too: the task's first step raises it again.
            self._raised = error

    def send(self, value: Any, /) -> Any:
        if not self._ahead:
            return self._work.send(value)
        self._ahead = False
        if self._raised is not None:
            raise self._raised
        return self._waits_for

    def throw(self, typ: Any, val: Any = None, tb: Any = None, /) -> Any:
        if self._ahead:
            self._ahead = False
            if self._raised is not None:
                raise self._raised
            # As in Task.cancel: cancel the awaited future, which passes the cancellation to the task.
            if isinstance(self._waits_for, asyncio.Future) and self._waits_for.cancel():
                return self._waits_for
        if sys.version_info >= (3, 12) or (val is None and tb is None):
            return self._work.throw(typ if val is None else val)
        return self._work.throw(typ, val, tb)

    def close(self) -> None:
        self._work.close()

    def __await__(self) -> Generator[Any, Any, None]:
        return self._work.__await__()
