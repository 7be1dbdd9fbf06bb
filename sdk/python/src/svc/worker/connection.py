"""One HTTP connection: health, or the upgrade to lines of JSON. A buffered protocol instead of streams: half the time."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import Callable, Mapping
from typing import Any, Protocol, cast

from pydantic_core import from_json

from ..exact import refuse_inexact

PROTOCOL = "svc-worker/1"
WATCH_PROTOCOL = "svc-watch/1"
MAX_FRAME_LENGTH = 64 * 1024 * 1024
_MAX_HEAD = 16 * 1024
_READ = 64 * 1024

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def line_of(frame: Mapping[str, Any]) -> bytes:
    """Raises TypeError or ValueError for what JSON cannot say, RecursionError for what is nested too deeply."""
    line = (_encode(frame) + "\n").encode("utf-8", "replace")
    refuse_inexact(line)
    return line


def _decode(line: bytes) -> Any:
    """Raises ValueError."""
    try:
        return from_json(line)
    except ValueError:
        # The quicker one refuses halves of surrogate pairs and what is deeply nested: both are JSON.
        return json.loads(line)


class Session(Protocol):
    """Who takes the frames."""

    def frame(self, frame: dict[str, Any]) -> None: ...
    def refused(self, line: bytes) -> None: ...
    def lost(self) -> None: ...


OpenWatch = Callable[[socket.socket, str, bytes], bool]
"""Takes the socket over, for the session of this name, and writes the head; False: there is no such session."""


class WorkerConnection(asyncio.BufferedProtocol):
    def __init__(self, open_session: Callable[[WorkerConnection], Session | None], open_watch: OpenWatch | None = None) -> None:
        self._open_session = open_session
        self._open_watch = open_watch
        self._transport: asyncio.Transport | None = None
        self._read = bytearray(_READ)
        self._buffer = bytearray()
        self._searched = 0
        self._session: Session | None = None
        self._writable = asyncio.Event()
        self._writable.set()

    # asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._writable.set()
        if self._session is not None:
            self._session.lost()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    def get_buffer(self, sizehint: int) -> bytearray:
        return self._read

    def buffer_updated(self, nbytes: int) -> None:
        data = bytes(memoryview(self._read)[:nbytes])
        # Nearly always: one frame, whole.
        if not self._buffer and self._session is not None and data.find(b"\n") == nbytes - 1:
            self._line(self._session, data)
        else:
            self._received(data)

    def _received(self, data: bytes) -> None:
        self._buffer += data
        # Also while a frame is being taken: a handler starts in the turn of its frame, and pumps for those behind it.
        self._take()

    # for sessions

    def send(self, frame: Mapping[str, Any]) -> None:
        """Raises as ``line_of``. Nothing happens once the other side is gone."""
        self.send_line(line_of(frame))

    def send_line(self, line: bytes) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(line)

    async def writable(self) -> None:
        await self._writable.wait()

    def pump(self) -> None:
        """Takes what has arrived, without giving the loop a turn: for handlers that never await."""
        transport = self._transport
        if transport is None:
            return
        # What came in one piece with the handler's own frame.
        self._take()
        descriptor = transport.get_extra_info("socket").fileno()
        while descriptor >= 0:
            try:
                data = os.read(descriptor, _READ)
            except (BlockingIOError, InterruptedError):
                return
            except OSError:
                return
            if not data:
                # The end: the loop finds it, too.
                return
            self._received(data)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    # parsing

    def _take(self) -> None:
        if self._session is None and not self._head():
            return
        session = self._session
        while session is not None and self._transport is not None:
            end = self._buffer.find(b"\n", self._searched)
            if end < 0:
                self._searched = len(self._buffer)
                if self._searched > MAX_FRAME_LENGTH:
                    self.close()
                return
            line = bytes(self._buffer[:end])
            del self._buffer[: end + 1]
            self._searched = 0
            self._line(session, line)

    def _line(self, session: Session, line: bytes) -> None:
        if not line.strip():
            return
        try:
            frame = _decode(line)
        except ValueError:
            frame = None
        except RecursionError:
            session.refused(line)
            return
        if isinstance(frame, dict):
            session.frame(frame)
        else:
            self.close()

    def _head(self) -> bool:
        """True once the connection speaks frames."""
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self._buffer) > _MAX_HEAD:
                self._answer("431 Request Header Fields Too Large")
            return False
        lines = bytes(self._buffer[:end]).decode("latin-1").split("\r\n")
        del self._buffer[: end + 4]
        parts = lines[0].split(" ")
        path, _, query = parts[1].partition("?") if len(parts) == 3 else ("", "", "")
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        if len(parts) != 3 or parts[0] not in ("GET", "HEAD"):
            self._answer("400 Bad Request")
        elif path == "/healthz":
            self._answer("200 OK")
        elif path == "/watch" and headers.get("upgrade", "").lower() == WATCH_PROTOCOL:
            self._watch(query.removeprefix("of="))
        elif path != "/worker":
            self._answer("404 Not Found")
        elif headers.get("upgrade", "").lower() != PROTOCOL:
            self._answer("426 Upgrade Required", {"upgrade": PROTOCOL})
        else:
            self._searched = 0
            self._write_head("101 Switching Protocols", {"connection": "Upgrade", "upgrade": PROTOCOL})
            self._session = self._open_session(self)
            return True
        return False

    def _watch(self, name: str) -> None:
        """The socket leaves the loop, which keeps and closes its own descriptor of it."""
        transport = self._transport
        if transport is None or self._open_watch is None:
            return
        side = socket.socket(fileno=os.dup(transport.get_extra_info("socket").fileno()))
        head = _head_of("101 Switching Protocols", {"connection": "Upgrade", "upgrade": WATCH_PROTOCOL})
        if self._open_watch(side, name, head):
            transport.abort()
        else:
            side.close()
            self._answer("404 Not Found")

    def _answer(self, status: str, headers: Mapping[str, str] | None = None) -> None:
        self._write_head(status, {**(headers or {}), "content-length": "0", "connection": "close"})
        self.close()

    def _write_head(self, status: str, headers: Mapping[str, str]) -> None:
        if self._transport is not None:
            self._transport.write(_head_of(status, headers))


def _head_of(status: str, headers: Mapping[str, str]) -> bytes:
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status}\r\n{lines}\r\n".encode("latin-1")
