"""What the runtime says, and what happens then."""

from __future__ import annotations

import asyncio
import itertools
import random
import re
import sys
import threading
from collections.abc import Callable, Mapping
from contextvars import Context
from typing import Any

from ..auth import AuthRequest, Caller, resolve_principal
from ..bridge import Level
from ..context import RunContext, shaped_auth
from ..declare import BoundSkill
from ..errors import AuthError, SkillInputError, SkillNotFound, SkillOutputError, SkillTimeout, SvcError, from_wire
from ..exact import refuse_inexact
from ..grant import Grant
from ..invoke import failure
from ..project import ProjectError
from ..version import __version__
from . import model_requests
from .clock import RunClock
from .connection import PROTOCOL, WorkerConnection, line_of
from .eager import start_eagerly
from .host import AgentHost
from .loads import Loads
from .run import RunBridge, send_log
from .watchdog import Overdue, current

_HEALTH_SECONDS = 2.5
_MAX_REASON = 500
_MAX_PROBLEMS = 100
_NAMES = itertools.count(1)
_OF_RUN = re.compile(rb'\{"t":"(invoke|reply)","id":(\d{1,16})(?:,"call":(\d{1,16}))?,')


class WorkerSession:
    """One connection of a runtime. The agent itself is in the host and stays when the connection ends."""

    def __init__(
        self,
        host: AgentHost,
        connection: WorkerConnection,
        closed: Callable[[WorkerSession], None],
        loads: Loads | None = None,
        watched: bool = False,
    ) -> None:
        """``loads``: where changed code can be loaded, in development. ``watched``: a second connection is answered by a thread."""
        self._host = host
        self._connection = connection
        self._closed = closed
        self._runs: dict[int, tuple[RunBridge, asyncio.Task[None]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._pumping = False
        # Read while a handler looked for its cancellation: they begin with the loop's next turn.
        self._later: dict[int, Mapping[str, Any]] = {}
        self._claim = threading.Lock()
        self._begun = 0
        self._taken: set[int] = set()
        self.name = str(next(_NAMES))
        """Of this connection, for the one that watches it."""
        self._takers: dict[str, Callable[[Mapping[str, Any]], None]] = {
            "start": lambda frame: self._task(self._start(frame)),
            "invoke": self._invoke,
            "reply": lambda frame: self._replied(frame, None),
            "reply_error": lambda frame: self._replied(frame, frame.get("error") or {}),
            "ack": self._ack,
            "cancel": self._cancel,
            "resolve_auth": lambda frame: self._task(self._resolve_auth(frame)),
            "health": lambda frame: self._task(self._health(frame)),
            "renew": self._renew,
            "shutdown": lambda _: self._task(self._shutdown()),
        }
        reloads = loads is not None and loads.can_reload
        if loads is not None and reloads:
            self._takers["reload"] = lambda frame: self._task(self._reload(frame, loads), Context())
        connection.send(
            {
                "t": "hello",
                "protocol": PROTOCOL,
                "language": f"python {sys.version_info.major}.{sys.version_info.minor}",
                "sdk": f"svc-sdk {__version__}",
                "skills": list(host.declaration.skills),
                **({"reloads": True} if reloads else {}),
                **({"watch": self.name} if watched else {}),
            }
        )

    def frame(self, frame: dict[str, Any]) -> None:
        taker = self._takers.get(str(frame.get("t")))
        if taker is None:
            send_log(
                self._connection.send,
                "error",
                "the runtime sent a frame this worker does not know",
                {"t": frame.get("t")},
            )
            self._connection.close()
            return
        taker(frame)

    def refused(self, line: bytes) -> None:
        """A frame that nests more deeply than Python reads: the caller of that run sent it, and the other runs continue."""
        head = _OF_RUN.match(line)
        if head is None:
            self._connection.close()
            return
        kind, run, call = head[1], int(head[2]), int(head[3] or 0)
        error = SkillInputError("the value is nested too deeply")
        if kind == b"invoke":
            self._connection.send_line(_error_line(run, error))
        elif run in self._runs:
            self._runs[run][0].replied(call, None, error.to_wire())

    def lost(self) -> None:
        """The connection is lost, so the runs have no caller any more: cancels them."""
        for bridge, task in list(self._runs.values()):
            bridge.over = True
            task.cancel()
        self._closed(self)

    @property
    def host(self) -> AgentHost:
        return self._host

    @property
    def running(self) -> int:
        return len(self._runs)

    def end_runs(self, error: SvcError) -> None:
        for bridge, task in list(self._runs.values()):
            bridge.cancel(error)
            task.cancel()

    def close(self) -> None:
        self._connection.close()

    def log(self, level: Level, message: str, fields: Mapping[str, Any]) -> None:
        send_log(self._connection.send, level, message, fields)

    # frames

    async def _start(self, frame: Mapping[str, Any]) -> None:
        try:
            await self._host.start(frame.get("config") or {}, frame.get("secrets") or {}, self.log)
        except Exception as error:
            self._connection.send({"t": "not_started", "error": failure(error)})
            return
        self._connection.send({"t": "started"})

    def take(self, run: int) -> bool:
        """From the thread that watches: True if the run has not begun here; then it never does. The runtime numbers its runs upwards."""
        with self._claim:
            if run <= self._begun:
                return False
            self._taken.add(run)
            return True

    def _may_begin(self, run: int) -> bool:
        with self._claim:
            if run in self._taken:
                self._taken.discard(run)
                return False
            self._begun = max(self._begun, run)
            return True

    def _invoke_later(self, run: int) -> None:
        frame = self._later.pop(run, None)
        if frame is not None:
            self._invoke(frame)

    def _invoke(self, frame: Mapping[str, Any]) -> None:
        run = int(frame["id"])
        if self._pumping:
            self._later[run] = frame
            asyncio.get_running_loop().call_soon(self._invoke_later, run, context=Context())
            return
        if not self._may_begin(run):
            return
        clock = RunClock(_seconds((frame.get("run") or {}).get("deadline")))
        bridge = RunBridge(run, self._connection.send, self._connection.writable, self._pump, self._host.secret, clock)

        def begin(task: asyncio.Task[None]) -> None:
            self._runs[run] = (bridge, task)

        start_eagerly(self._drive(run, bridge, frame), begin, f"run {run}")

    async def _drive(self, run: int, bridge: RunBridge, frame: Mapping[str, Any]) -> None:
        current.set(bridge.clock)
        model_requests.begin((frame.get("run") or {}).get("token"))
        watchdog = self._host.watchdog
        if watchdog is not None:
            watchdog.begin(bridge.clock)
        try:
            bound, ctx = self._called(bridge, frame)
            value = await bound.handler(self._host.agent, ctx, **bound.arguments(frame.get("args") or {}))
            line = _result_line(run, bound, value)
        except asyncio.CancelledError as error:
            line = _error_line(run, bridge.cancelled or error)
        except Overdue:
            line = _error_line(run, SkillTimeout("the skill blocked its worker past its deadline"))
        except (Exception, SystemExit, KeyboardInterrupt) as error:
            line = _error_line(run, error)
        if watchdog is not None:
            watchdog.end(bridge.clock)
        self._runs.pop(run, None)
        if not bridge.over:
            bridge.over = True
            self._connection.send_line(line)

    def _called(self, bridge: RunBridge, frame: Mapping[str, Any]) -> tuple[BoundSkill, RunContext[Any]]:
        host = self._host
        skill = str(frame.get("skill"))
        bound = host.declaration.skills.get(skill)
        if bound is None:
            raise SkillNotFound(f'there is no skill "{skill[:64]}"')
        told = frame.get("run") or {}
        grant = told.get("grant")
        ctx: RunContext[Any] = RunContext(
            bridge,
            run_id=str(told.get("run_id", "")),
            request_id=str(told.get("request_id", "")),
            skill=skill,
            auth=shaped_auth(host.auth_model, told.get("auth") or {}),
            caller=_caller(told),
            grant=None if grant is None else Grant.model_validate(grant),
            setup=told.get("setup"),
            trace=told.get("trace"),
        )
        return bound, ctx

    def _replied(self, frame: Mapping[str, Any], error: Mapping[str, Any] | None) -> None:
        entry = self._runs.get(int(frame.get("id", 0)))
        if entry is not None:
            entry[0].replied(int(frame.get("call", 0)), frame.get("value"), error, _seconds(frame.get("deadline")))

    def _ack(self, frame: Mapping[str, Any]) -> None:
        entry = self._runs.get(int(frame.get("id", 0)))
        if entry is not None:
            entry[0].acknowledged(int(frame.get("seq", 0)))

    def _cancel(self, frame: Mapping[str, Any]) -> None:
        run = int(frame.get("id", 0))
        entry = self._runs.get(run)
        if entry is None:
            if self._later.pop(run, None) is not None and self._may_begin(run):
                self._connection.send_line(_error_line(run, from_wire(frame.get("error") or {"code": "cancelled_by_caller"})))
            return
        bridge, task = entry
        bridge.cancel(from_wire(frame.get("error") or {"code": "cancelled_by_caller"}))
        # Found by check_cancelled in code that does not await: that one raises. Elsewhere the await itself ends.
        if not (self._pumping and task is asyncio.current_task()):
            task.cancel()

    def _pump(self) -> None:
        self._pumping = True
        try:
            self._connection.pump()
        finally:
            self._pumping = False

    async def _resolve_auth(self, frame: Mapping[str, Any]) -> None:
        run = frame.get("id")
        resolver = self._host.agent.auth_resolver
        try:
            if resolver is None:
                raise AuthError("this agent has no auth resolver")
            headers = {str(name).lower(): str(value) for name, value in (frame.get("headers") or {}).items()}
            principal = await resolve_principal(resolver, AuthRequest(bearer=frame.get("bearer"), headers=headers, caller=_caller(frame)))
            self._connection.send({"t": "principal", "id": run, "principal": principal})
        except Exception as error:
            self._connection.send({"t": "error", "id": run, "error": failure(error)})

    async def _health(self, frame: Mapping[str, Any]) -> None:
        reason: dict[str, str] = {}
        try:
            healthy = await self._host.healthy(_HEALTH_SECONDS)
        except SvcError as error:
            healthy, reason = False, {"reason": str(error)[:_MAX_REASON]}
        except Exception as error:
            self.log("warn", "health() raised", {"error": str(error)})
            healthy = False
        self._connection.send({"t": "healthy", "id": frame.get("id"), "ok": healthy, **reason})

    def _renew(self, frame: Mapping[str, Any]) -> None:
        """After a clone of a snapshot: what was random is known to others."""
        self._host.keep(frame.get("secrets") or {})
        random.seed()
        numpy = sys.modules.get("numpy")
        if numpy is not None:
            numpy.random.seed()
        ssl = sys.modules.get("ssl")
        if ssl is not None:
            ssl.RAND_add(random.SystemRandom().randbytes(64), 64.0)

    async def _reload(self, frame: Mapping[str, Any], loads: Loads) -> None:
        try:
            told: dict[str, Any] = {"t": "reloaded", "dsl": loads.again()}
        except ProjectError as error:
            problems = [problem.to_json() for problem in error.problems[:_MAX_PROBLEMS]]
            told = {"t": "not_reloaded", "problems": problems, "of_process": error.of_process}
        self._connection.send({**told, "id": frame.get("id")})

    async def _shutdown(self) -> None:
        await self._host.shutdown(self.log)
        self._connection.send({"t": "stopped"})
        self._host.ended.set()

    def _task(self, work: Any, context: Context | None = None) -> None:
        """``context``: default, that of the code which is running, as its frame may be read there."""
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(work, context=context)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _seconds(milliseconds: Any) -> float | None:
    return float(milliseconds) / 1000 if isinstance(milliseconds, (int, float)) else None


def _caller(told: Mapping[str, Any]) -> Caller | None:
    caller = told.get("caller")
    return None if caller is None else Caller.model_validate(caller)


def _result_line(run: int, bound: BoundSkill, value: Any) -> bytes:
    """Raises SkillOutputError."""
    text = bound.written(value)
    try:
        if text is not None:
            refuse_inexact(text)
            return b'{"t":"result","id":%d,"value":%b}\n' % (run, text)
        return line_of({"t": "result", "id": run, "value": bound.result(value)})
    except (TypeError, ValueError, RecursionError) as error:
        raise SkillOutputError(f"the result is not a JSON value: {error}") from None


def _error_line(run: int, error: BaseException) -> bytes:
    return line_of({"t": "error", "id": run, "error": failure(error)})
