"""The worker as a server: one agent, one runtime at a time, until SIGTERM or the runtime's shutdown."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
from typing import Any

from ..agent import Agent
from ..errors import AgentNotReady
from .connection import WorkerConnection
from .host import AgentHost
from .loads import Loads, Reload
from .session import WorkerSession
from .watch import Watch
from .watchdog import Watchdog

LISTEN_VARIABLE = "SVC_WORKER_LISTEN"
_DRAIN_SECONDS = 10.0
_DEFAULT = "tcp:127.0.0.1:0"


async def serve(
    cls: type[Agent[Any]], listen: str | None = None, drain_seconds: float = _DRAIN_SECONDS, reload: Reload | None = None
) -> None:
    """``listen``: ``unix:/path`` or ``tcp:host:port``; default: SVC_WORKER_LISTEN, else a free port of loopback, which is printed.
    ``reload``: only in development."""
    host = AgentHost(cls)
    loads = Loads(host, reload)
    sessions: set[WorkerSession] = set()
    opened: list[WorkerSession] = []

    def open_session(connection: WorkerConnection) -> WorkerSession | None:
        # A runtime that lost its connection comes again before we know: the newest is the one that is there.
        serving = loads.serving()
        for old in list(sessions):
            if old.host is serving:
                old.close()
        session = WorkerSession(serving, connection, sessions.discard, loads, watched=True)
        sessions.add(session)
        opened.append(session)
        del opened[:-1]
        return session

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(number, loads.over.set)
    watchdog = host.watchdog = Watchdog(loop, lambda message, fields: opened[-1].log("error", message, fields) if opened else None)
    watchdog.start()
    watch = Watch(watchdog)

    def open_watch(side: socket.socket, name: str, head: bytes) -> bool:
        watched = next((session for session in sessions if session.name == name), None)
        if watched is not None:
            watch.begin(side, watched, head)
        return watched is not None

    server = await _listen(lambda: WorkerConnection(open_session, open_watch), listen or os.environ.get(LISTEN_VARIABLE) or _DEFAULT)
    async with server:
        await loads.over.wait()
        server.close()
        await _drain(sessions, drain_seconds)
        log = opened[-1].log if opened else lambda *_: None
        for loaded in loads.hosts:
            await loaded.shutdown(log)
        watchdog.stop()
        for session in list(sessions):
            session.close()


async def _drain(sessions: set[WorkerSession], seconds: float) -> None:
    until = asyncio.get_running_loop().time() + seconds
    while any(session.running for session in sessions) and asyncio.get_running_loop().time() < until:  # noqa: ASYNC110
        await asyncio.sleep(0.02)
    for session in list(sessions):
        session.end_runs(AgentNotReady("the agent is shutting down"))
    await asyncio.sleep(0)


async def _listen(factory: Any, listen: str) -> asyncio.Server:
    loop = asyncio.get_running_loop()
    kind, _, where = listen.partition(":")
    if kind == "unix" and where:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(where)
        server: asyncio.Server = await loop.create_unix_server(factory, where)
        os.chmod(where, 0o660)
        return server
    host, _, port = where.rpartition(":")
    if kind != "tcp" or not port.isdigit():
        raise ValueError(f'listen is "unix:/path" or "tcp:host:port", not "{listen}"')
    server = await loop.create_server(factory, host.strip("[]") or "127.0.0.1", int(port))
    print(f"listening on http://{host}:{server.sockets[0].getsockname()[1]}", file=sys.stderr, flush=True)
    return server
