"""A request to an ASGI application in this process. Written here: httpx and others give a streamed answer only once it is whole."""

from __future__ import annotations

import asyncio
import codecs
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.parse import unquote

from ..sse import read_events

_HOST = b"agent.internal"
_MAX_EVENT_LENGTH = 64 * 1024 * 1024


class Answer:
    def __init__(self, status: int, headers: dict[str, str], messages: AsyncIterator[bytes]) -> None:
        self.status = status
        self.headers = headers
        self._messages = messages

    async def pieces(self) -> AsyncIterator[str]:
        """The body as it comes; a letter is never cut in two."""
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        async for chunk in self._messages:
            text = decoder.decode(chunk)
            if text:
                yield text
        rest = decoder.decode(b"", final=True)
        if rest:
            yield rest

    async def text(self) -> str:
        return "".join([piece async for piece in self.pieces()])

    async def events(self) -> AsyncIterator[str]:
        """The data of each server-sent event."""
        async for data in read_events(self._messages, _MAX_EVENT_LENGTH):
            yield data


@asynccontextmanager
async def request(
    app: Any, state: dict[str, Any], method: str, path: str, query: bytes, headers: list[tuple[bytes, bytes]], body: bytes
) -> AsyncIterator[Answer]:
    """Leaving it early, or being cancelled, cancels the application's task. Raises what the application raises."""
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query,
        "root_path": "",
        "headers": [(b"host", _HOST), (b"content-length", str(len(body)).encode()), *headers],
        "client": ("127.0.0.1", 0),
        "server": (_HOST.decode(), 80),
        "state": dict(state),
    }
    # One message at a time: an application that streams waits for the reader.
    sent: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue(1)
    asked = False

    async def receive() -> dict[str, Any]:
        nonlocal asked
        if asked:
            await asyncio.Event().wait()
        asked = True
        return {"type": "http.request", "body": body, "more_body": False}

    async def run() -> None:
        try:
            await app(scope, receive, sent.put)
        finally:
            await sent.put(None)

    task = asyncio.create_task(run())

    async def chunks() -> AsyncIterator[bytes]:
        while (message := await sent.get()) is not None:
            if message["type"] == "http.response.body":
                yield message.get("body", b"")
        await task

    try:
        begun = await sent.get()
        if begun is None:
            await task
            raise RuntimeError("the application did not answer")
        told = {key.decode("latin-1").lower(): value.decode("latin-1") for key, value in begun.get("headers", ())}
        yield Answer(begun["status"], told, chunks())
    finally:
        # The task may wait to write its last event, which has no reader any more.
        while not task.done():
            task.cancel()
            with suppress(asyncio.QueueEmpty):
                sent.get_nowait()
            await asyncio.wait([task], timeout=0.05)
        if not task.cancelled():
            task.exception()


class Lifespan:
    """The application's own start and end; one that has none needs nothing."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self.state: dict[str, Any] = {}
        self._said: asyncio.Queue[dict[str, Any]] | None = None
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Raises RuntimeError when the application says that it cannot."""
        self._said = asyncio.Queue()
        heard: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._heard = heard
        scope = {"type": "lifespan", "asgi": {"version": "3.0", "spec_version": "2.0"}, "state": self.state}
        self._task = asyncio.create_task(self._app(scope, self._said.get, heard.put))
        await self._said.put({"type": "lifespan.startup"})
        answer = asyncio.create_task(heard.get())
        await asyncio.wait([self._task, answer], return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            # It does not speak this protocol.
            answer.cancel()
            self._task.exception()
            self._task = None
        elif answer.result()["type"] == "lifespan.startup.failed":
            raise RuntimeError(answer.result().get("message") or "the application did not start")

    async def end(self) -> None:
        if self._task is not None and self._said is not None:
            await self._said.put({"type": "lifespan.shutdown"})
            await asyncio.wait([self._task], timeout=10)
