"""One run in this worker: the bridge its context talks through."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any

from ..bridge import Level
from ..errors import CancelledByCaller, SvcError, from_wire
from .clock import RunClock

_MAX_UNACKNOWLEDGED = 64
_LOOK_EVERY_SECONDS = 0.02


class RunBridge:
    def __init__(
        self,
        run: int,
        send: Callable[[Mapping[str, Any]], None],
        writable: Callable[[], Any],
        pump: Callable[[], None],
        secret: Callable[[str], str],
        clock: RunClock | None = None,
    ) -> None:
        self.clock = clock or RunClock(None)
        self._run = run
        self._send = send
        self._writable = writable
        self._pump = pump
        self._secret = secret
        self._seq = 0
        self._acknowledged = 0
        self._room: asyncio.Event | None = None
        self._calls: dict[int, asyncio.Future[Any]] = {}
        self._deadlines: dict[int, float] = {}
        self._next_call = 0
        self.cancelled: SvcError | None = None
        self.over = False

    # Bridge

    @property
    def deadline(self) -> float | None:
        return self.clock.deadline

    async def emit(self, kind: str, payload: Mapping[str, Any]) -> None:
        self._raise_if_cancelled()
        await self._writable()
        while self._seq - self._acknowledged >= _MAX_UNACKNOWLEDGED:
            if self._room is None:
                self._room = asyncio.Event()
            self._room.clear()
            await self._room.wait()
            self._raise_if_cancelled()
        if self.over:
            return
        # Numbered only once it can be written: a payload that is no JSON is the author's error, and the next event follows on.
        frame = {"t": "event", "id": self._run, "seq": self._seq + 1, "kind": kind, "payload": dict(payload)}
        self._send(frame)
        self._seq += 1

    async def call(self, method: str, params: Mapping[str, Any]) -> Any:
        self._raise_if_cancelled()
        await self._writable()
        if self.over:
            raise CancelledByCaller("the run is over")
        self._next_call += 1
        number = self._next_call
        reply: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._calls[number] = reply
        self.clock.hold()
        try:
            self._send({"t": "call", "id": self._run, "call": number, "method": method, "params": dict(params)})
            return await reply
        finally:
            self.clock.go_on(self._deadlines.pop(number, None))
            self._calls.pop(number, None)

    def check_cancelled(self) -> None:
        if self.cancelled is None and time.monotonic() - self.clock.checked_at > _LOOK_EVERY_SECONDS:
            self._pump()
            self.clock.checked_at = time.monotonic()
        self._raise_if_cancelled()

    def secret(self, name: str) -> str:
        return self._secret(name)

    def write_log(self, level: Level, message: str, fields: Mapping[str, Any]) -> None:
        send_log(self._send, level, message, fields, run=self._run)

    # for the session

    def acknowledged(self, seq: int) -> None:
        self._acknowledged = max(self._acknowledged, min(seq, self._seq))
        self._wake()

    def replied(self, call: int, value: Any, error: Mapping[str, Any] | None, deadline: float | None = None) -> None:
        """``deadline``: seconds since the epoch, as it is now; a wait for a person moved it."""
        reply = self._calls.get(call)
        if reply is None or reply.done():
            return
        if deadline is not None:
            self._deadlines[call] = deadline
        if error is None:
            reply.set_result(value)
        else:
            reply.set_exception(from_wire(error))

    def cancel(self, error: SvcError) -> None:
        self.cancelled = self.cancelled or error
        self._wake()

    def _wake(self) -> None:
        # Made by the first event that has to wait: most runs have none.
        if self._room is not None:
            self._room.set()

    def _raise_if_cancelled(self) -> None:
        if self.cancelled is not None:
            raise self.cancelled


def send_log(
    send: Callable[[Mapping[str, Any]], None],
    level: Level,
    message: str,
    fields: Mapping[str, Any],
    run: int | None = None,
) -> None:
    frame: dict[str, Any] = {"t": "log", "level": level, "message": str(message)}
    if run is not None:
        frame["id"] = run
    try:
        send({**frame, "fields": dict(fields)} if fields else frame)
    except (TypeError, ValueError):
        # A log line must not fail its skill: what is no JSON is written as Python shows it.
        send({**frame, "fields": {str(name): repr(value) for name, value in fields.items()}})
