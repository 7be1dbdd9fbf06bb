"""Requests of a run to the platform's model gateway carry the run's credential, where httpx or httpx2 sends them: the clients of OpenAI
and Anthropic use them, and so does what is built on those. It goes to the gateway alone, and is known by the context, so that runs at
the same time do not pay for each other.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

HEADER = "x-svc-run-token"
GATEWAY_PATH = "/llm/"

CLIENTS = ("httpx", "httpx2")
"""Modules of the same classes."""

_token: ContextVar[str | None] = ContextVar("svc_run_token", default=None)
_watched = False


def begin(token: str | None) -> None:
    """From here on in this context. ``None``: the call came from nowhere on the platform."""
    if token is None:
        return
    _token.set(token)
    _watch()


def _watch() -> None:
    """Nothing is loaded: most agents need none."""
    global _watched
    if _watched:
        return
    _watched = True
    for name in CLIENTS:
        if name in sys.modules:
            _patch(sys.modules[name])
        else:
            sys.meta_path.insert(0, _WhenImported(name))


class _WhenImported(MetaPathFinder):
    def __init__(self, name: str) -> None:
        self._name = name

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if fullname != self._name:
            return None
        sys.meta_path.remove(self)
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            # Kept until it was found: it may be installed later.
            sys.meta_path.insert(0, self)
        loader = None if spec is None else spec.loader
        if loader is None:
            return None
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            _patch(module)
            sys.meta_path.remove(self)

        loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def _patch(httpx: Any) -> None:
    """At the transports, which see each hop: a redirect is another request, and takes nothing along."""
    send, send_async = httpx.HTTPTransport.handle_request, httpx.AsyncHTTPTransport.handle_async_request

    def handle_request(self: Any, request: Any) -> Any:
        with _carrying(httpx, request):
            return send(self, request)

    async def handle_async_request(self: Any, request: Any) -> Any:
        with _carrying(httpx, request):
            return await send_async(self, request)

    httpx.HTTPTransport.handle_request = handle_request
    httpx.AsyncHTTPTransport.handle_async_request = handle_async_request


@contextmanager
def _carrying(httpx: Any, request: Any) -> Iterator[None]:
    token = _token_for(httpx, request)
    if token is None:
        yield
        return
    request.headers[HEADER] = token
    try:
        yield
    finally:
        request.headers.pop(HEADER, None)


def _token_for(httpx: Any, request: Any) -> str | None:
    token, platform = _token.get(), os.environ.get("SVC_CP_URL")
    if token is None or platform is None:
        return None
    own, url = httpx.URL(platform), request.url
    is_gateway = (url.scheme, url.host, url.port) == (own.scheme, own.host, own.port) and url.path.startswith(GATEWAY_PATH)
    return token if is_gateway else None
