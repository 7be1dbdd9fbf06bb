"""The one reader of event streams (text/event-stream). Written here: the packages for it are bound to one HTTP client."""

from __future__ import annotations

import codecs
from collections.abc import AsyncIterable, AsyncIterator


class StreamTooLarge(Exception):
    """One event, or what is left of it, is longer than allowed."""


async def read_events(body: AsyncIterable[bytes], max_length: int) -> AsyncIterator[str]:
    """The data of each event; the last one counts without its empty line.

    Raises StreamTooLarge for one of more than ``max_length`` characters.
    """
    data: list[str] = []
    length = 0
    async for line in _lines(body, max_length):
        if not line:
            if data:
                yield "\n".join(data)
            data, length = [], 0
            continue
        field, _, value = line.partition(":")
        if field == "data":
            # An empty line takes room, too.
            length += len(value) + 1
            data.append(value.removeprefix(" "))
        if length > max_length:
            raise StreamTooLarge
    if data:
        yield "\n".join(data)


async def _lines(body: AsyncIterable[bytes], max_length: int) -> AsyncIterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
    # A line may come in thousands of pieces: they are joined once, when its end is there.
    pieces: list[str] = []
    length = 0
    after_return = False
    async for chunk in body:
        text = decoder.decode(chunk)
        if not text:
            continue
        ends_with_return = text.endswith("\r")
        if after_return:
            # The second half of "\r\n".
            text = text.removeprefix("\n")
        after_return = ends_with_return
        *ended, rest = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for line in ended:
            yield "".join([*pieces, line])
            pieces, length = [], 0
        if rest:
            pieces.append(rest)
            length += len(rest)
        if length > max_length:
            raise StreamTooLarge
    rest = decoder.decode(b"", final=True)
    if pieces or rest:
        yield "".join([*pieces, rest])
