"""Reads an event stream (text/event-stream) as it comes: only what our agents write, so without ``retry``."""

from __future__ import annotations

import codecs
from collections.abc import AsyncIterable, AsyncIterator


class StreamTooLarge(Exception):
    """One event, or what is left of it, is longer than allowed."""


async def read_events(body: AsyncIterable[bytes], max_length: int) -> AsyncIterator[str]:
    """The data of each event. Raises StreamTooLarge for one of more than ``max_length`` characters."""
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
            length += len(value)
            data.append(value.removeprefix(" "))
        if length > max_length:
            raise StreamTooLarge


async def _lines(body: AsyncIterable[bytes], max_length: int) -> AsyncIterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    # A line may come in thousands of pieces: they are joined once, when its end is there.
    pieces: list[str] = []
    length = 0
    after_return = False
    async for chunk in body:
        text = decoder.decode(chunk)
        if after_return and text:
            # The second half of "\r\n".
            text, after_return = text.removeprefix("\n"), False
        after_return = after_return or text.endswith("\r")
        *ended, rest = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for line in ended:
            yield "".join([*pieces, line])
            pieces, length = [], 0
        if rest:
            pieces.append(rest)
            length += len(rest)
        if length > max_length:
            raise StreamTooLarge
