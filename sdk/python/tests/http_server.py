"""An HTTP server on loopback that answers as a test says: agents that are not ours may answer anything."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable


class Asked:
    def __init__(self, head: str, body: bytes) -> None:
        lines = head.split("\r\n")
        self.method, self.path, _ = lines[0].split(" ")
        self.headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        self.body = body


def answer(body: bytes | str, status: int = 200, **headers: str) -> bytes:
    data = body.encode() if isinstance(body, str) else body
    given = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status} X\r\ncontent-length: {len(data)}\r\nconnection: close\r\n{given}\r\n".encode() + data


@contextlib.asynccontextmanager
async def serving(respond: Callable[[Asked], bytes | None]) -> AsyncIterator[str]:
    """The server's URL. ``respond`` answers with whole bytes; None: nothing is ever said."""
    over = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().removesuffix("\r\n\r\n")
        asked = Asked(head, b"")
        asked.body = await reader.readexactly(int(asked.headers.get("content-length", 0)))
        said = respond(asked)
        if said is None:
            await over.wait()
        else:
            writer.write(said)
            with contextlib.suppress(ConnectionError):
                await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        over.set()
        server.close()
