"""The runtime's second connection, answered by a thread: so it learns what blocks the loop, and takes back calls that have not begun."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import threading
import traceback
from collections.abc import Mapping
from typing import Any, Protocol

from .connection import line_of

_MAX_FRAMES = 20


class Watched(Protocol):
    """The session whose runtime asks."""

    def take(self, run: int) -> bool: ...


class LoopState(Protocol):
    """What the watchdog knows."""

    @property
    def blocked(self) -> float: ...


class Watch:
    def __init__(self, state: LoopState) -> None:
        """To be made in the loop's own thread."""
        self._state = state
        self._loop = asyncio.get_running_loop()
        self._ident = threading.get_ident()

    def begin(self, side: socket.socket, session: Watched, head: bytes) -> None:
        """From now on the thread has the connection. ``head``: what is written first."""
        threading.Thread(target=self._serve, args=(side, session, head), name="svc-watch", daemon=True).start()

    def _serve(self, side: socket.socket, session: Watched, head: bytes) -> None:
        try:
            with side, side.makefile("rb") as lines:
                side.settimeout(None)
                side.sendall(head)
                for line in lines:
                    side.sendall(line_of(self._answer(json.loads(line), session)))
        except (OSError, ValueError):
            # The runtime has left.
            return

    def _answer(self, frame: Mapping[str, Any], session: Watched) -> dict[str, Any]:
        if frame.get("t") == "take":
            return {"t": "taken", "id": frame.get("id"), "ok": session.take(int(frame["run"]))}
        blocked = self._state.blocked
        state: dict[str, Any] = {"t": "state", "id": frame.get("id"), "blocked_ms": round(blocked * 1000)}
        if frame.get("stack"):
            state.update(self._place())
        return state

    def _place(self) -> dict[str, Any]:
        """What the loop's thread executes, innermost last; whose run it is, where a task tells."""
        top = sys._current_frames().get(self._ident)
        task = asyncio.current_task(self._loop)
        kind, _, number = task.get_name().partition(" ") if task is not None else ("", "", "")
        told = {"run": int(number)} if kind == "run" and number.isdigit() else {}
        return {**told, "stack": "".join(traceback.format_stack(top)[-_MAX_FRAMES:])}
