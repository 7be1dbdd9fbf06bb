"""Requests of a run to the platform's model gateway carry the run's credential, where httpx, httpx2, requests or aiohttp sends them:
the clients of OpenAI and Anthropic, LiteLLM, and what is built on those. It goes only to the gateway, and is known by the context, so
that runs at the same time do not pay for each other.
"""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any
from urllib.parse import SplitResult, urlsplit

HEADER = "x-svc-run-token"
GATEWAY_PATH = "/llm/"
_UNRESOLVED = re.compile(r"/(?:\.|%2e){1,2}(?:/|$)", re.IGNORECASE)

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


def _patch(module: Any) -> None:
    CLIENTS[module.__name__](module)


def _patch_httpx(httpx: Any) -> None:
    """At the transports, which see each hop: a redirect is another request, and takes nothing along."""
    send, send_async = httpx.HTTPTransport.handle_request, httpx.AsyncHTTPTransport.handle_async_request

    def handle_request(self: Any, request: Any) -> Any:
        with _carrying(request):
            return send(self, request)

    async def handle_async_request(self: Any, request: Any) -> Any:
        with _carrying(request):
            return await send_async(self, request)

    httpx.HTTPTransport.handle_request = handle_request
    httpx.AsyncHTTPTransport.handle_async_request = handle_async_request


def _patch_requests(requests: Any) -> None:
    """At the adapter, for the same reason."""
    adapter = requests.adapters.HTTPAdapter
    send_one = adapter.send

    def send(self: Any, request: Any, *args: Any, **more: Any) -> Any:
        with _carrying(request):
            return send_one(self, request, *args, **more)

    adapter.send = send


def _patch_aiohttp(aiohttp: Any) -> None:
    """At the request, of which each hop makes one."""
    kind = aiohttp.ClientRequest
    send_one = kind.send

    async def send(self: Any, connection: Any) -> Any:
        with _carrying(self):
            return await send_one(self, connection)

    kind.send = send


CLIENTS: dict[str, Callable[[Any], None]] = {
    "httpx": _patch_httpx,
    "httpx2": _patch_httpx,
    "requests": _patch_requests,
    "aiohttp": _patch_aiohttp,
}
"""Modules by which clients of models send, and how each is made to carry the credential."""


@contextmanager
def _carrying(request: Any) -> Iterator[None]:
    """``request``: with a ``url`` and ``headers`` that can be changed, as all of them have."""
    token = _token_for(str(request.url))
    if token is None:
        yield
        return
    request.headers[HEADER] = token
    try:
        yield
    finally:
        request.headers.pop(HEADER, None)


def _token_for(url: str) -> str | None:
    token, platform = _token.get(), os.environ.get("SVC_CP_URL")
    if token is None or platform is None:
        return None
    own, asked = urlsplit(platform), urlsplit(url)
    # What the client has not resolved yet may lead out of the gateway.
    is_gateway = asked.path.startswith(GATEWAY_PATH) and not _UNRESOLVED.search(asked.path)
    return token if is_gateway and _origin(own) == _origin(asked) else None


def _origin(url: SplitResult) -> tuple[str, str | None, int | None]:
    try:
        port = url.port
    except ValueError:
        return url.scheme, None, None
    return url.scheme, url.hostname, port or {"http": 80, "https": 443}.get(url.scheme)
