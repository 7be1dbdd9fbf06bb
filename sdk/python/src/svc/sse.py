"""The one reader of event streams (text/event-stream). Written here: the packages for it are bound to one HTTP client."""

from __future__ import annotations

import codecs
import json
from collections.abc import AsyncIterable, AsyncIterator, Iterator


class StreamTooLarge(Exception):
    """One event, or what is left of it, is longer than allowed."""


class EventReader:
    """Takes the stream as it comes. ``max_length``: of one event, in characters; StreamTooLarge is raised beyond it."""

    def __init__(self, max_length: int) -> None:
        self._max_length = max_length
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        # A line may come in thousands of pieces: they are joined once, when its end is there.
        self._pieces: list[str] = []
        self._pending = 0
        self._after_return = False
        self._data: list[str] = []
        self._length = 0

    def take(self, chunk: bytes) -> Iterator[str]:
        """The data of each event that ends here."""
        text = self._decoder.decode(chunk)
        if not text:
            return
        ends_with_return = text.endswith("\r")
        if self._after_return:
            # The second half of "\r\n".
            text = text.removeprefix("\n")
        self._after_return = ends_with_return
        *ended, rest = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for line in ended:
            whole = "".join([*self._pieces, line])
            self._pieces, self._pending = [], 0
            yield from self._line(whole)
        if rest:
            self._pieces.append(rest)
            self._pending += len(rest)
        if self._pending > self._max_length:
            raise StreamTooLarge

    def end(self) -> Iterator[str]:
        """After the last chunk: the last event counts without its empty line."""
        yield from self._line("".join([*self._pieces, self._decoder.decode(b"", final=True)]))
        yield from self._line("")

    def _line(self, line: str) -> Iterator[str]:
        if not line:
            if self._data:
                yield "\n".join(self._data)
            self._data, self._length = [], 0
            return
        field, _, value = line.partition(":")
        if field == "data":
            # An empty line takes room, too.
            self._length += len(value) + 1
            self._data.append(value.removeprefix(" "))
        if self._length > self._max_length:
            raise StreamTooLarge


async def read_events(body: AsyncIterable[bytes], max_length: int) -> AsyncIterator[str]:
    """The data of each event of a body of JSON events. Left out: empty ones, and the last one if it was cut. Raises StreamTooLarge."""
    reader = EventReader(max_length)
    async for chunk in body:
        for data in reader.take(chunk):
            if data:
                yield data
    for data in reader.end():
        if is_whole(data):
            yield data


def is_whole(data: str) -> bool:
    """False: the stream was cut inside of this event. That something is missing is said by its reader, who knows what must come."""
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True
