"""Keeps deadlines although a handler blocks the loop: ``while True: pass``, ``time.sleep``, a regular expression without end.

A thread sees that the loop does not turn and sends its thread a signal. The handler of the signal runs where the code blocks, in its
context: so it knows whose code that is, and raises only where that run's own time is up. Other runs that wait in the process continue.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from types import FrameType
from typing import Any

from .alarm import alarm
from .clock import RunClock

current: ContextVar[RunClock | None] = ContextVar("svc_run_clock", default=None)
"""Of the run whose code is running; tasks, callbacks and threads that it starts inherit it."""

_ROUND = 0.1
_SUSPECT = 0.3
"""Seconds without a turn of the loop after which it counts as blocked."""
_UNOWNED = 60.0
"""Code of no run may block so long: a hook of the author's, a timer of a module."""
_ALARM = 1.0
_AGAIN = 1.0
"""Seconds until Overdue is raised again in code that caught it; ``finally`` has that long."""
_MOST_STUCK = 64


class Overdue(BaseException):
    """Raised in code whose run is out of time; not an Exception, so that ``except Exception`` in a loop does not keep it up."""


class Watchdog:
    def __init__(self, loop: asyncio.AbstractEventLoop, log: Callable[[str, dict[str, Any]], None]) -> None:
        """To be made in the loop's own thread, which must be the main one for signals. ``log``: writes one line, at level error."""
        self._loop = loop
        self._log = log
        self._cuts: list[dict[str, Any]] = []
        self._clocks: set[RunClock] = set()
        self._turned = True
        self._blocked = 0.0
        self._ended = threading.Event()
        self._ident = threading.get_ident()
        self._signal, self._alarm_signal = _numbers()
        self._arm: Callable[[float], None] | None = None
        self._turned_at = time.monotonic()
        self._struck_at = 0.0
        self._threads = TrackedThreads()
        loop.set_default_executor(self._threads)

    @property
    def blocked(self) -> float:
        """Seconds that the loop has not turned; not those that a paused machine stood still."""
        return 0.0 if self._turned else self._blocked

    def start(self) -> None:
        if self._signal and self._alarm_signal and threading.current_thread() is threading.main_thread():
            signal.signal(self._signal, self._look)
            signal.signal(self._alarm_signal, self._strike)
            self._arm = alarm(self._alarm_signal)
            if self._arm is not None:
                self._arm(_ALARM)
        threading.Thread(target=self._watch, name="svc-watchdog", daemon=True).start()

    def stop(self) -> None:
        self._ended.set()
        if self._arm is not None:
            self._arm(0)

    def begin(self, clock: RunClock) -> None:
        self._clocks.add(clock)

    def end(self, clock: RunClock) -> None:
        clock.over = True
        self._clocks.discard(clock)

    def _watch(self) -> None:
        before = time.monotonic()
        signalled = 0.0
        while not self._ended.wait(_ROUND):
            now = time.monotonic()
            # A machine that was paused stopped this thread, too: no run is charged for what its clock jumped over.
            away = max(0.0, now - before - 10 * _ROUND)
            passed = min(now - before, 2 * _ROUND)
            before = now
            for clock in list(self._clocks) if away else ():
                clock.give_back(away)
            self._threads.round()
            if self._turned:
                self._turned, self._blocked, signalled = False, 0.0, 0.0
                with contextlib.suppress(RuntimeError):
                    # The loop is closed: the process ends.
                    self._loop.call_soon_threadsafe(self._turn)
                continue
            self._blocked += passed
            due = any(clock.left <= 0 for clock in list(self._clocks)) or self._blocked >= RunClock.LEFTOVER
            if self._blocked >= _SUSPECT and due and self._blocked - signalled >= _AGAIN * (signalled > 0) and self._signal:
                signalled = self._blocked
                signal.pthread_kill(self._ident, self._signal)

    def _turn(self) -> None:
        self._turned = True
        self._turned_at = time.monotonic()
        if self._arm is not None:
            self._arm(0 if self._ended.is_set() else _ALARM)
        cuts, self._cuts = self._cuts, []
        for cut in cuts:
            self._log("a skill blocked its worker past its deadline and was ended there", cut)

    def _look(self, _number: int, frame: FrameType | None) -> None:
        # A turn that came meanwhile: it no longer blocks.
        if not self._turned:
            self._end_if_due(self._blocked, frame)

    def _strike(self, _number: int, frame: FrameType | None) -> None:
        """The alarm: no turn for long, perhaps as C code keeps all threads from running. Heard twice: no leap of the clock."""
        if self._arm is not None:
            self._arm(_ALARM)
        again = self._struck_at == self._turned_at
        self._struck_at = self._turned_at
        if again:
            self._end_if_due(time.monotonic() - self._turned_at, frame)

    def _end_if_due(self, blocked: float, frame: FrameType | None) -> None:
        clock = current.get()
        left = _UNOWNED - blocked if clock is None else clock.may_block(blocked)
        if left > 0:
            return
        stack = "".join(traceback.format_stack(frame)[-20:])
        # Logged with the loop's next turn: this may be in the middle of any code.
        self._cuts.append({"code": "skill_timeout", "blocked_ms": round(blocked * 1000), "stack": stack})
        raise Overdue


class TrackedThreads(ThreadPoolExecutor):
    """The loop's threads (``asyncio.to_thread``). A job out of time is ended; where it hangs in C, another thread takes its place."""

    def __init__(self) -> None:
        super().__init__(thread_name_prefix="svc-job")
        self._jobs: dict[int, tuple[RunClock, float]] = {}
        self._stuck: set[int] = set()
        self._guard = threading.Lock()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        clock = current.get()
        if clock is None:
            return super().submit(fn, *args, **kwargs)
        return super().submit(self._job, clock, fn, args, kwargs)

    def _job(self, clock: RunClock, fn: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        ident = threading.get_ident()
        self._jobs[ident] = (clock, 0.0)
        try:
            return fn(*args, **kwargs)
        except Overdue:
            raise TimeoutError("the run is out of time") from None
        finally:
            with self._guard:
                self._jobs.pop(ident, None)
                _raise_in(ident, None)
                if ident in self._stuck:
                    self._stuck.discard(ident)
                    self._max_workers -= 1

    def round(self) -> None:
        now = time.monotonic()
        for ident, (clock, last) in list(self._jobs.items()):
            if clock.left > -_AGAIN or now - last < _AGAIN:
                continue
            with self._guard:
                if ident not in self._jobs:
                    continue
                self._jobs[ident] = (clock, now)
                _raise_in(ident, Overdue)
                if last and ident not in self._stuck:
                    # It holds on in C: another takes its place among those that work.
                    self._stuck.add(ident)
                    self._max_workers += 1
                    self._adjust_thread_count()
        if len(self._stuck) > _MOST_STUCK:
            print(f"more than {_MOST_STUCK} threads hang in calls that cannot be ended: this worker ends", file=sys.stderr, flush=True)
            os._exit(70)


def _raise_in(ident: int, kind: type[BaseException] | None) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), ctypes.py_object(kind) if kind else None)


def _numbers() -> tuple[int, int]:
    """Two real-time signals, which other libraries hardly use; 0 where there are none: then only threads are watched."""
    first = int(getattr(signal, "SIGRTMIN", 0))
    return (first + 11, first + 12) if first else (0, 0)
