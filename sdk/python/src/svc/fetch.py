"""What the clients over HTTP share: httpx where it is installed, and answers of bounded length."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

MAX_ANSWER_LENGTH = 64 * 1024 * 1024
"""Bytes of one answer: more is refused, never cut."""


class AnswerTooLarge(Exception):
    pass


def httpx() -> ModuleType:
    """httpx is what the vendors' SDKs use, too. Agents that call others through their run need none, so it is an extra of this package."""
    try:
        return importlib.import_module("httpx")
    except ModuleNotFoundError:
        raise ModuleNotFoundError("This client needs httpx. Add httpx to requirements.txt, or run: pip install 'svc-sdk[http]'.") from None


def http_client(seconds: float) -> Any:
    """Follows no redirect: it would carry the grant and the bearer to another server. ``seconds`` bounds each wait, not their sum."""
    return httpx().AsyncClient(follow_redirects=False, timeout=seconds, headers={"accept-encoding": "identity"})


async def bounded(response: Any, limit: int = MAX_ANSWER_LENGTH) -> bytes:
    """The body. Raises AnswerTooLarge."""
    body = bytearray()
    async for chunk in response.aiter_raw():
        body += chunk
        if len(body) > limit:
            raise AnswerTooLarge
    return bytes(body)
